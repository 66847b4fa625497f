package forgetest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tolboy/warden/forge"
)

// InlineComment is one remark of a review on the candidate's lines. Line is the
// end of the range and StartLine its start, 0 for a single line; a Line of 0
// speaks of the whole file.
type InlineComment struct {
	Path      string
	Line      int
	StartLine int
	Side      string // RIGHT, the default, or LEFT
	Body      string
}

// SubmitReview submits a review of the head as it is now. Anybody who can read
// may approve; what it counts for is not the forge's matter. The author of a
// pull request can only comment on it.
func (s *Server) SubmitReview(login string, number int, state forge.ReviewState, body string, notes ...InlineComment) (id int64, d Delivery, err error) {
	err = s.onPull(login, number, func(who *account, t *ticket) error {
		switch {
		case who == t.author && state == forge.Approved:
			return fmt.Errorf("review pull request %d: can not approve your own pull request", number)
		case who == t.author && state == forge.ChangesRequested:
			return fmt.Errorf("review pull request %d: can not request changes on your own pull request", number)
		case state != forge.Approved && state != forge.ChangesRequested && state != forge.Commented:
			return fmt.Errorf("review pull request %d: nobody can submit %q", number, state)
		}
		r := &review{id: s.nextID(), author: who, state: strings.ToUpper(string(state)), body: body, commit: t.pull.headSHA}
		for _, c := range notes {
			n, err := s.newNote(t, r, c)
			if err != nil {
				return err
			}
			r.notes = append(r.notes, n)
		}
		r.at = s.opts.Clock()
		for _, n := range r.notes {
			n.at = r.at
		}
		t.pull.reviews = append(t.pull.reviews, r)
		t.pull.asked = slices.DeleteFunc(t.pull.asked, func(a *account) bool { return a == who })
		t.updated = r.at
		id, d = r.id, s.deliverReview("submitted", t, r, who, nil)
		for _, n := range r.notes {
			s.deliverNote("created", t, n, who)
		}
		return nil
	})
	return id, d, err
}

func (s *Server) newNote(t *ticket, r *review, c InlineComment) (*note, error) {
	if c.Side == "" {
		c.Side = "RIGHT"
	}
	n := &note{
		id: s.nextID(), review: r, author: r.author, path: c.Path, line: c.Line, start: c.StartLine, side: c.Side,
		file: c.Line == 0, body: c.Body, original: r.commit, commit: r.commit,
	}
	if n.file {
		return n, nil
	}
	var err error
	n.hunk, err = s.hunk(t.pull.baseSHA, r.commit, c)
	return n, err
}

// EditReview changes the text of a submitted review. Its state cannot change.
func (s *Server) EditReview(login string, number int, id int64, body string) (d Delivery, err error) {
	err = s.onReview(login, number, id, func(who *account, t *ticket, r *review) error {
		from := r.body
		r.body = body
		r.edited = pointer(s.opts.Clock())
		d = s.deliverReview("edited", t, r, who, object{"changes": object{"body": object{"from": from}}})
		return nil
	})
	return d, err
}

// DismissReview turns an approval or a request for changes into a dismissed one.
func (s *Server) DismissReview(login string, number int, id int64) (d Delivery, err error) {
	err = s.onReview(login, number, id, func(who *account, t *ticket, r *review) error {
		if r.state != "APPROVED" && r.state != "CHANGES_REQUESTED" {
			return fmt.Errorf("dismiss review %d: can not dismiss one that is %s", id, r.state)
		}
		r.state = "DISMISSED"
		t.updated = s.opts.Clock()
		d = s.deliverReview("dismissed", t, r, who, nil)
		return nil
	})
	return d, err
}

// ClosePR closes a pull request without merging it.
func (s *Server) ClosePR(login string, number int) (Delivery, error) {
	return s.turn(login, number, "closed", false)
}

// ReopenPR opens it again.
func (s *Server) ReopenPR(login string, number int) (Delivery, error) {
	return s.turn(login, number, "reopened", true)
}

