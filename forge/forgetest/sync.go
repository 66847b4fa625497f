package forgetest

import (
	"fmt"
	"slices"
)

// sync follows the branches after a push: heads of open pull requests move,
// their outdated notes lose their line, and a pull request whose branch is gone
// is closed. The caller holds gitMu and not mu.
func (s *Server) sync(who *account) error {
	heads, err := s.heads()
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, sha := range heads {
		b, known := s.branches[name]
		if !known {
			b.creator = who
		}
		b.sha = sha
		s.branches[name] = b
	}
	for name := range s.branches {
		if heads[name] == "" {
			delete(s.branches, name)
		}
	}
	for _, t := range s.tickets {
		if t.pull == nil || !t.open || t.pull.fork != nil {
			continue
		}
		sha := heads[t.pull.headRef]
		switch {
		case sha == t.pull.headSHA:
		case sha == "":
			s.setOpen(t, who, false)
			s.deliverPull("closed", t, who, nil)
		default:
			if err := s.moveHead(t, who, sha); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Server) moveHead(t *ticket, who *account, sha string) error {
	before := t.pull.headSHA
	t.pull.headSHA = sha
	t.updated = s.opts.Clock()
	if err := s.pullRef(t); err != nil {
		return err
	}
	for _, r := range t.pull.reviews {
		for _, n := range r.notes {
			if n.outdated {
				continue
			}
			same, err := s.sameBlob(n.commit, sha, n.path)
			if err != nil {
				return err
			}
			if same {
				n.commit = sha
			} else {
				n.outdated = true
			}
		}
	}
	s.deliverPull("synchronize", t, who, map[string]any{"before": before, "after": sha})
	return nil
}

// pullRef keeps refs/pull/<n>/head, from where a pull request can be fetched.
func (s *Server) pullRef(t *ticket) error {
	_, err := s.git(nil, nil, "update-ref", fmt.Sprintf("refs/pull/%d/head", t.number), t.pull.headSHA)
	return err
}

func (s *Server) sameBlob(a, b, path string) (bool, error) {
	out, err := s.diff("--name-only", a, b, "--", path)
	return out == "" && err == nil, err
}

// setOpen closes or reopens, and records who did it.
func (s *Server) setOpen(t *ticket, who *account, open bool) {
	if t.open == open {
		return
	}
	kind := "closed"
	if open {
		kind = "reopened"
	}
	t.open = open
	t.record(s, happening{kind: kind, actor: who})
	t.closed = nil
	if !open {
		t.closed = pointer(t.updated)
	}
}

// openPull starts a pull request. The caller holds mu and has checked the refs.
func (s *Server) openPull(who *account, title, body string, p *pull) (*ticket, error) {
	t := s.openTicket(who, title, body)
	t.pull = p
	if err := s.pullRef(t); err != nil {
		s.tickets = slices.DeleteFunc(s.tickets, func(o *ticket) bool { return o == t })
		return nil, err
	}
	s.deliverPull("opened", t, who, nil)
	return t, nil
}

func (s *Server) openTicket(who *account, title, body string) *ticket {
	s.lastNumber++
	now := s.opts.Clock()
	t := &ticket{
		id: s.nextID(), number: s.lastNumber, title: title, body: body, author: who,
		open: true, created: now, updated: now,
	}
	s.tickets = append(s.tickets, t)
	return t
}
