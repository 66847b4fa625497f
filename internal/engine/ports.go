// Package engine drives the loop to a human: it performs what workflow.Next says
// and writes down each step before the next begins. It starts no process, opens
// no connection and knows no forge; what it needs of the world comes through the
// interfaces in this file.
package engine

import (
	"context"
	"encoding/json"
	"time"

	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/usage"
	"github.com/tolboy/warden/internal/workflow"
)

// Tree is what the judge saw of the files at one moment.
type Tree struct {
	Source   string   // fingerprint of everything outside .warden
	Changed  []string // source paths that differ from the base
	Outside  []string // of those, the ones no scope covers
	Refused  []string // what can never be part of a candidate, with the reason
	BySetup  []string // of those two, what the setup commands changed
	Contract []string // .warden paths that differ from the pinned contract
}

// Eyes looks at the tree.
type Eyes interface {
	Look(ctx context.Context) (Tree, error)
}

// RoleCall asks for one role to be dispatched.
type RoleCall struct {
	Evidence string // directory name of the evidence, "<run>--<name>-<attempt>"
	Step     workflow.Step
	Role     string
	Attempt  int
	Fix      bool          // a repair, not the stage itself
	Given    []ledger.File // that hold the context, where no other event names them
	Context  []byte        // handed to the role as what happened before; nil for nothing
	Look     *Look         // the pictures of a role that judges some; nil for every other
	Writers  []string      // vendors that wrote the candidate so far
	// Unexplained says that the candidate also holds what was there before anybody
	// was asked, by whom is not known.
	Unexplained bool
	Before      Tree
	DryRun      bool
	Limit       time.Duration // for the whole dispatch; 0 leaves it to the profile
	// Charge is asked before every vendor call and counts it; the call is made
	// only on nil.
	Charge func(ledger.VendorCallStarted) *Refusal
	// Settle is told what each call reported, after it ended.
	Settle func(usage.Call)
	Notice func(Notice)
}

// RoleOutcome is what came of it. The record says whether it passed.
type RoleOutcome struct {
	ledger.RoleRun
	Answer   json.RawMessage // that was accepted
	After    Tree
	Switched []ledger.RoleFailover
	Files    []ledger.File
	Duration time.Duration
}

// Refusal says why something was not begun.
type Refusal struct {
	Code   outcome.Code
	Detail string
	Limit  string
	// Rejected are the profiles that may not take a role, each with its reason.
	Rejected []ledger.Rejection
}

// Roles dispatches roles.
type Roles interface {
	// Preflight says whether every stage has somebody to run it, before anyone
	// is paid. Nil means yes.
	Preflight(ctx context.Context, steps []workflow.Step) *Refusal
	Dispatch(ctx context.Context, call RoleCall) (RoleOutcome, error)
}

// GateOutcome is what the machine gates came to.
type GateOutcome struct {
	ledger.GateRun
	Failure  string // the text for the writer who has to repair it
	After    Tree
	Files    []ledger.File
	Duration time.Duration
}

// Checks is which commands of the task are run, and what is wanted of them.
type Checks string

// The kinds of checks.
const (
	ChecksDecide    Checks = "gates"        // what decides at the end
	ChecksBaseline  Checks = "baseline"     // what must be green before anyone writes
	ChecksReproduce Checks = "reproduction" // what must be red before anyone writes
)

// Gates runs check commands. Limit is the time that is left for them beside the
// task's own timeout; 0 is none.
type Gates interface {
	Run(ctx context.Context, evidence string, checks Checks, limit time.Duration) (GateOutcome, error)
}

// Journal appends to the run's ledger. An append that returns is on disk.
type Journal interface {
	Append(kind string, at time.Time, data any, files ...ledger.File) (ledger.Line, error)
	WriteFile(path string, data []byte) (ledger.File, error)
}

// Boundary is called between stages, where nothing is in flight. On a forge it
// publishes the ledger and asks whether a person said stop.
type Boundary interface {
	Cross(ctx context.Context, next string, limit time.Duration) *Refusal
	// Charged is called when a vendor call was counted, before it is made.
	Charged(ctx context.Context) *Refusal
}

// Committer makes the candidate a commit. On a laptop there is none: the
// candidate is the worktree, known by its fingerprint.
type Committer interface {
	Commit(ctx context.Context, e ledger.Ending, writers []string) (ledger.Candidate, error)
	// Park keeps the work of a run that ended without a candidate, or nothing
	// where nothing was changed.
	Park(ctx context.Context, e ledger.Ending) (*ledger.Parked, error)
}

// Notice is one line of narration. It is never evidence.
type Notice struct {
	Kind     NoticeKind
	Index    int // of the stage, from 1
	Total    int
	Stage    string
	Text     string
	Profile  string
	Vendor   string
	Model    string
	OK       bool
	Code     outcome.Code
	Verdict  string
	Usage    usage.Total
	Paid     bool // the stage made vendor calls
	Blocking int
	Duration time.Duration
	Limit    time.Duration
	Attempt  int
	Max      int
}

// NoticeKind says what a notice is about.
type NoticeKind string

// The kinds of notice.
const (
	NoticeStage    NoticeKind = "stage"
	NoticeDispatch NoticeKind = "dispatch"
	NoticeResult   NoticeKind = "result"
	NoticeFix      NoticeKind = "fix"
	NoticeNote     NoticeKind = "note"
	NoticeReused   NoticeKind = "reused" // Text is the run that the verdict is of
)
