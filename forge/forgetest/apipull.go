package forgetest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

func (c *call) listPulls() reply {
	q := c.r.URL.Query()
	state := q.Get("state")
	if state == "" {
		state = "open"
	}
	var items []any
	for _, t := range slices.Backward(c.tickets) {
		if t.pull == nil || state != "all" && t.state() != state {
			continue
		}
		head := c.pullHead(t.pull)
		if want := q.Get("head"); want != "" && !strings.EqualFold(want, head["label"].(string)) {
			continue
		}
		if want := q.Get("base"); want != "" && want != t.pull.baseRef {
			continue
		}
		items = append(items, c.pull(t))
	}
	if q.Get("direction") == "asc" {
		slices.Reverse(items)
	}
	return c.list(items)
}

func (c *call) getPull() reply {
	t, err := c.pullTicket(c.number())
	if err != nil {
		return notFound()
	}
	return ok(c.fullPull(t))
}

func (c *call) createPull() reply {
	var in struct {
		Title, Head, Base, Body string
		Draft                   bool
	}
	if err := json.Unmarshal(c.body, &in); err != nil {
		return fail(http.StatusBadRequest, "Problems parsing JSON")
	}
	switch {
	case c.opts.Faults.PullsForbidden:
		return fail(http.StatusForbidden, "GitHub Actions is not permitted to create or approve pull requests.")
	case in.Draft && c.opts.Faults.DraftsUnsupported:
		return fail(http.StatusUnprocessableEntity, "Draft pull requests are not supported in this repository.")
	case in.Title == "":
		return invalid("PullRequest", "title", "title can't be blank")
	case c.tooLong(in.Body):
		return c.tooLongReply("PullRequest", "Body")
	}
	in.Head = strings.TrimPrefix(in.Head, c.opts.Repo.Owner+":")
	head, base := c.branches[in.Head].sha, c.branches[in.Base].sha
	switch {
	case head == "":
		return invalid("PullRequest", "head", "head is invalid")
	case base == "":
		return invalid("PullRequest", "base", "base is invalid")
	}
	for _, t := range c.tickets {
		if t.pull != nil && t.open && t.pull.fork == nil && t.pull.headRef == in.Head && t.pull.baseRef == in.Base {
			return invalid("PullRequest", "", fmt.Sprintf("A pull request already exists for %s:%s.", c.opts.Repo.Owner, in.Head))
		}
	}
	ahead, err := c.git(nil, nil, "rev-list", "--count", base+".."+head)
	if err != nil {
		return fail(http.StatusInternalServerError, err.Error())
	}
	if ahead == "0" {
		return invalid("PullRequest", "", fmt.Sprintf("No commits between %s and %s", in.Base, in.Head))
	}
	t, err := c.openPull(c.who, in.Title, in.Body, &pull{draft: in.Draft, headRef: in.Head, headSHA: head, baseRef: in.Base, baseSHA: base})
	if err != nil {
		return fail(http.StatusInternalServerError, err.Error())
	}
	return created(c.fullPull(t))
}

func (c *call) updatePull() reply {
	t, err := c.pullTicket(c.number())
	if err != nil {
		return notFound()
	}
	var in struct{ Title, Body *string }
	if err := json.Unmarshal(c.body, &in); err != nil {
		return fail(http.StatusBadRequest, "Problems parsing JSON")
	}
	if in.Body != nil && c.tooLong(*in.Body) {
		return c.tooLongReply("PullRequest", "Body")
	}
	title, body := t.title, t.body
	if in.Title != nil {
		title = *in.Title
	}
	if in.Body != nil {
		body = *in.Body
	}
	if changes := c.rewrite(t, c.who, title, body); changes != nil {
		c.deliverPull("edited", t, c.who, object{"changes": changes})
	}
	return ok(c.fullPull(t))
}

func (c *call) listReviews() reply {
	t, err := c.pullTicket(c.number())
	if err != nil {
		return notFound()
	}
	var items []any
	for _, r := range t.pull.reviews {
		items = append(items, c.review(t, r))
	}
	return c.list(items)
}

func (c *call) listNotes() reply {
	t, err := c.pullTicket(c.number())
	if err != nil {
		return notFound()
	}
	var items []any
	for _, r := range t.pull.reviews {
		for _, n := range r.notes {
			items = append(items, c.note(t, n))
		}
	}
	return c.list(items)
}

func (c *call) requestReviewers() reply {
	t, err := c.pullTicket(c.number())
	if err != nil {
		return notFound()
	}
	var in struct{ Reviewers []string }
	if err := json.Unmarshal(c.body, &in); err != nil {
		return fail(http.StatusBadRequest, "Problems parsing JSON")
	}
	var asked []*account
	for _, login := range in.Reviewers {
		a, err := c.account(login)
		switch {
		case err != nil || !a.role.AtLeast("read"):
			return fail(http.StatusUnprocessableEntity, "Reviews may only be requested from collaborators. One or more of the users or teams you specified is not a collaborator of the "+c.opts.Repo.String()+" repository.")
		case a == t.author:
			return fail(http.StatusUnprocessableEntity, "Review cannot be requested from pull request author.")
		}
		asked = append(asked, a)
	}
	for _, a := range asked {
		if !slices.Contains(t.pull.asked, a) {
			t.pull.asked = append(t.pull.asked, a)
		}
		t.updated = c.opts.Clock()
		c.deliverPull("review_requested", t, c.who, object{"requested_reviewer": c.user(a)})
	}
	return created(c.pull(t))
}
