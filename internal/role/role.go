// Package role makes one dispatch of one role: it picks the profile, renders the
// prompt, pays for the call, makes it, and holds what came back against the tree
// and the schema. What happens next is not its business.
package role

import (
	"context"
	"encoding/json"
	"time"

	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/git"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/policy"
	"github.com/tolboy/warden/internal/usage"
	"github.com/tolboy/warden/internal/vendor"
)

// Caller makes vendor calls; *vendor.Runner is the real one.
type Caller interface {
	Available(p policy.Profile, env []string) error
	Preview(c vendor.Call) ([]string, error)
	Call(ctx context.Context, c vendor.Call) (vendor.Result, error)
}

// Judge looks at the tree; *git.Judge is the real one.
type Judge interface {
	Snapshot(ctx context.Context) (git.Snapshot, error)
	Diff(ctx context.Context, maxBytes int) (diff string, truncated bool, err error)
}

// Evidence keeps files, once each; *ledger.Run is the real one.
type Evidence interface {
	WriteFile(rel string, data []byte) (ledger.File, error)
	// ReadFile returns a file, or ledger.ErrAltered where it is not what f names.
	ReadFile(f ledger.File) ([]byte, error)
	// Redact returns data as the evidence holds it, and how many secrets it took out.
	Redact(data []byte) ([]byte, int)
}

// Dispatcher dispatches the roles of one run, one at a time.
type Dispatcher struct {
	Home     policy.Home
	Judge    Judge
	Evidence Evidence
	RunsDir  string // absolute; where Evidence keeps its files
	Vendor   Caller
	Env      []string // the parent's environment, from which each child's is made
	Confine  Confinement
	// Unfit are profiles, by name, that no dispatch takes, and why: their fault was
	// found before the run, and it was not their turn.
	Unfit map[string]string
	// Wait pauses before a rate-limited call is made again. Nil waits on a timer.
	Wait func(context.Context, time.Duration) error

	// spent holds, by the keys of roster.Request.Exclude, whose plan this process
	// has seen used up. It is never stored: a plan renews.
	spent map[string]*vendor.Quota
}

// Request asks for one role.
type Request struct {
	RunID       string
	EvidenceDir string // "<run>--implementer-0", relative to the runs directory
	StageName   string
	Role        string
	Attempt     int
	Task        contract.Task
	ProjectName string
	Project     contract.Project // whose sets of checks and scopes a plan may name
	Root        string           // the worktree; absolute
	Base        string           // commit that the diff is taken from
	// Changed are the paths that differ from the base; nil takes them from Before.
	Changed []string
	// Before is the tree as it is now, for a caller that has just looked; nil looks.
	Before *git.Snapshot
	// Context is what happened before, such as a person's rejection. It reaches the
	// vendor byte for byte.
	Context     []byte
	ContextPath string
	Look        *Look         // the pictures that the role judges; nil for a role that judges none
	Writers     []string      // vendors that wrote the candidate
	Authors     []string      // the profiles by which they wrote
	PeerAllowed bool          // the task lets a peer of the writer's vendor read
	Unexplained bool          // it also holds what nobody known wrote
	Limit       time.Duration // wall clock of the whole dispatch; 0 leaves it to the profile
	// Reserve is asked before every vendor call. An error refuses the call; one of
	// type *Refused says under which code.
	Reserve func(policy.Profile) error
	// Settle is told what each call reported, after it ended.
	Settle   func(policy.Profile, usage.Call)
	Exclude  map[string]bool // profiles not to be chosen, for a spent plan seen elsewhere
	Switch   *Switch         // a substitution that a person allowed
	Carried  []ledger.Switch // those that people allowed in the runs that this one continues
	Rotation int
	Pinned   string // the only profile that may be chosen; empty for none
	DryRun   bool
	// OnDispatch is called right before each vendor call, after it was paid for.
	// An error ends the dispatch without the call.
	OnDispatch func(Dispatch) error
}

// Dispatch is a vendor call that is about to be made.
type Dispatch struct {
	Profile       policy.Profile
	VendorAttempt int // from 1, within the dispatch
	PromptSHA256  string
	Limit         time.Duration
	Failover      *ledger.RoleFailover // how this profile came to be asked, if not at first
}

// Switch is a person's leave for exactly one role to take exactly one profile.
type Switch struct{ Role, Profile string }

// Refused is the error by which Reserve names the code of its refusal.
type Refused struct {
	Code   outcome.Code
	Detail string
}

func (r *Refused) Error() string { return r.Detail }

// Pending is a substitution that a person has to allow first.
type Pending = ledger.Failover

// Attempt is one vendor call of a dispatch.
type Attempt = ledger.VendorCall

// Result is what a dispatch came to. OK means an accepted artifact, whatever its
// verdict. Files are all the evidence that was written, the report among them.
type Result struct {
	OK        bool
	Code      outcome.Code
	Detail    string
	Profile   string
	Vendor    string
	Model     string // as the vendor reported it, else as the profile declares
	Attempts  []Attempt
	Verdict   string
	Summary   string
	Findings  []outcome.Finding
	Artifact  json.RawMessage
	Before    git.Snapshot
	After     git.Snapshot
	Failover  *Pending
	Switched  []ledger.RoleFailover // substitutions that were made, and on whose word
	Exhausted []string              // profiles whose plan turned out to be used up
	Usage     usage.Total
	Duration  time.Duration
	// Record is the report as the ledger keeps it. The caller adds which stage it
	// was for.
	Record     ledger.RoleRun
	ReportFile ledger.File
	Files      []ledger.File
}
