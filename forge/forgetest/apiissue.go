package forgetest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tolboy/warden/forge"
)

func (c *call) getRepo() reply {
	o := c.repository()
	o["network_count"], o["subscribers_count"] = 0, 0
	o["organization"] = c.user(c.owner())
	return ok(o)
}

// getPermission answers the old four words in permission and the real role in
// role_name, as the forge does. Anybody may read a public repository; this one
// is private.
func (c *call) getPermission() reply {
	a, err := c.account(c.r.PathValue("login"))
	if err != nil {
		return notFound()
	}
	role := a.role
	if role == "" {
		role = forge.None
	}
	legacy := map[forge.Permission]forge.Permission{forge.Maintain: forge.Write, forge.Triage: forge.Read}[role]
	if legacy == "" {
		legacy = role
	}
	user := c.user(a).(object)
	user["role_name"] = string(role)
	user["permissions"] = object{
		"admin": role.AtLeast(forge.Admin), "maintain": role.AtLeast(forge.Maintain), "push": role.AtLeast(forge.Write),
		"triage": role.AtLeast(forge.Triage), "pull": role.AtLeast(forge.Read),
	}
	return ok(object{"permission": string(legacy), "role_name": string(role), "user": user})
}

// listIssues lists pull requests too, newest first, as the forge does.
func (c *call) listIssues() reply {
	q := c.r.URL.Query()
	state := q.Get("state")
	if state == "" {
		state = "open"
	}
	var items []any
	for _, t := range slices.Backward(c.tickets) {
		wanted := state == "all" || t.state() == state
		for l := range strings.SplitSeq(q.Get("labels"), ",") {
			wanted = wanted && (l == "" || t.has(l))
		}
		if wanted {
			items = append(items, c.issue(t))
		}
	}
	return c.list(items)
}

func (c *call) getIssue() reply {
	t, err := c.ticket(c.number())
	if err != nil {
		return notFound()
	}
	o := c.issue(t)
	o["closed_by"] = nil
	return ok(o)
}

func (c *call) listEvents() reply {
	t, err := c.ticket(c.number())
	if err != nil {
		return notFound()
	}
	var items []any
	for _, h := range t.history[:max(0, len(t.history)-c.opts.Faults.EventsLate)] {
		o := object{
			"id": h.id, "node_id": fmt.Sprintf("LE_%d", h.id), "url": c.api("/issues/events/%d", h.id), "actor": c.user(h.actor),
			"event": h.kind, "commit_id": nil, "commit_url": nil, "created_at": stamp(h.at), "performed_via_github_app": nil,
		}
		switch h.kind {
		case "labeled", "unlabeled":
			o["label"] = object{"name": h.label, "color": "ededed"}
		case "renamed":
			o["rename"] = object{"from": h.from, "to": h.to}
		case "closed", "reopened":
			o["state_reason"] = nil
		}
		items = append(items, o)
	}
	return c.list(items)
}

func (c *call) listComments() reply {
	t, err := c.ticket(c.number())
	if err != nil {
		return notFound()
	}
	var items []any
	for _, r := range c.remarks {
		if r.ticket == t {
			items = append(items, c.comment(r))
		}
	}
	return c.list(items)
}

func (c *call) createComment() reply {
	t, err := c.ticket(c.number())
	if err != nil {
		return notFound()
	}
	body, bad := c.text("IssueComment")
	if bad != nil {
		return *bad
	}
	r := c.addRemark(c.who, t, body)
	r.viaApp = true
	c.deliverComment("created", r, c.who, nil)
	return created(c.comment(r))
}

func (c *call) updateComment() reply {
	r, err := c.remark(c.id())
	if err != nil {
		return notFound()
	}
	body, bad := c.text("IssueComment")
	if bad != nil {
		return *bad
	}
	if r.author != c.who {
		// A token with issues:write may edit anybody's comment; ours never does.
		c.breach(ForbiddenAct, describe(c.r)+": it edits a comment of "+r.author.login)
		return fail(http.StatusForbidden, "Resource not accessible by integration")
	}
	c.editRemark(r, c.who, body)
	return ok(c.comment(r))
}

// text reads a body and refuses what the forge would.
func (c *call) text(resource string) (string, *reply) {
	var in struct{ Body *string }
	if err := json.Unmarshal(c.body, &in); err != nil {
		return "", pointer(fail(http.StatusBadRequest, "Problems parsing JSON"))
	}
	if in.Body == nil || strings.TrimSpace(*in.Body) == "" {
		return "", pointer(invalid(resource, "body", "body can't be blank"))
	}
	if c.tooLong(*in.Body) {
		return "", pointer(c.tooLongReply(resource, "body"))
	}
	return *in.Body, nil
}

func (s *Server) tooLong(body string) bool {
	return utf8.RuneCountInString(body) > s.opts.BodyLimit
}

func (s *Server) tooLongReply(resource, word string) reply {
	return invalid(resource, "body", fmt.Sprintf("%s is too long (maximum is %d characters)", word, s.opts.BodyLimit))
}
