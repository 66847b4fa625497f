package engine

import (
	"context"
	"fmt"

	"github.com/tolboy/warden/internal/budget"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/usage"
	"github.com/tolboy/warden/internal/workflow"
)

// dispatch makes one role call, counts every vendor call before it is made, and
// writes down what came of it.
func (r *run) dispatch(ctx context.Context, a workflow.Action, call RoleCall) (RoleOutcome, error) {
	if err := r.begin(a, call.Step, call.Role, call.Evidence, call.Fix, call.Given...); err != nil {
		return RoleOutcome{}, err
	}
	var journal error
	var charged []string
	call.Writers, call.Before, call.Notice, call.Context = r.Writers, r.tree, r.notice, r.briefed(call)
	call.Unexplained = r.end.Unexplained
	var promised usage.Amount // of the call in progress
	call.Limit = r.left()
	call.Charge = func(started ledger.VendorCallStarted) *Refusal {
		if refused := r.allow(budget.AtMost(started.MaxCostUSD)); refused != nil {
			return refused
		}
		r.spent.Calls++
		r.end.RoleRuns++
		started.CallID, started.RoleRuns = fmt.Sprintf("%s#%d", r.RunID, r.end.RoleRuns), r.end.RoleRuns
		started.Stage, started.Role, started.Attempt = call.Step.Name, call.Role, call.Attempt
		if journal = r.append(ledger.TypeVendorCallStarted, started); journal != nil {
			return &Refusal{Code: outcome.LedgerAltered, Detail: journal.Error()}
		}
		charged, promised = append(charged, started.CallID), budget.AtMost(started.MaxCostUSD)
		if r.Boundary != nil {
			return r.Boundary.Charged(ctx)
		}
		return nil
	}
	call.Settle = func(c usage.Call) {
		r.spent = r.spent.Settle(c, promised)
		r.end.Usage = r.end.Usage.Add(c)
	}
	out, err := r.Roles.Dispatch(ctx, call)
	if journal != nil {
		return out, journal
	}
	if err != nil {
		out.OK, out.Code, out.Detail = false, outcome.UnexpectedError, err.Error()
	}
	if ctx.Err() != nil && !out.OK {
		out.Code = outcome.Interrupted
	}
	if !out.OK && r.overdue(out.Code) {
		out.Code, out.Detail = outcome.BudgetExhausted, r.stopped.Text+"; the call in progress was cut"
	}
	for i := range min(len(out.Calls), len(charged)) {
		out.Calls[i].CallID = charged[i]
	}
	r.settle(call, &out)
	for _, f := range out.Switched {
		if err := r.append(ledger.TypeRoleFailover, f); err != nil {
			return out, err
		}
	}
	return out, r.append(ledger.TypeRoleRun, out.RoleRun, out.Files...)
}

// settle completes the record with what only the run knows.
func (r *run) settle(call RoleCall, out *RoleOutcome) {
	out.Stage = call.Step.Name
	if call.Fix {
		out.Stage = "" // a repair is no stage's own word
	}
	out.Label, out.Role, out.Attempt, out.Fix = call.Role, call.Role, call.Attempt, call.Fix
	out.Blocking = len(outcome.Blocking(out.Findings))
	out.Candidate = out.After.Source
	out.DurationMillis = usage.Known(float64(out.Duration.Milliseconds()))
	r.end.Failover = out.Failover
	if !out.ReadOnly {
		for _, c := range out.Calls {
			r.wroteBy(c.Vendor)
		}
	}
	r.notice(Notice{Kind: NoticeResult, Stage: call.Step.Name, OK: out.OK, Code: out.Code, Text: out.Detail, Verdict: out.Verdict,
		Usage: out.Usage, Paid: true, Blocking: out.Blocking, Duration: out.Duration})
}

func (r *run) begin(a workflow.Action, step workflow.Step, label, evidence string, fix bool, files ...ledger.File) error {
	return r.append(ledger.TypeStageStarted, ledger.StageStarted{
		Stage: step.Name, Label: label, Run: string(step.Run), Role: step.Role, Position: a.Stage + 1, Of: len(r.Steps),
		Attempt: r.state.Attempt, Fix: fix, Recheck: a.Recheck, Dir: evidence,
	}, files...)
}
