// Package bot performs what reconcile plans: it reads the state of an issue from
// the forge and its ledgers, asks for the one thing that is owed, does that,
// writes it down, and asks again. It knows forges only by their vocabulary.
package bot

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/tolboy/warden/forge"
	"github.com/tolboy/warden/internal/archive"
	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/reconcile"
	"github.com/tolboy/warden/internal/redact"
)

// Bot works on the issues of one repository, one at a time.
type Bot struct {
	Forge    forge.Forge
	Repo     forge.Repo
	Kind     string // "github"
	Archive  Archive
	Workshop Workshop
	RunsDir  string
	Redact   *redact.Set
	Owner    ledger.Owner
	// Alive says whether the process that owns a run still works on it; nil when
	// that cannot be told from here.
	Alive func(ledger.Owner) *bool
	Now   func() time.Time
	Tell  func(Told) // narration; may be nil
	// Picture is the address at which the forge shows a picture of a run's published
	// ledger, "" where it shows none. Nil publishes no picture.
	Picture func(runID, path string) string
	// Cut is called when ctx ended in the middle of a reconciliation, with what the
	// ledgers here say and before they are published: whoever ended it may soon end
	// the process too. It may be nil.
	Cut     func(Result)
	Version string
	Limits  reconcile.Limits

	self    forge.User
	unsaved map[string][]string // by run: commits to keep reachable
	ahead   string              // key of the intent that the last publication took to the forge for the next action
}

// Archive keeps the ledgers on the forge.
type Archive interface {
	Sync(ctx context.Context, prefix string) (runIDs []string, err error)
	Save(ctx context.Context, runID string, reach ...string) error
	// SaveTogether publishes all of them, and moves the branch, or does nothing of it
	// and says archive.ErrApart.
	SaveTogether(ctx context.Context, entries []archive.Entry, branch *archive.Branch) error
}

// Base is the contract at one commit.
type Base struct {
	Ref      string
	Commit   string
	Project  contract.Project
	Contract contract.Snapshot
	Problem  string // why there is no contract to work by, for a person; "" when there is one
}

// Workshop is where runs are made and branches pushed.
type Workshop interface {
	// Base reads the contract at a commit, or at the default branch for "".
	Base(ctx context.Context, commit string) (Base, error)
	// PolicySHA256 identifies who runs.
	PolicySHA256() string
	Confinement() string
	// Run performs a run until its ledger is sealed.
	Run(ctx context.Context, o Order) error
	// Keep puts a run's candidate where its ledger can reach it, if it is not there.
	Keep(ctx context.Context, runID, commit string) error
	// Push moves the branch from expect ("" is absent) to commit. ErrLease when
	// it is elsewhere, *PushRefused when the forge will not have it.
	Push(ctx context.Context, runID, branch, commit, expect string) error
	// Head is the branch's commit on the forge, "" when there is none.
	Head(ctx context.Context, branch string) (string, error)
}

// ErrLease is returned by a Workshop whose push found the branch elsewhere.
var ErrLease = errors.New("the branch is not where it was")

// PushRefused is a push that the forge refuses for good.
type PushRefused struct{ Text string }

func (e *PushRefused) Error() string { return e.Text }

// StoppedError is a run that ended before its loop began, under its own code.
type StoppedError struct {
	Code outcome.Code
	Text string
}

func (e *StoppedError) Error() string { return e.Text }

// Order is a run to be performed.
type Order struct {
	Ledger    *ledger.Run
	Task      contract.Task
	Base      Base
	Start     string          // commit that the candidate is made on
	Work      string          // commit with the work of the run before, in which the worktree begins; "" is Start
	WorkOf    string          // the run that left it
	Recheck   bool            // nobody writes: Start itself is judged, and is the candidate if it passes
	Earlier   *ledger.History // whose verdicts may be carried; nil for none
	Branch    string
	Issue     int
	Number    int // of the run among the issue's runs
	Rejection *reconcile.Decision
	Rejected  string // the run whose candidate was rejected
	Switch    *ledger.Switch
	Reserved  ledger.RunReserved
	Given     []ledger.File // the issue's text, as it stood
	Prior     ledger.Chain
	Writers   []string
	Authors   []string // the profiles by which they wrote
	Known     []string // fingerprints of the trees that they left
	// Claimed waits until the run is claimed on the forge; an error says that it is
	// not ours. Nothing but the worktree may be made before.
	Claimed func() error
	// Cross is called between stages. A non-empty code stops the run there.
	Cross func(ctx context.Context, next string, limit time.Duration) (code outcome.Code, detail string)
	// Charged is called when a vendor call was counted, before it is made.
	Charged func(ctx context.Context) error
}

