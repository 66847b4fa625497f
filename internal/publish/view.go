// Package publish shows a run on the forge: the status comment of the issue, the
// pull request, the check that stands for the person's gate, and short answers. The
// texts are pure functions of a View. Everything that is not ours in them, and
// nothing else, passes internal/plain.
package publish

import (
	"time"

	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/usage"
)

// Phase is where the issue's newest run stands for people.
type Phase string

// The phases.
const (
	Running  Phase = "running"
	Waiting  Phase = "waiting"  // a candidate waits for a person
	Failed   Phase = "failed"   // a failure or failover question waits for a person
	Accepted Phase = "accepted" // and nothing is merged by us
	Rejected Phase = "rejected"
	Void     Phase = "void" // an accept no longer holds; a person is asked again
	Aborted  Phase = "aborted"
	Closed   Phase = "closed"
	Merged   Phase = "merged"
)

// View is everything that is shown of a run. Strings are untrusted unless their
// comment says that they are ours.
type View struct {
	Issue      int
	IssueTitle string
	Goal       string // as it stood when the label was put on
	Labeler    string // login
	SetupNote  string // what the operator should know; "" for nothing

	RunID      string // ours
	Phase      Phase
	Reason     string    // code; ours
	NextAction string    // ours
	Options    []string  // answers to the open question, in their order; ours
	ExpiresAt  time.Time // of the open question; zero is never

	Branch     string
	PullNumber int
	PullURL    string
	Base       string // commit; ours
	BaseRef    string
	Candidate  string   // commit; ours
	Parked     string   // commit of a run that came to no candidate; ours
	ParkedLeft []string // paths that could not be kept with it
	ParkedNot  string   // why nothing could be kept
	Head       string   // head of the pull request, where it is not the candidate; ours
	LedgerRef  string   // ours
	SealedHead string   // ours
	// DecisionHead is the hash of the last line in which a person decided, or ""; ours.
	DecisionHead string

	Verdicts  []Verdict
	Scenarios []Scenario // as a browser saw them last
	Uploads   *Uploads   // nil where the forge takes no pictures: they are shown by their links
	Stages    []Stage
	Vendors   []Vendor
	Total     usage.Total
	Duration  time.Duration
	Findings  []outcome.Finding // those still open
	Files     []string          // changed by the candidate
	Protected []string          // changed, and of a kind that a person should look at first
	Summary   string            // the implementer's own words
	Decisions []Decided

	Confinement  string // what was to confine the children; ours
	Unconfined   bool   // a vendor or a command ran, and nothing confined it
	LessConfined bool   // the same, and less confined it than a job requires
	NothingRan   bool   // it was refused for that, before anybody ran
	Independence string // of the review; ours
	Withheld     []string

	Rules            Rules
	DraftUnsupported bool // the pull request is no draft because the forge has none
	ReadyForbidden   bool // our token may not turn the draft ready
	Problems         []string
}

// Verdict is one row of the verdict table. Result is one of passed, failed,
// not_run, skipped, unknown.
type Verdict struct{ Name, Result, Detail string }

// Stage is one stage that ran.
type Stage struct {
	Name, Kind, Profile, Vendor, Model, Result string
	Attempts                                   int
	Duration                                   time.Duration
}

// Vendor is what one vendor's calls came to.
type Vendor struct {
	Name, Model string
	Usage       usage.Total
	Duration    time.Duration
}

// Decided is a decision that was recorded.
type Decided struct {
	Word, Actor, Source, Candidate, NoteSHA256, Cause string
	At                                                time.Time
}

// Rules say who may decide; they are printed wherever somebody is asked to.
type Rules struct {
	Permission string
	SelfAccept bool
	Approvals  int
}
