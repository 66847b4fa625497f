package runner

import (
	"context"
	"path/filepath"

	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/engine"
	"github.com/tolboy/warden/internal/policy"
	"github.com/tolboy/warden/internal/role"
	"github.com/tolboy/warden/internal/workflow"
)

// Refuses says why those who run cannot finish a task in dir, as a run of it would
// find before its first stage; nil when they can. There is no run yet.
func (m *Machine) Refuses(ctx context.Context, h policy.Home, t contract.Task, dir string) *engine.Refusal {
	return m.refused(ctx, h, t, dir, Steps(h, t))
}

// RefusesPlan says the same of those who draft the task.
func (m *Machine) RefusesPlan(ctx context.Context, h policy.Home, t contract.Task, dir string) *engine.Refusal {
	return m.refused(ctx, h, t, dir, PlanSteps(h))
}

func (m *Machine) refused(ctx context.Context, h policy.Home, t contract.Task, dir string, steps []workflow.Step) *engine.Refusal {
	r := &roles{machine: m, order: Order{Task: t, Home: h, Worktree: dir}, dispatcher: &role.Dispatcher{
		Home: h, RunsDir: filepath.Join(dir, ".warden", "runs"), Vendor: m.Vendor, Env: m.Environ, Confine: m.confine(""),
	}}
	return r.Preflight(ctx, steps)
}

// runID is the id of the run, and of a run that is not there yet a word that can
// be one.
func (r *roles) runID() string {
	if r.order.Ledger == nil {
		return "run"
	}
	return r.order.Ledger.ID()
}
