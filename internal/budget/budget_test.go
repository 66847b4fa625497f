package budget_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tolboy/warden/internal/budget"
	"github.com/tolboy/warden/internal/outcome"
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
	got := budget.Plan(chain(), budget.Limits{Calls: 6, Reserve: budget.Full}, budget.Terms{Rounds: 2})
	want := budget.Forecast{
		Cap: 6, Minimum: 4, Paying: []string{"implement", "review", "review-second", "look"}, Sufficient: true, Reserve: budget.Full,
		Branches: []budget.Branch{
			{Stage: "review", Repair: 2, BeJudged: 2, Finish: 4, Required: 4, EveryRound: 8, Reachable: true, Affordable: true},
			{Stage: "review-second", Repair: 3, BeJudged: 3, Finish: 4, Required: 4, EveryRound: 10, Reachable: false, Affordable: false},
			{Stage: "look", Repair: 4, BeJudged: 4, Finish: 4, Required: 4, EveryRound: 12, Reachable: false, Affordable: false},
		},
		Left: 6, Rounds: 2, CostCap: "none", Prices: []budget.Price{},
	}
	if diff := cmp.Diff(want, got, amounts); diff != "" {
		t.Errorf("BU-10: Plan (-want +got):\n%s", diff)
	}
}

var amounts = cmp.Comparer(func(a, b usage.Amount) bool { return a == b })

// What the worst case costs is known only where every profile promises a price.
func TestPlanKnowsPrices(t *testing.T) {
	t.Parallel()
	cheap := budget.Price{Role: "reviewer", Profile: "r", AtMost: usage.Known(0.5)}
	dear := budget.Price{Role: "implementer", Profile: "w", AtMost: usage.Known(2)}
	silent := budget.Price{Role: "implementer", Profile: "s"}
	spent := budget.Spent{Calls: 2, Promised: 2}.Settle(usage.Call{CostUSD: usage.Known(1)}, usage.Amount{})
	tests := []struct {
		name   string
		limits budget.Limits
		prior  budget.Spent
		prices []budget.Price
		kind   string
		worst  usage.Amount
	}{
		{"nobody promises", budget.Limits{Calls: 6, CostUSD: 20}, budget.Spent{}, nil, "threshold", usage.Amount{}},
		{"BU-05 one is silent", budget.Limits{Calls: 6, CostUSD: 20}, budget.Spent{}, []budget.Price{cheap, silent}, "threshold", usage.Amount{}},
		{"a threshold bounds nothing", budget.Limits{Calls: 6, CostUSD: 3}, budget.Spent{}, []budget.Price{cheap, dear}, "threshold", usage.Known(12)},
		{"BU-06 a strict cap does", budget.Limits{Calls: 6, CostUSD: 3, Strict: true}, budget.Spent{}, []budget.Price{cheap, dear}, "strict", usage.Known(3)},
		{"BU-08 what was spent before is gone", budget.Limits{Calls: 6, CostUSD: 10, Strict: true}, spent, []budget.Price{cheap, dear}, "strict", usage.Known(7)},
		{"no ceiling", budget.Limits{Calls: 6}, budget.Spent{Calls: 4}, []budget.Price{cheap}, "none", usage.Known(1)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := budget.Plan(chain(), tt.limits, budget.Terms{Prior: tt.prior, Prices: tt.prices})
			if got.CostCap != tt.kind || got.Cost != tt.worst || got.Used != tt.prior.Calls || got.Left != tt.limits.Calls-tt.prior.Calls {
				t.Errorf("Plan says %s, %v at most, %d used, %d left; want %s and %v", got.CostCap, got.Cost, got.Used, got.Left, tt.kind, tt.worst)
			}
		})
	}
}

