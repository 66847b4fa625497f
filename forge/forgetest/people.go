package forgetest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tolboy/warden/forge"
)

// The methods in this file and in peoplepull.go are what people do in the web
// pages. Each returns the webhook payload that the forge would send, also kept
// in Deliveries, and an error only for what the pages would not let one do.

func lower(text string) string { return strings.ToLower(text) }

// act finds who acts and runs f under the lock.
func (s *Server) act(login string, f func(who *account) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	who, err := s.account(login)
	if err != nil {
		return err
	}
	return f(who)
}

// User returns the account as the forge shows it; the zero User when there is none.
func (s *Server) User(login string) forge.User {
	s.mu.Lock()
	defer s.mu.Unlock()
	a, err := s.account(login)
	if err != nil {
		return forge.User{}
	}
	return forge.User{ID: a.id, Login: a.login, Bot: a.bot}
}

// AddPerson makes an account.
func (s *Server) AddPerson(p Person) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.account(p.Login); err == nil {
		return fmt.Errorf("make account %q: the login is taken", p.Login)
	}
	if p.ID == 0 {
		p.ID = s.nextID()
	}
	s.accounts = append(s.accounts, &account{id: p.ID, login: p.Login, bot: p.Bot, role: p.Permission})
	return nil
}

// SetPermission changes what somebody may do here.
func (s *Server) SetPermission(login string, p forge.Permission) error {
	return s.act(login, func(who *account) error {
		who.role = p
		return nil
	})
}

// DeletePerson removes an account: what it wrote stays, with no author, and its
// login is free again.
func (s *Server) DeletePerson(login string) error {
	return s.act(login, func(who *account) error {
		who.gone, who.role = true, forge.None
		return nil
	})
}

// OpenIssue opens an issue with labels on it, as a template does: one payload
// for the opening and one for each label.
func (s *Server) OpenIssue(login, title, body string, labels ...string) (number int, d []Delivery, err error) {
	err = s.act(login, func(who *account) error {
		t := s.openTicket(who, title, body)
		number = t.number
		for _, l := range labels {
			t.labels = append(t.labels, l)
			t.record(s, happening{kind: "labeled", label: l, actor: who})
		}
		d = append(d, s.deliverIssue("opened", t, who, nil))
		for _, l := range labels {
			d = append(d, s.deliverIssue("labeled", t, who, object{"label": s.label(l)}))
		}
		return nil
	})
	return number, d, err
}

// EditIssue changes title and body of an issue or a pull request.
func (s *Server) EditIssue(login string, number int, title, body string) (d Delivery, err error) {
	err = s.onTicket(login, number, func(who *account, t *ticket) error {
		changes := s.rewrite(t, who, title, body)
		switch {
		case changes == nil:
			return fmt.Errorf("edit issue %d: nothing changes", number)
		case t.pull != nil:
			d = s.deliverPull("edited", t, who, object{"changes": changes})
		default:
			d = s.deliverIssue("edited", t, who, object{"changes": changes})
		}
		return nil
	})
	return d, err
}

// rewrite changes the texts and says what they were, nil when nothing changed.
func (s *Server) rewrite(t *ticket, who *account, title, body string) object {
	changes := object{}
	if title != t.title {
		changes["title"] = object{"from": t.title}
		t.record(s, happening{kind: "renamed", actor: who, from: t.title, to: title})
		t.title = title
	}
	if body != t.body {
		changes["body"] = object{"from": t.body}
		t.body, t.updated = body, s.opts.Clock()
		t.edited = pointer(t.updated)
	}
	if len(changes) == 0 {
		return nil
	}
	return changes
}

func (s *Server) onTicket(login string, number int, f func(*account, *ticket) error) error {
	return s.act(login, func(who *account) error {
		t, err := s.ticket(number)
		if err != nil {
			return err
		}
		return f(who, t)
	})
}

