package budget_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tolboy/warden/internal/budget"
	"github.com/tolboy/warden/internal/usage"
	"github.com/tolboy/warden/internal/workflow"
)

// chain is implement, review, second review, look: the chain of BU-10.
func chain() []workflow.Step {
	reader := func(name, role string) workflow.Step {
		return workflow.Step{Stage: workflow.Stage{Name: name, Run: workflow.RunRole, Role: role,
			OnFail: workflow.RouteStop, OnFindings: workflow.RouteFix, Recheck: role == workflow.Reviewer, FixWith: workflow.Implementer}}
	}
	return []workflow.Step{
		{Stage: workflow.Stage{Name: "implement", Run: workflow.RunRole, Role: workflow.Implementer, OnFail: workflow.RouteStop}},
		reader("review", workflow.Reviewer), reader("review-second", workflow.Reviewer), reader("look", workflow.VisualQA),
	}
}

func TestAllowFix(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		limits  budget.Limits
		stage   int
		calls   int
		allowed bool
	}{
		{"BU-10 the first repair fits", budget.Limits{Calls: 6, Reserve: budget.Full}, 1, 2, true},
		{"BU-10 the second is not begun", budget.Limits{Calls: 6, Reserve: budget.Full}, 1, 4, false},
		{"partial pays for the next reading only", budget.Limits{Calls: 6, Reserve: budget.Partial}, 1, 4, true},
		{"partial needs the reading too", budget.Limits{Calls: 5, Reserve: budget.Partial}, 1, 4, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			stop := tt.limits.AllowFix(chain(), tt.stage, budget.Spent{Calls: tt.calls})
			if (stop == nil) != tt.allowed {
				t.Errorf("AllowFix after %d of %d calls = %+v, want allowed %v", tt.calls, tt.limits.Calls, stop, tt.allowed)
			}
		})
	}
}

func TestPlan(t *testing.T) {
	t.Parallel()
	got := budget.Plan(chain(), budget.Limits{Calls: 6, Reserve: budget.Full})
	want := budget.Forecast{
		Cap: 6, Minimum: 4, Paying: []string{"implement", "review", "review-second", "look"}, Sufficient: true, Reserve: budget.Full,
		Branches: []budget.Branch{
			{Stage: "review", Repair: 2, BeJudged: 2, Finish: 4, Required: 4, Reachable: true, Affordable: true},
			{Stage: "review-second", Repair: 3, BeJudged: 3, Finish: 4, Required: 4, Reachable: false, Affordable: false},
			{Stage: "look", Repair: 4, BeJudged: 4, Finish: 4, Required: 4, Reachable: false, Affordable: false},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Plan (-want +got):\n%s", diff)
	}
}

func TestAllowCall(t *testing.T) {
	t.Parallel()
	priced := usage.Total{}.Add(usage.Call{CostUSD: usage.Known(0.012)})
	tests := []struct {
		name   string
		limits budget.Limits
		spent  budget.Spent
		limit  string // "" is allowed
	}{
		{"room", budget.Limits{Calls: 2}, budget.Spent{Calls: 1}, ""},
		{"calls used up", budget.Limits{Calls: 2}, budget.Spent{Calls: 2}, "max_role_runs"},
		{"BU-12 money names the money key", budget.Limits{Calls: 20, CostUSD: 0.01}, budget.Spent{Calls: 1, Total: priced}, "max_cost_usd"},
		{"BU-05 unknown cost is not a reason", budget.Limits{Calls: 20, CostUSD: 0.01}, budget.Spent{Calls: 1, Total: usage.Total{}.Add(usage.Call{})}, ""},
		{"zero is no ceiling", budget.Limits{Calls: 20}, budget.Spent{Calls: 1, Total: priced}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := ""
			if stop := tt.limits.AllowCall(tt.spent); stop != nil {
				got = stop.Limit
			}
			if got != tt.limit {
				t.Errorf("AllowCall stopped at %q, want %q", got, tt.limit)
			}
		})
	}
}
