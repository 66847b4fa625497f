package reconcile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tolboy/warden/forge"
)

// act is one comment or one review whose first line addresses Warden.
type act struct {
	key       string // "comment:4" or "review:17"
	author    forge.User
	at        time.Time
	command   Command
	problem   Reason // UnknownCommand, MalformedCommand or ""
	edited    bool   // or not known to be unedited
	place     Place
	url       string
	commentID int64
	reviewID  int64
}

func commentKey(id int64) string { return fmt.Sprintf("comment:%d", id) }
func reviewKey(id int64) string  { return fmt.Sprintf("review:%d", id) }

// acts returns every command, oldest first, each once.
func (p *planner) acts() []act {
	var out []act
	seen := map[string]bool{}
	add := func(a act, body string) {
		c, found, problem := ParseCommand(body)
		if !found || seen[a.key] {
			return
		}
		seen[a.key] = true
		a.command, a.problem = c, Reason(problem)
		out = append(out, a)
	}
	comments := func(list []forge.Comment, place Place) {
		for _, c := range list {
			add(act{key: commentKey(c.ID), author: c.Author, at: c.CreatedAt, place: place, url: c.URL,
				commentID: c.ID, edited: c.Edited() || c.CreatedAt.IsZero()}, c.Body)
		}
	}
	comments(p.o.IssueComments, OnIssue)
	comments(p.o.PullComments, OnPull)
	for _, r := range p.o.Reviews {
		if r.State != forge.Commented {
			continue
		}
		edited, known := p.o.ReviewEdited[r.ID]
		add(act{key: reviewKey(r.ID), author: r.Author, at: r.SubmittedAt, place: OnPull, url: r.URL,
			reviewID: r.ID, edited: edited || !known || r.SubmittedAt.IsZero()}, r.Body)
	}
	slices.SortFunc(out, func(a, b act) int {
		return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.commentID, b.commentID), strings.Compare(a.key, b.key))
	})
	return out
}

// standing says whether an account may decide now: "" when it may.
func (p *planner) standing(u forge.User) Reason {
	switch {
	case u.ID == 0:
		return UnknownActor
	case u.Same(p.o.Self):
		return OwnAccount
	case u.Bot:
		return BotAccount
	}
	permission, known := p.o.Permissions[u.ID]
	switch {
	case !known:
		return PermissionUnknown
	case !permission.AtLeast(p.o.Config.DecidePermission):
		return NotPermitted
	}
	return ""
}

// mayAccept adds the rule about a person's own work.
func (p *planner) mayAccept(u forge.User, r *Run) Reason {
	if why := p.standing(u); why != "" || p.o.Config.SelfAccept {
		return why
	}
	if u.Same(r.Labeler) || r.CommittersUnknown || slices.ContainsFunc(r.Committers, u.Same) {
		return SelfAcceptOff
	}
	return ""
}
