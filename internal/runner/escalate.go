package runner

import (
	"fmt"

	"github.com/tolboy/warden/internal/engine"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/workflow"
)

// escalated answers who takes a role after the blocking reviews of this run: a
// profile of the rung that is reached, "" while none is, or the code by which the
// run ends when there is no rung left.
func (r *roles) escalated(role string) (profile string, code outcome.Code) {
	e := r.order.Home.Policy.Escalation
	if len(e.Rungs) == 0 || e.After <= 0 || role != workflow.Implementer && role != workflow.Reviewer {
		return "", outcome.OK
	}
	rung := r.blocked/e.After - 1
	switch {
	case rung < 0:
		return "", outcome.OK
	case rung >= len(e.Rungs):
		return "", outcome.QualityExhausted
	case role == workflow.Implementer:
		return e.Rungs[rung].Implementer, outcome.OK
	}
	return e.Rungs[rung].Reviewer, outcome.OK
}

// reviewed counts the reviews that blocked.
func (r *roles) reviewed(c engine.RoleCall, record ledger.RoleRun) {
	if c.Role == workflow.Reviewer && len(outcome.Blocking(record.Findings)) > 0 {
		r.blocked++
	}
}

// exhausted is the outcome of a dispatch that no rung is left for.
func (r *roles) exhausted(c engine.RoleCall) engine.RoleOutcome {
	return engine.RoleOutcome{RoleRun: ledger.RoleRun{Role: c.Role, Label: c.Role, Stage: c.Step.Name, Attempt: c.Attempt, Code: outcome.QualityExhausted,
		Detail: fmt.Sprintf("%d reviews of this run have blocked, and all %d pairs of escalation.rungs have had their turn", r.blocked, len(r.order.Home.Policy.Escalation.Rungs))},
		After: c.Before}
}
