package runner

import (
	"context"

	"github.com/tolboy/warden/internal/budget"
	"github.com/tolboy/warden/internal/engine"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/role"
	"github.com/tolboy/warden/internal/usage"
	"github.com/tolboy/warden/internal/workflow"
)

// OneRole asks for one role outside any loop.
type OneRole struct {
	Role    string
	Writers []string
	Context []byte
	DryRun  bool
}

// Role dispatches one role by itself and seals its ledger. Its calls are held to
// the task's ceilings like those of a run.
func (m *Machine) Role(ctx context.Context, o Order, one OneRole) (ledger.RoleRun, error) {
	id := o.Ledger.ID()
	judge, err := m.judge(ctx, id, o)
	if err != nil {
		return ledger.RoleRun{}, err
	}
	eyes := &eyes{judge: judge, task: o.Task, worktree: o.Worktree, contract: o.Contract}
	r := &roles{machine: m, order: o, eyes: eyes, dispatcher: &role.Dispatcher{
		Home: o.Home, Judge: judge, Evidence: o.Ledger, RunsDir: o.RunsDir, Vendor: m.Vendor, Env: m.Environ, Confine: m.confine(id),
	}}
	before, err := eyes.Look(ctx)
	if err != nil {
		return ledger.RoleRun{}, err
	}
	limits, spent, end := Limits(o.Home, o.Task), budget.Spent{}, ledger.Ending{NextAction: engine.NoAction}
	var promised usage.Amount
	call := engine.RoleCall{
		Evidence: ledger.StageDir(id, one.Role, 0), Step: workflow.Step{Stage: workflow.Stage{Name: one.Role, Run: workflow.RunRole, Role: one.Role}},
		Role: one.Role, Look: r.look(one.Role), Context: one.Context, Writers: one.Writers, Before: before, DryRun: one.DryRun, Limit: limits.Elapsed,
		Charge: func(c ledger.VendorCallStarted) *engine.Refusal {
			if stop := limits.AllowCall(spent, budget.AtMost(c.MaxCostUSD)); stop != nil {
				return &engine.Refusal{Code: stop.Code, Detail: stop.Text, Limit: stop.Limit}
			}
			spent.Calls++
			promised = budget.AtMost(c.MaxCostUSD)
			c.CallID, c.Stage, c.Role, c.RoleRuns = id+"#"+one.Role, one.Role, one.Role, spent.Calls
			if _, err := o.Ledger.Append(ledger.TypeVendorCallStarted, m.Now(), c); err != nil {
				return &engine.Refusal{Code: outcome.LedgerAltered, Detail: err.Error()}
			}
			return nil
		},
		Settle: func(u usage.Call) { spent = spent.Settle(u, promised); end.Usage = end.Usage.Add(u) },
	}
	var assumed map[string]string
	if one.DryRun {
		assumed = r.assume(call.Step, one.Writers)
	}
	faults := r.faults([]workflow.Step{call.Step})
	if due, code := r.resolve(call.Step, one.Writers, nil, ""); code == outcome.OK {
		delete(faults, due.Profile.Name) // the dispatch stops with it
	}
	r.passOver(faults)
	out, err := r.Dispatch(ctx, call)
	if err != nil {
		return out.RoleRun, err
	}
	out.Label, out.Role, out.DryRun = one.Role, one.Role, one.DryRun
	if said := assumed[out.Profile]; said != "" && out.OK {
		out.Detail = said
	}
	if _, err := o.Ledger.Append(ledger.TypeRoleRun, m.Now(), out.RoleRun, out.Files...); err != nil {
		return out.RoleRun, err
	}
	end.OK, end.Code, end.Detail, end.RoleRuns, end.Confinement = out.OK, out.Code, out.Detail, spent.Calls, m.Confinement()
	_, err = o.Ledger.Append(ledger.TypeStopped, m.Now(), end)
	return out.RoleRun, err
}