// Told is one thing that was done, for narration and the caller's result.
type Told struct {
	Kind   reconcile.Kind   `json:"kind"`
	Reason reconcile.Reason `json:"reason"`
	RunID  string           `json:"run_id,omitempty"`
	Key    string           `json:"key,omitempty"`
	Text   string           `json:"text,omitempty"`
}

// Result is what reconciling one issue came to.
type Result struct {
	Issue    int
	Told     []Told
	Observed reconcile.Observed // as it was last read; after an error its runs are as the ledgers here have them
}

// maxSteps bounds one reconciliation. A plan converges in far fewer.
const maxSteps = 40

// Reconcile does what is owed to an issue until nothing is. The error means that
// something could not be told or written; what was done before it stands, and
// the next call goes on from there.
func (b *Bot) Reconcile(ctx context.Context, issue int, trigger reconcile.Trigger) (Result, error) {
	res := Result{Issue: issue}
	err := b.settle(ctx, issue, trigger, &res)
	if err != nil {
		b.recall(ctx, &res)
		if ctx.Err() != nil && b.Cut != nil {
			b.Cut(res)
		}
	}
	return res, errors.Join(err, b.flush(ctx))
}

// settle does one thing after the other. The ledgers are fetched once: after
// that we are the ones who write them, and who does not win a write stops.
func (b *Bot) settle(ctx context.Context, issue int, trigger reconcile.Trigger, res *Result) error {
	b.ahead = "" // the ledgers are read anew
	for step := range maxSteps {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("reconcile issue %d: cut off: %w", issue, err)
		}
		o, err := b.observe(ctx, issue, step == 0)
		if err != nil {
			return fmt.Errorf("reconcile issue %d: %w", issue, err)
		}
		o.Trigger = trigger
		res.Observed = o
		a := reconcile.Plan(o)
		told := Told{Kind: a.Kind, Reason: a.Reason, RunID: a.RunID, Key: a.Key}
		if len(o.Unread) > 0 {
			told.Text = "could not be read: " + strings.Join(o.Unread, ", ")
		}
		done, err := b.perform(ctx, o, a, &told)
		res.Told = append(res.Told, told)
		if b.Tell != nil {
			b.Tell(told)
		}
		if err != nil {
			return fmt.Errorf("reconcile issue %d: %s: %w", issue, a.Kind, err)
		}
		if done {
			return nil
		}
	}
	return fmt.Errorf("reconcile issue %d: not settled after %d steps", issue, maxSteps)
}

// perform does one action. It reports whether the round is over.
func (b *Bot) perform(ctx context.Context, o reconcile.Observed, a reconcile.Action, told *Told) (bool, error) {
	var err error
	switch a.Kind {
	case reconcile.StartRun:
		err = b.start(ctx, o, a, told)
	case reconcile.ContinueRun:
		err = b.takeOver(a)
	case reconcile.RecordDecision:
		err = b.decide(a)
	case reconcile.Publish:
		err = b.publish(ctx, o, a)
	case reconcile.MarkReady:
		err = b.setDraft(ctx, o, a, false)
	case reconcile.MarkDraft:
		err = b.setDraft(ctx, o, a, true)
	case reconcile.Ask:
		err = b.answer(ctx, o, a)
	default: // Stop is the worker's own to see; Ignore and Nothing end the round.
		return true, nil
	}
	if errors.Is(err, archive.ErrTaken) {
		told.Text = "somebody else wrote first; their write is read next time"
		return true, nil
	}
	return false, err
}

func prefix(issue int) string { return "issue-" + strconv.Itoa(issue) + "-" }

// logID is the ledger of the issue itself: what was answered before, between and
// beside its runs.
func logID(issue int) string { return prefix(issue) + "log" }
