package forgetest

import (
	"github.com/tolboy/warden/forge"
)

// Fault is a way in which a forge can be unhelpful, in words that fit any forge.
type Fault string

// The faults that Exercise arranges.
const (
	NoFault           Fault = ""
	NoDrafts          Fault = "no drafts"              // opening a draft is refused
	DraftsFixed       Fault = "draft toggle forbidden" // SetDraft is refused
	NoPulls           Fault = "pull requests forbidden"
	NoCheckRuns       Fault = "check runs forbidden"
	RateLimited       Fault = "rate limited"          // the next request
	RateLimitedByCode Fault = "rate limited with 429" // the same with the other status
	SecondaryLimited  Fault = "secondary rate limit"
	FlakyReads        Fault = "flaky reads" // the next two reads fail in passing
)

// World is the other side of a forge under test: the people, and what goes wrong.
type World struct {
	People People
	// Arrange puts a fault in force and takes back the one before. It reports
	// whether this forge has such a fault.
	Arrange func(Fault) bool
	// Stranger is a client of the same forge with a credential that it refuses.
	Stranger forge.Forge
	// Canary is the credential: no error and no text may contain it.
	Canary string
	// TakeViolations returns and forgets what was recorded.
	TakeViolations func() []Violation
}

// People is what people do on a forge, away from the interface under test. The
// logins are the constants of the default cast.
type People interface {
	User(login string) forge.User
	AddPerson(p Person) error
	DeletePerson(login string) error
	SetPermission(login string, p forge.Permission) error
	OpenIssue(login, title, body string, labels ...string) (int, error)
	EditIssue(login string, number int, title, body string) error
	AddLabel(login string, number int, label string) error
	RemoveLabel(login string, number int, label string) error
	CloseIssue(login string, number int) error
	ReopenIssue(login string, number int) error
	Comment(login string, number int, body string) (int64, error)
	EditComment(login string, id int64, body string) error
	DeleteComment(login string, id int64) error
	// Push commits on top of a branch, made from the default branch when new.
	Push(login, branch string, files map[string]string) (commit string, err error)
	Review(login string, number int, state forge.ReviewState, body string, notes ...InlineComment) (int64, error)
	EditReview(login string, number int, id int64, body string) error
	DismissReview(login string, number int, id int64) error
	ClosePR(login string, number int) error
	MergePR(login string, number int) error
}

// World returns this server as Exercise needs it, all but the Stranger.
func (s *Server) World() *World {
	return &World{
		People: people{s}, Arrange: s.arrange, TakeViolations: s.TakeViolations, Canary: s.opts.Tokens[0].Value,
	}
}

func (s *Server) arrange(f Fault) bool {
	faults, known := map[Fault]Faults{
		NoFault: {}, NoDrafts: {DraftsUnsupported: true}, DraftsFixed: {ReadyForbidden: true}, NoPulls: {PullsForbidden: true},
		NoCheckRuns: {ChecksForbidden: true}, RateLimited: {RateLimits: 1}, RateLimitedByCode: {RateLimits: 1, RateLimitStatus: 429},
		SecondaryLimited: {RateLimits: 1, Secondary: true}, FlakyReads: {FailGets: 2},
	}[f]
	s.SetFaults(faults)
	return known
}

// people lets go of the payloads.
type people struct{ *Server }

func (p people) OpenIssue(login, title, body string, labels ...string) (int, error) {
	n, _, err := p.Server.OpenIssue(login, title, body, labels...)
	return n, err
}

func (p people) EditIssue(login string, number int, title, body string) error {
	_, err := p.Server.EditIssue(login, number, title, body)
	return err
}

func (p people) AddLabel(login string, number int, label string) error {
	_, err := p.Server.AddLabel(login, number, label)
	return err
}

func (p people) RemoveLabel(login string, number int, label string) error {
	_, err := p.Server.RemoveLabel(login, number, label)
	return err
}

func (p people) CloseIssue(login string, number int) error {
	_, err := p.Server.CloseIssue(login, number)
	return err
}

func (p people) ReopenIssue(login string, number int) error {
	_, err := p.Server.ReopenIssue(login, number)
	return err
}

func (p people) Comment(login string, number int, body string) (int64, error) {
	id, _, err := p.Server.Comment(login, number, body)
	return id, err
}

func (p people) EditComment(login string, id int64, body string) error {
	_, err := p.Server.EditComment(login, id, body)
	return err
}

func (p people) DeleteComment(login string, id int64) error {
	_, err := p.Server.DeleteComment(login, id)
	return err
}

func (p people) Push(login, branch string, files map[string]string) (string, error) {
	commit, _, err := p.PushAs(login, branch, files)
	return commit, err
}

func (p people) Review(login string, number int, state forge.ReviewState, body string, notes ...InlineComment) (int64, error) {
	id, _, err := p.SubmitReview(login, number, state, body, notes...)
	return id, err
}

func (p people) EditReview(login string, number int, id int64, body string) error {
	_, err := p.Server.EditReview(login, number, id, body)
	return err
}

func (p people) DismissReview(login string, number int, id int64) error {
	_, err := p.Server.DismissReview(login, number, id)
	return err
}

func (p people) ClosePR(login string, number int) error {
	_, err := p.Server.ClosePR(login, number)
	return err
}

func (p people) MergePR(login string, number int) error {
	_, err := p.Server.MergePR(login, number)
	return err
}