// SetDraft turns a pull request into a draft, or ready, by a person's hand.
func (s *Server) SetDraft(login string, number int, draft bool) (d Delivery, err error) {
	err = s.onPull(login, number, func(who *account, t *ticket) error {
		if t.pull.draft == draft {
			return fmt.Errorf("set draft of pull request %d: it is so already", number)
		}
		s.setDraft(t, who, draft)
		d = s.deliveries[len(s.deliveries)-1]
		return nil
	})
	return d, err
}

// MergePR merges, as a person does; no token can. A draft, a closed one and one
// that conflicts are refused.
func (s *Server) MergePR(login string, number int) (d Delivery, err error) {
	s.gitMu.Lock()
	defer s.gitMu.Unlock()
	err = s.onPull(login, number, func(who *account, t *ticket) error {
		p := t.pull
		if !t.open || p.draft || who.bot || !who.role.AtLeast(forge.Write) {
			return fmt.Errorf("merge pull request %d: it is closed or a draft, or %s may not", number, login)
		}
		base := s.branches[p.baseRef]
		tree, err := s.git(nil, nil, "merge-tree", "--write-tree", base.sha, p.headSHA)
		if err != nil {
			return fmt.Errorf("merge pull request %d: %w", number, err)
		}
		now := s.opts.Clock()
		commit, err := s.commitTree(tree, fmt.Sprintf("Merge pull request #%d", number), s.identity(who), base.sha, p.headSHA)
		if err != nil {
			return err
		}
		if _, err := s.git(nil, nil, "update-ref", "refs/heads/"+p.baseRef, commit, base.sha); err != nil {
			return err
		}
		base.sha = commit
		s.branches[p.baseRef] = base
		p.merged, p.mergedBy, p.mergeSHA = &now, who, commit
		s.setOpen(t, who, false)
		d = s.deliverPull("closed", t, who, nil)
		return nil
	})
	return d, err
}

func (s *Server) identity(who *account) identity {
	return identity{who.login, fmt.Sprintf("%d+%s@users.noreply.example.invalid", who.id, who.login), s.opts.Clock()}
}

// PushAs commits files on top of a branch, which it makes from the default
// branch when there is none, and pushes as that person. It returns the commit,
// the push payload, and that of each pull request it moved.
func (s *Server) PushAs(login, branch string, files map[string]string) (commit string, d []Delivery, err error) {
	s.gitMu.Lock()
	defer s.gitMu.Unlock()
	var who *account
	var before string
	err = s.act(login, func(a *account) error {
		who, before = a, s.branches[branch].sha
		parent := before
		if parent == "" {
			parent = s.branches[s.opts.DefaultBranch].sha
		}
		message := "Change " + strings.Join(slices.Sorted(maps.Keys(files)), ", ")
		if commit, err = s.commit(parent, message, s.identity(a), files); err != nil {
			return err
		}
		_, err = s.git(nil, nil, "update-ref", "refs/heads/"+branch, commit)
		return err
	})
	if err != nil {
		return "", nil, fmt.Errorf("push to %s: %w", branch, err)
	}
	s.mu.Lock()
	seen := len(s.deliveries)
	s.deliverPush(who, branch, before, commit)
	s.mu.Unlock()
	err = s.sync(who)
	return commit, s.Deliveries()[seen:], err
}

func (s *Server) onPull(login string, number int, f func(*account, *ticket) error) error {
	return s.onTicket(login, number, func(who *account, t *ticket) error {
		if t.pull == nil {
			return fmt.Errorf("find pull request %d: it is an issue", number)
		}
		return f(who, t)
	})
}

func (s *Server) onReview(login string, number int, id int64, f func(*account, *ticket, *review) error) error {
	return s.onPull(login, number, func(who *account, t *ticket) error {
		r, err := t.review(id)
		if err != nil {
			return err
		}
		return f(who, t, r)
	})
}
