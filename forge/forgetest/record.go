package forgetest

import (
	"net/http"
	"slices"
)

// The kinds of Violation.
const (
	UnknownRoute  = "unknown route"
	BadCredential = "credential"
	ForbiddenAct  = "forbidden act" // merging, approving, closing, or arranging for it
	ForeignPush   = "foreign push"  // a push to a branch that the pusher did not create
	NotDescribed  = "not as described"
)

// Violation is something that Warden must never do to a forge, or that the real
// one would not have understood.
type Violation struct {
	Kind string
	Text string
}

// Request is one request as it came in. Git traffic has no Body.
type Request struct {
	Route  string // name of the route, "" for an unknown one
	Method string
	Path   string // with the query
	Auth   bool   // it carried a credential that the server knows
	Body   []byte
	Status int
}

// Delivery is one webhook payload. Its Payload can be written to an event file.
type Delivery struct {
	ID      string
	Event   string // the X-GitHub-Event header, or GITHUB_EVENT_NAME
	Payload []byte
}

// Violations returns what was recorded so far.
func (s *Server) Violations() []Violation {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.violations)
}

// TakeViolations returns what was recorded so far and forgets it, for a test
// that provoked it.
func (s *Server) TakeViolations() []Violation {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.violations
	s.violations = nil
	return v
}

// Requests returns every request so far, oldest first.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.log)
}

// Deliveries returns every webhook payload so far, oldest first, those that the
// bot itself caused among them.
func (s *Server) Deliveries() []Delivery {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.deliveries)
}

// maxLog bounds the request log; a test that makes more is not reading it.
const maxLog = 100_000

func (s *Server) keep(r Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.log) < maxLog {
		s.log = append(s.log, r)
	}
}

func (s *Server) violate(kind, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.breach(kind, text)
}

// breach is violate for a caller that holds the lock.
func (s *Server) breach(kind, text string) {
	s.violations = append(s.violations, Violation{Kind: kind, Text: text})
}

func describe(r *http.Request) string { return r.Method + " " + r.URL.RequestURI() }
