package engine

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/tolboy/warden/internal/budget"
	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/reuse"
	"github.com/tolboy/warden/internal/workflow"
)

// Engine performs runs. Boundary, Committer and Notice may be nil; without a
// Harness a task that requires a browser is refused. An Engine is for one run at a
// time.
type Engine struct {
	Journal   Journal
	Eyes      Eyes
	Roles     Roles
	Gates     Gates
	Harness   Harness
	Boundary  Boundary
	Committer Committer
	Notice    func(Notice)
	Now       func() time.Time
}

// Spec is one run.
type Spec struct {
	RunID     string
	Task      contract.Task
	Steps     []workflow.Step
	Reserved  ledger.RunReserved // what the first line says beyond the task itself
	Given     []ledger.File      // what the task was made from; named by the first line
	Limits    budget.Limits
	Prior     budget.Spent // spent by the runs that this one continues
	Chain     ledger.Chain // the same, as the ledger has it
	Prices    []budget.Price
	Since     time.Time // when the work began, preparations included; zero is now
	Earlier   *Earlier  // whose verdicts may stand in for calls; nil for none
	Rejection *Rejection
	Contract  Contract // of which readers may propose an edit
	Standing  bool     // what the run starts from may be all that is asked, so that a writer may leave it as it is
	Briefs    []Brief  // what was drawn up before the run
	Writers   []string // vendors that wrote what this run starts from
	Known     []string // fingerprints of the trees that they left
	DryRun    bool
}

// run is a run in progress.
type run struct {
	*Engine
	Spec
	began   time.Time
	end     ledger.Ending
	spent   budget.Spent
	stopped *budget.Stop // the limit that refused something, last
	state   workflow.State
	start   Tree // before anybody was paid
	tree    Tree
	failure failure
	pool    reuse.Pool               // of the run that is continued
	verdict map[string]verdict       // by stage: its last word
	seen    map[string]VisualOutcome // by browser stage: what it left last
	wrote   bool
	carry   []byte // the rejection, until the first writer has it
}

// failure is the last complaint.
type failure struct {
	code     outcome.Code
	blocking int
	text     string // for the writer
}

// verdict is what a judging stage last said, and of which tree.
type verdict struct {
	ok           bool
	tree         string
	findings     []outcome.Finding
	independence string
}

// Run drives the loop to its end and returns what sealed it. The error is
// non-nil only when the ledger could not be written, which ends a run on the
// spot; every other fault is a reason in the ending.
func (e *Engine) Run(ctx context.Context, spec Spec) (ledger.Ending, error) {
	r := &run{Engine: e, Spec: spec, spent: spec.Prior, began: e.Now(), verdict: map[string]verdict{}, seen: map[string]VisualOutcome{}}
	if r.Since.IsZero() {
		r.Since = r.began
	}
	if spec.Rejection != nil {
		r.carry = spec.Rejection.text()
	}
	reason, detail, err := r.loop(ctx)
	if err != nil {
		return r.end, err
	}
	return r.finish(ctx, reason, detail)
}

// loop returns the reason the run ended with. Its error is the journal's.
func (r *run) loop(ctx context.Context) (outcome.Code, string, error) {
	if code, detail, err := r.preflight(ctx); code != "" || err != nil {
		return code, detail, err
	}
	if r.DryRun {
		return r.preview(ctx)
	}
	state, action := workflow.Begin(workflow.State{Steps: r.Steps, MaxFix: r.rounds(), Registry: r.pool.Registry})
	for action.Kind != workflow.DoFinish {
		r.state = state
		event, err := r.perform(ctx, action)
		if err != nil {
			return "", "", err
		}
		state, action = workflow.Next(state, event)
	}
	r.state = state
	r.end.AttemptsUsed = state.Attempt
	if !action.OK {
		r.end.Stage = r.Steps[action.Stage].Name
	}
	return action.Reason, r.end.Detail, nil
}

// perform does what the state machine asked for, after the boundary has been
// crossed: published, and nobody said stop.
func (r *run) perform(ctx context.Context, a workflow.Action) (workflow.Event, error) {
	step := r.Steps[a.Stage]
	r.end.Detail, r.end.Resolution = "", ""
	if refusal := r.cross(ctx, step); refusal != nil {
		return r.deny(refusal), nil
	}
	if stop := r.Limits.PastDeadline(r.used()); stop != nil {
		return r.deny(refusal(stop)), nil
	}
	switch {
	case a.Kind == workflow.DoFix:
		return r.fix(ctx, a)
	case step.Run == workflow.RunGates:
		return r.gates(ctx, a, step)
	case step.Run == workflow.RunBrowser && r.Harness != nil:
		return r.browse(ctx, a, step)
	case step.Run == workflow.RunRole:
		return r.role(ctx, a, step)
	}
	return r.deny(&Refusal{Code: outcome.StageUnsupported, Detail: fmt.Sprintf("stage %q: %s is not built", step.Name, step.Run)}), nil
}

func (r *run) cross(ctx context.Context, step workflow.Step) *Refusal {
	if ctx.Err() != nil {
		return &Refusal{Code: outcome.Interrupted, Detail: "the run was cancelled"}
	}
	if r.Boundary == nil {
		return nil
	}
	return r.Boundary.Cross(ctx, step.Name, r.Task.Timeout)
}

func (r *run) deny(refusal *Refusal) workflow.Event {
	r.end.Detail, r.end.BudgetLimitHit = refusal.Detail, refusal.Limit
	return workflow.Event{Denied: true, Code: refusal.Code}
}

func (r *run) notice(n Notice) {
	if r.Notice != nil {
		place, total := 0, 0
		for i, s := range r.Steps {
			if s.Skip != "" {
				continue
			}
			total++
			if i < n.Index {
				place = total
			}
		}
		n.Index, n.Total = place, total
		r.Notice(n)
	}
}

func (r *run) append(kind string, data any, files ...ledger.File) error {
	_, err := r.Journal.Append(kind, r.Now(), data, files...)
	return err
}

func (r *run) evidence(name string, attempt int) string {
	return fmt.Sprintf("%s--%s-%d", r.RunID, name, attempt)
}

func (r *run) wroteBy(vendor string) {
	r.wrote = true
	if !slices.Contains(r.Writers, vendor) {
		r.Writers = append(slices.Clone(r.Writers), vendor)
	}
}
