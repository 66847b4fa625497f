// Package budget is the arithmetic of calls and money, done before a vendor is
// called. It is pure. The bound that always holds counts calls; money is bounded
// only as far as vendors report it, and the record says so.
package budget

import (
	"fmt"

	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/usage"
	"github.com/tolboy/warden/internal/workflow"
)

// Reserve says how much of the remaining chain a fix round must be affordable
// for before it begins.
type Reserve string

// Full pays for the repair, every judgement it invalidates and every stage still
// owed. Partial pays for the repair and whatever reads its result next.
const (
	Full    Reserve = "full"
	Partial Reserve = "partial"
)

// Limits bound a run.
type Limits struct {
	Calls   int     // vendor calls
	CostUSD float64 // reported dollars; 0 is no ceiling
	Reserve Reserve
}

// Spent is what a run, or a chain of continued runs, has used up. Calls counts
// dispatches, and is raised before each of them.
type Spent struct {
	Calls int
	Total usage.Total
}

// Stop explains a refusal.
type Stop struct {
	Code  outcome.Code
	Limit string // the key to raise: "max_role_runs" or "max_cost_usd"
	Text  string
}

// AllowCall says whether one more vendor call may be dispatched. Nil allows it.
func (l Limits) AllowCall(s Spent) *Stop {
	if s.Calls >= l.Calls {
		return &Stop{outcome.BudgetExhausted, "max_role_runs",
			fmt.Sprintf("%d of %d vendor calls are used; raise budgets.max_role_runs to allow more", s.Calls, l.Calls)}
	}
	if cost, known := s.Total.CostUSD.Get(); known && l.CostUSD > 0 && cost >= l.CostUSD {
		return &Stop{outcome.BudgetExhausted, "max_cost_usd",
			fmt.Sprintf("$%.4f of $%.4f is charged; raise budgets.max_cost_usd to allow more", cost, l.CostUSD)}
	}
	return nil
}

// AllowFix says whether a fix round for the stage at index i may begin.
func (l Limits) AllowFix(steps []workflow.Step, i int, s Spent) *Stop {
	need := Repair(steps, i).required(l.Reserve)
	if left := l.Calls - s.Calls; left < need {
		return &Stop{outcome.BudgetInsufficient, "max_role_runs",
			fmt.Sprintf("a fix round for %s needs %d vendor calls and %d are left; raise budgets.max_role_runs to allow it", steps[i].Name, need, max(left, 0))}
	}
	return nil
}