// AddLabel puts a label on an issue or a pull request.
func (s *Server) AddLabel(login string, number int, label string) (d Delivery, err error) {
	err = s.onTicket(login, number, func(who *account, t *ticket) error {
		if t.has(label) {
			return fmt.Errorf("label issue %d: %q is on it already", number, label)
		}
		t.labels = append(t.labels, label)
		d = s.relabelled("labeled", t, who, label)
		return nil
	})
	return d, err
}

// RemoveLabel takes a label off an issue or a pull request.
func (s *Server) RemoveLabel(login string, number int, label string) (d Delivery, err error) {
	err = s.onTicket(login, number, func(who *account, t *ticket) error {
		if !t.has(label) {
			return fmt.Errorf("unlabel issue %d: %q is not on it", number, label)
		}
		t.labels = slices.DeleteFunc(t.labels, func(l string) bool { return strings.EqualFold(l, label) })
		d = s.relabelled("unlabeled", t, who, label)
		return nil
	})
	return d, err
}

func (s *Server) relabelled(kind string, t *ticket, who *account, label string) Delivery {
	t.record(s, happening{kind: kind, label: label, actor: who})
	more := object{"label": s.label(label)}
	if t.pull != nil {
		return s.deliverPull(kind, t, who, more)
	}
	return s.deliverIssue(kind, t, who, more)
}

// CloseIssue closes an issue or a pull request.
func (s *Server) CloseIssue(login string, number int) (Delivery, error) {
	return s.turn(login, number, "closed", false)
}

// ReopenIssue opens a closed issue or pull request again.
func (s *Server) ReopenIssue(login string, number int) (Delivery, error) {
	return s.turn(login, number, "reopened", true)
}

func (s *Server) turn(login string, number int, action string, open bool) (d Delivery, err error) {
	err = s.onTicket(login, number, func(who *account, t *ticket) error {
		if t.open == open || t.pull != nil && t.pull.merged != nil {
			return fmt.Errorf("turn issue %d to %s: it is so already, or merged", number, action)
		}
		s.setOpen(t, who, open)
		if t.pull != nil {
			d = s.deliverPull(action, t, who, nil)
		} else {
			d = s.deliverIssue(action, t, who, nil)
		}
		return nil
	})
	return d, err
}

// Comment writes on an issue or in a pull request's conversation.
func (s *Server) Comment(login string, number int, body string) (id int64, d Delivery, err error) {
	err = s.onTicket(login, number, func(who *account, t *ticket) error {
		if s.tooLong(body) {
			return fmt.Errorf("comment on issue %d: longer than %d characters", number, s.opts.BodyLimit)
		}
		r := s.addRemark(who, t, body)
		id, d = r.id, s.deliverComment("created", r, who, nil)
		return nil
	})
	return id, d, err
}

func (s *Server) addRemark(who *account, t *ticket, body string) *remark {
	now := s.opts.Clock()
	r := &remark{id: s.nextID(), ticket: t, author: who, body: body, created: now, updated: now}
	s.remarks = append(s.remarks, r)
	t.updated = now
	return r
}

// EditComment changes a comment; whoever may write here may edit anybody's.
func (s *Server) EditComment(login string, id int64, body string) (d Delivery, err error) {
	err = s.act(login, func(who *account) error {
		r, err := s.remark(id)
		if err == nil {
			d = s.editRemark(r, who, body)
		}
		return err
	})
	return d, err
}

func (s *Server) editRemark(r *remark, who *account, body string) Delivery {
	from := r.body
	r.body, r.updated = body, s.opts.Clock()
	r.edited = pointer(r.updated)
	return s.deliverComment("edited", r, who, object{"changes": object{"body": object{"from": from}}})
}

// DeleteComment removes a comment.
func (s *Server) DeleteComment(login string, id int64) (d Delivery, err error) {
	err = s.act(login, func(who *account) error {
		r, err := s.remark(id)
		if err != nil {
			return err
		}
		s.remarks = slices.DeleteFunc(s.remarks, func(o *remark) bool { return o == r })
		d = s.deliverComment("deleted", r, who, nil)
		return nil
	})
	return d, err
}
