package forgetest

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// listCommits answers with what the head of a pull request has and its base has not,
// oldest first. Whose a commit is follows from the address in it, as on the forge.
func (c *call) listCommits() reply {
	t, err := c.pullTicket(c.number())
	if err != nil {
		return notFound()
	}
	out, err := c.git(nil, nil, "rev-list", "--reverse", t.pull.baseSHA+".."+t.pull.headSHA)
	if err != nil {
		return fail(http.StatusInternalServerError, err.Error())
	}
	var items []any
	for _, sha := range strings.Fields(out) {
		item, err := c.oneCommit(sha)
		if err != nil {
			return fail(http.StatusInternalServerError, err.Error())
		}
		items = append(items, item)
	}
	return c.list(items)
}

func (c *call) oneCommit(sha string) (object, error) {
	const form = "%T%n%P%n%an%n%ae%n%aI%n%cn%n%ce%n%cI%n%B"
	text, err := c.git(nil, nil, "show", "--no-patch", "--format="+form, sha)
	if err != nil {
		return nil, err
	}
	f := strings.SplitN(text, "\n", 9)
	if len(f) < 9 {
		return nil, fmt.Errorf("read commit %s: git printed %q", sha, text)
	}
	parents := []any{}
	for _, p := range strings.Fields(f[1]) {
		parents = append(parents, object{"sha": p, "url": c.api("/commits/%s", p), "html_url": c.web("/commit/%s", p)})
	}
	return object{
		"sha": sha, "node_id": "C_" + sha[:12], "url": c.api("/commits/%s", sha), "html_url": c.web("/commit/%s", sha),
		"comments_url": c.api("/commits/%s/comments", sha), "parents": parents,
		"author": c.ofAddress(f[3]), "committer": c.ofAddress(f[6]),
		"commit": object{
			"url": c.api("/git/commits/%s", sha), "message": strings.TrimRight(f[8], "\n"), "comment_count": 0,
			"author": object{"name": f[2], "email": f[3], "date": f[4]}, "committer": object{"name": f[5], "email": f[6], "date": f[7]},
			"tree": object{"sha": f[0], "url": c.api("/git/trees/%s", f[0])},
		},
	}, nil
}

// ofAddress is the account that an address belongs to, nil for none.
func (c *call) ofAddress(email string) any {
	number, _, _ := strings.Cut(email, "+")
	id, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return nil
	}
	for _, a := range c.accounts {
		if a.id == id {
			return c.user(a)
		}
	}
	return nil
}
