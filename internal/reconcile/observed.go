// Package reconcile decides what Warden owes an issue next. It is a pure
// function of what was observed on the forge and in the ledger: it performs
// nothing, reads no clock and asks nobody. A webhook is only a reason to look;
// the answer never depends on which one came, or how often, or in what order.
package reconcile

import (
	"time"

	"github.com/tolboy/warden/forge"
	"github.com/tolboy/warden/internal/outcome"
)

// Observed is everything a plan is made from. The caller fills it completely
// before each call and never edits it in between. The order of slices carries
// no meaning, except that Runs, and the Decisions of a run, are oldest first.
type Observed struct {
	Now    time.Time
	Self   forge.User // the account that our own writes carry
	Repo   string     // "owner/name" of the repository; "" is not compared
	Config Config
	Limits Limits

	Issue  forge.Issue
	Events []forge.IssueEvent

	IssueComments []forge.Comment
	PullComments  []forge.Comment
	// Pull is the pull request of the issue's branch: the open one, else the
	// newest closed one, else nil.
	Pull    *forge.PullRequest
	Reviews []forge.Review
	// ReviewEdited says of a review's text whether it was edited. A review that
	// is not in it is one whose edits are unknown.
	ReviewEdited map[int64]bool

	// Permissions holds what each account may do now, by its id. An account that
	// is not in it is unknown, and nobody unknown decides anything.
	Permissions map[int64]forge.Permission

	Runs []Run

	// Consumed holds the keys of acts that were already dealt with, and Answered
	// the keys of answers that were already given (Action.Key of an Ask).
	Consumed []string
	Answered []string

	// Unread names what could not be read. Unless it is empty nothing is decided.
	Unread []string

	// Trigger is what woke us. It decides only what is said about being ignored.
	Trigger Trigger
}

// Config is the part of the project's rules that matters here, read from the
// base.
type Config struct {
	Label            string
	BranchPrefix     string
	DecidePermission forge.Permission
	// SelfAccept says whether the person who labelled, or who committed to the
	// candidate, may also accept it.
	SelfAccept bool
	// Approvals is how many people must approve. Less than one counts as one.
	Approvals int
}

// Limits bound what one issue can cause. Zero means the default, never none.
type Limits struct {
	RunsPerIssue    int           // default 20
	AnswersPerIssue int           // default 100; beyond it refusals are recorded only
	RunLifetime     time.Duration // default 24 h: when a run without any lease counts as dead
}

func (l Limits) runs() int {
	if l.RunsPerIssue > 0 {
		return l.RunsPerIssue
	}
	return 20
}

func (l Limits) answers() int {
	if l.AnswersPerIssue > 0 {
		return l.AnswersPerIssue
	}
	return 100
}

func (l Limits) lifetime() time.Duration {
	if l.RunLifetime > 0 {
		return l.RunLifetime
	}
	return 24 * time.Hour
}

// TriggerKind says what a delivery was about.
type TriggerKind string

// The kinds of trigger. TriggerTimer is a timer, or anything without a subject.
const (
	TriggerTimer   TriggerKind = ""
	TriggerLabel   TriggerKind = "label"
	TriggerComment TriggerKind = "comment"
	TriggerReview  TriggerKind = "review"
	TriggerOther   TriggerKind = "other"
)

// Trigger is what woke us. ID names the comment or the review; a label is named
// by Label, because a forge's delivery does not carry the id of its event.
type Trigger struct {
	Kind   TriggerKind
	ID     int64
	Label  string
	Sender forge.User
}

// RunState says whether a run goes on.
type RunState string

// A run is running until its sealed head is written.
const (
	Running RunState = "running"
	Sealed  RunState = "sealed"
)

// GateKind is the question that a sealed run puts to a person.
type GateKind string

// The kinds of question.
const (
	GateSuccess  GateKind = "success"
	GateFailure  GateKind = "failure"
	GateFailover GateKind = "failover"
)

// Options returns the answers to a question of this kind, in their fixed order.
// The order selects nothing: without a person's word none of them is taken.
func (k GateKind) Options() []Word {
	switch k {
	case GateSuccess:
		return []Word{Accept, Reject}
	case GateFailure:
		return []Word{Retry, Abort}
	case GateFailover:
		return []Word{Abort, Switch}
	}
	return nil
}

func (k GateKind) offers(w Word) bool {
	for _, o := range k.Options() {
		if o == w {
			return true
		}
	}
	return false
}

// Run is one run of the issue as its ledger ref tells it.
type Run struct {
	ID           string
	Trigger      string // Action.Key of the StartRun that made it
	LabelEventID int64
	Labeler      forge.User // who put on the label that authorised it
	Continues    string     // id of the run that it continues, or ""
	StartedAt    time.Time

	State      RunState
	Kind       GateKind // set when sealed
	OK         bool
	Reason     outcome.Code
	NextAction string
	SealedAt   time.Time
	ExpiresAt  time.Time // of the question: what permits must have been said before; zero is never

	Candidate  string // commit, full hexadecimal
	SealedHead string
	Branch     string
	// PublishedAt is taken before the branch is pushed, so that whoever saw the
	// candidate acted later. Zero means that nobody can have seen it.
	PublishedAt time.Time
	// Committers are people, other than ourselves, with commits in the candidate.
	Committers []forge.User
	// CommittersUnknown says that the candidate may hold commits of somebody who is
	// not among them.
	CommittersUnknown bool
	// Recheck says that the run judged what a person had pushed.
	Recheck bool

	Lease     Lease
	Decisions []Decision // oldest first, as in the chain
	Done      []string   // keys of actions and pieces that were done
	Refused   []Refusal  // keys that the forge refused for good
}

// Lease says who works on a run. Alive is what the forge says of that worker,
// nil when it does not say.
type Lease struct {
	Owner string
	Until time.Time
	Alive *bool
}

// Refusal is an action or a piece that the forge would not have.
type Refusal struct {
	Key    string
	Reason Reason
}
