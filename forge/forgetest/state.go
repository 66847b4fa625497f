package forgetest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tolboy/warden/forge"
)

type account struct {
	id    int64
	login string
	bot   bool
	role  forge.Permission
	gone  bool
}

// happening is one entry of an issue's history.
type happening struct {
	id       int64
	kind     string
	label    string
	from, to string
	actor    *account
	at       time.Time
}

type remark struct {
	id               int64
	ticket           *ticket
	author           *account
	body             string
	created, updated time.Time
	edited           *time.Time
	viaApp           bool
}

// ticket is an issue; it is a pull request when pull is set. Both draw their
// numbers from one series.
type ticket struct {
	id               int64
	number           int
	title, body      string
	author           *account
	open             bool
	created, updated time.Time
	closed           *time.Time
	edited           *time.Time
	labels           []string
	history          []happening
	pull             *pull
}

type pull struct {
	draft            bool
	headRef, headSHA string
	baseRef, baseSHA string
	fork             *account // owner of the fork the head is in, nil: this repository
	forkGone         bool
	merged           *time.Time
	mergedBy         *account
	mergeSHA         string
	reviews          []*review
	asked            []*account
}

type review struct {
	id     int64
	author *account
	state  string // as REST writes it: APPROVED, CHANGES_REQUESTED, COMMENTED, DISMISSED
	body   string
	commit string
	at     time.Time
	edited *time.Time
	notes  []*note
}

type note struct {
	id               int64
	review           *review
	author           *account
	path             string
	line, start      int
	side             string
	file             bool
	hunk, body       string
	original, commit string
	outdated         bool
	at               time.Time
}

type checkRun struct {
	id                   int64
	name, sha, external  string
	status, conclusion   string
	title, summary, text string
	annotations          []map[string]any
	started              time.Time
	completed            *time.Time
}

type commitStatus struct {
	id                  int64
	sha, context, state string
	description, target string
	creator             *account
	at                  time.Time
}

func (s *Server) nextID() int64 {
	s.lastID++
	return s.lastID
}

// account finds a living account by login, as GitHub does without regard to case.
func (s *Server) account(login string) (*account, error) {
	for _, a := range s.accounts {
		if !a.gone && strings.EqualFold(a.login, login) {
			return a, nil
		}
	}
	return nil, fmt.Errorf("find account %q: there is none", login)
}

func (s *Server) ticket(number int) (*ticket, error) {
	for _, t := range s.tickets {
		if t.number == number {
			return t, nil
		}
	}
	return nil, fmt.Errorf("find issue %d: there is none", number)
}

func (s *Server) pullTicket(number int) (*ticket, error) {
	t, err := s.ticket(number)
	if err == nil && t.pull == nil {
		err = fmt.Errorf("find pull request %d: it is an issue", number)
	}
	return t, err
}

func (s *Server) remark(id int64) (*remark, error) {
	for _, r := range s.remarks {
		if r.id == id {
			return r, nil
		}
	}
	return nil, fmt.Errorf("find comment %d: there is none", id)
}

func (t *ticket) review(id int64) (*review, error) {
	for _, r := range t.pull.reviews {
		if r.id == id {
			return r, nil
		}
	}
	return nil, fmt.Errorf("find review %d of pull request %d: there is none", id, t.number)
}

func (t *ticket) has(label string) bool {
	return slices.ContainsFunc(t.labels, func(l string) bool { return strings.EqualFold(l, label) })
}

func (t *ticket) record(s *Server, h happening) {
	h.id, h.at = s.nextID(), s.opts.Clock()
	t.history = append(t.history, h)
	t.updated = h.at
}

func pointer[T any](v T) *T { return &v }