func TestAllowCall(t *testing.T) {
	t.Parallel()
	priced := usage.Total{}.Add(usage.Call{CostUSD: usage.Known(0.012)})
	strict := budget.Limits{Calls: 20, CostUSD: 1, Strict: true}
	timed := budget.Limits{Calls: 20, Elapsed: 10 * time.Minute}
	tests := []struct {
		name   string
		limits budget.Limits
		spent  budget.Spent
		atMost usage.Amount
		code   outcome.Code // "" is allowed
		limit  string
	}{
		{"room", budget.Limits{Calls: 2}, budget.Spent{Calls: 1}, usage.Amount{}, "", ""},
		{"calls used up", budget.Limits{Calls: 2}, budget.Spent{Calls: 2}, usage.Amount{}, outcome.BudgetExhausted, "max_role_runs"},
		{"BU-12 money names the money key", budget.Limits{Calls: 20, CostUSD: 0.01}, budget.Spent{Calls: 1, Total: priced}, usage.Amount{}, outcome.BudgetExhausted, "max_cost_usd"},
		{"BU-05 unknown cost is not a reason", budget.Limits{Calls: 20, CostUSD: 0.01}, budget.Spent{Calls: 1, Total: usage.Total{}.Add(usage.Call{})}, usage.Amount{}, "", ""},
		{"zero is no ceiling", budget.Limits{Calls: 20}, budget.Spent{Calls: 1, Total: priced}, usage.Amount{}, "", ""},
		{"BU-06 strict, and room for the call", strict, budget.Spent{Calls: 1, Total: priced}, usage.Known(0.9), "", ""},
		{"BU-06 strict, and the call could pass it", strict, budget.Spent{Calls: 1, Total: priced}, usage.Known(0.99), outcome.BudgetExhausted, "max_cost_usd"},
		{"BU-06 strict, and silent calls count with their promise", strict, budget.Spent{Calls: 1, Promised: 0.6}, usage.Known(0.5), outcome.BudgetExhausted, "max_cost_usd"},
		{"BU-06 strict, and the profile promises nothing", strict, budget.Spent{}, usage.Amount{}, outcome.CostCapUnenforceable, "max_cost_usd"},
		{"BU-06 strict, and an earlier call is bounded by nothing", strict, budget.Spent{Unbounded: 1}, usage.Known(0.1), outcome.CostCapUnenforceable, "max_cost_usd"},
		{"BU-14 a minute left", timed, budget.Spent{Elapsed: 9 * time.Minute}, usage.Amount{}, "", ""},
		{"BU-14 40 seconds left", timed, budget.Spent{Elapsed: 9*time.Minute + 20*time.Second}, usage.Amount{}, outcome.BudgetExhausted, "max_elapsed_minutes"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var code outcome.Code
			var limit string
			if stop := tt.limits.AllowCall(tt.spent, tt.atMost); stop != nil {
				code, limit = stop.Code, stop.Limit
				if !strings.Contains(stop.Text, limit) && code == outcome.BudgetExhausted {
					t.Errorf("the text does not name %s: %s", limit, stop.Text)
				}
			}
			if code != tt.code || limit != tt.limit {
				t.Errorf("AllowCall says %q at %q, want %q at %q", code, limit, tt.code, tt.limit)
			}
		})
	}
}

func TestEnforceable(t *testing.T) {
	t.Parallel()
	l := budget.Limits{Calls: 6, CostUSD: 1, Strict: true}
	stop := l.Enforceable(budget.Spent{}, []budget.Price{{Profile: "a", AtMost: usage.Known(1)}, {Profile: "b"}, {Profile: "c"}})
	if stop == nil || stop.Code != outcome.CostCapUnenforceable || !strings.Contains(stop.Text, "b, c") || strings.Contains(stop.Text, "a,") {
		t.Errorf("BU-06: %+v, want a refusal that names b and c", stop)
	}
	if stop := l.Enforceable(budget.Spent{Unbounded: 1}, nil); stop == nil {
		t.Error("BU-06: a cap over an unbounded earlier call is taken for enforceable")
	}
	if stop := l.Enforceable(budget.Spent{Promised: 3}, []budget.Price{{Profile: "a", AtMost: usage.Known(1)}}); stop != nil {
		t.Errorf("refused: %+v", stop)
	}
}

// LR-03: a call that names no price adds what its profile promises, or is counted as
// bounded by nothing; it is never free.
func TestSettle(t *testing.T) {
	t.Parallel()
	s := budget.Spent{}.Settle(usage.Call{}, usage.Known(2)).Settle(usage.Call{}, usage.Amount{}).Settle(usage.Call{CostUSD: usage.Known(0.25)}, usage.Known(9))
	if cost, known := s.Total.CostUSD.Get(); !known || cost != 0.25 || s.Total.Unpriced != 2 || s.Promised != 2 || s.Unbounded != 1 {
		t.Errorf("Settle: %+v", s)
	}
}
