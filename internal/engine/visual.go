package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/workflow"
)

// VisualOutcome is what a browser saw of the candidate's page.
type VisualOutcome struct {
	ledger.VisualRun
	Failure  string // the text for the writer who has to repair it
	After    Tree
	Files    []ledger.File
	Duration time.Duration
}

// Harness opens the page of the candidate in a browser. What the page fails to
// show is an outcome with the code visual_qa_failed; where nothing could be seen,
// the code says why. Limit is the time that the run has left; 0 is none.
type Harness interface {
	// Ready says what would keep the page from being seen, as far as it shows before
	// anybody is paid: an outcome that is not OK, with its evidence.
	Ready(ctx context.Context, evidence string) (VisualOutcome, error)
	Run(ctx context.Context, evidence string, limit time.Duration) (VisualOutcome, error)
}

// sighted refuses a run whose page no browser could see, before anybody is paid. It
// returns an empty code when one could, or when none has to.
func (r *run) sighted(ctx context.Context) (outcome.Code, string, error) {
	for _, step := range r.Steps {
		if step.Run != workflow.RunBrowser || step.Skip != "" {
			continue
		}
		out, err := r.Harness.Ready(ctx, r.evidence(r.visualName(step), 0))
		if err != nil {
			out.OK, out.Code, out.Message = false, outcome.VisualUnavailable, err.Error()
		}
		if out.OK {
			return "", "", nil // every stage looks at the same page
		}
		if ctx.Err() != nil {
			out.Code = outcome.Interrupted
		}
		out.Stage, out.Label, out.Candidate, out.DurationMillis = step.Name, string(workflow.RunBrowser), r.tree.Source, out.Duration.Milliseconds()
		r.end.Stage = step.Name
		return out.Code, out.Message, r.append(ledger.TypeVisualRun, out.VisualRun, out.Files...)
	}
	return "", "", nil
}

// browse runs a browser stage in its turn, or again after a repair.
func (r *run) browse(ctx context.Context, a workflow.Action, step workflow.Step) (workflow.Event, error) {
	evidence := r.evidence(r.visualName(step), r.state.Attempt)
	r.notice(Notice{Kind: NoticeStage, Index: a.Stage + 1, Stage: step.Name, Text: fmt.Sprintf("browser: %d scenario(s)", len(r.Task.Visual.Scenarios))})
	if err := r.begin(a, step, string(workflow.RunBrowser), evidence, false); err != nil {
		return workflow.Event{}, err
	}
	out, err := r.Harness.Run(ctx, evidence, r.left())
	if err != nil {
		out.OK, out.Code, out.Message = false, outcome.VisualUnavailable, err.Error()
	}
	if ctx.Err() != nil && !out.OK {
		out.Code = outcome.Interrupted
	}
	if out.After.Source != "" {
		r.tree = out.After
	}
	out.Stage, out.Label, out.Attempt, out.Recheck = step.Name, string(workflow.RunBrowser), r.state.Attempt, a.Recheck
	out.Candidate, out.DurationMillis = r.tree.Source, out.Duration.Milliseconds()
	if err := r.append(ledger.TypeVisualRun, out.VisualRun, out.Files...); err != nil {
		return workflow.Event{}, err
	}
	r.notice(Notice{Kind: NoticeResult, Stage: step.Name, OK: out.OK, Code: out.Code, Text: out.Message, Duration: out.Duration})
	r.failure, r.seen[step.Name] = failure{code: out.Code, text: out.Failure}, out
	if !out.OK {
		r.end.Detail = out.Message
	}
	r.verdict[step.Name] = verdict{ok: out.OK, tree: r.tree.Source}
	if len(out.After.Contract) > 0 {
		r.end.ContractFiles = out.After.Contract
		return workflow.Event{Code: outcome.ContractMutated}, nil
	}
	if !out.OK && r.overdue(out.Code) {
		return r.deny(refusal(r.stopped)), nil
	}
	return workflow.Event{OK: out.OK, Code: out.Code, Tree: r.tree.Source}, nil
}

// visualName is what a browser stage's evidence is filed under: a word of its own,
// or the stage where there are several.
func (r *run) visualName(step workflow.Step) string {
	n := 0
	for _, s := range r.Steps {
		if s.Run == workflow.RunBrowser {
			n++
		}
	}
	if n > 1 {
		return slug(step.Name)
	}
	return "visual-qa"
}
