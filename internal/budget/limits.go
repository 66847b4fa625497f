// Package budget is the arithmetic of calls, money and time, done before a vendor
// is called. It is pure. The bound that always holds counts calls; money is bounded
// only as far as vendors report it, or as profiles promise, and the record says so.
package budget

import (
	"fmt"
	"strings"
	"time"

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

// The keys that a person raises when a limit stopped a run.
const (
	KeyCalls   = "max_role_runs"
	KeyCost    = "max_cost_usd"
	KeyElapsed = "max_elapsed_minutes"
)

// ShortestCall is the least time that must be left for a call to begin.
const ShortestCall = time.Minute

// Limits bound a run, and every run that continues it.
type Limits struct {
	Calls   int           // vendor calls
	CostUSD float64       // dollars; 0 is no ceiling
	Strict  bool          // no call is begun that could pass CostUSD
	Elapsed time.Duration // of work; 0 is no limit
	Reserve Reserve
}

// Spent is what a run, or a chain of continued runs, has used up. Calls counts
// dispatches, and is raised before each of them.
type Spent struct {
	Calls   int
	Total   usage.Total
	Elapsed time.Duration
	// Promised is what the calls that named no price can have cost at most;
	// Unbounded counts those of which not even that is known.
	Promised  float64
	Unbounded int
}

// Stop explains a refusal.
type Stop struct {
	Code  outcome.Code
	Limit string // the key to raise, one of the Key constants
	Text  string
}

// AllowCall says whether one more vendor call may be dispatched, which costs atMost
// as far as its profile promises anything. Nil allows it.
func (l Limits) AllowCall(s Spent, atMost usage.Amount) *Stop {
	if s.Calls >= l.Calls {
		return &Stop{outcome.BudgetExhausted, KeyCalls,
			fmt.Sprintf("%d of %d vendor calls are used; raise budgets.max_role_runs to allow more", s.Calls, l.Calls)}
	}
	if stop := l.allowMoney(s, atMost); stop != nil {
		return stop
	}
	if left, limited := l.Left(s); limited && left < ShortestCall {
		return l.deadline(s)
	}
	return nil
}

func (l Limits) allowMoney(s Spent, atMost usage.Amount) *Stop {
	cost, known := s.Total.CostUSD.Get()
	if l.CostUSD <= 0 {
		return nil
	}
	if known && cost >= l.CostUSD {
		return &Stop{outcome.BudgetExhausted, KeyCost,
			fmt.Sprintf("$%.4f of $%.4f is charged; raise budgets.max_cost_usd to allow more", cost, l.CostUSD)}
	}
	if !l.Strict {
		return nil
	}
	bound, promised := atMost.Get()
	switch {
	case s.Unbounded > 0:
		return &Stop{outcome.CostCapUnenforceable, KeyCost,
			fmt.Sprintf("%d call(s) named no price and their profiles promise none, so the strict cap of $%.4f cannot be held", s.Unbounded, l.CostUSD)}
	case !promised:
		return &Stop{outcome.CostCapUnenforceable, KeyCost,
			fmt.Sprintf("the profile promises no limits.max_cost_usd, so the strict cap of $%.4f cannot be held", l.CostUSD)}
	case cost+s.Promised+bound > l.CostUSD:
		return &Stop{outcome.BudgetExhausted, KeyCost,
			fmt.Sprintf("up to $%.4f of $%.4f is charged and the call may cost $%.4f; raise budgets.max_cost_usd to allow it", cost+s.Promised, l.CostUSD, bound)}
	}
	return nil
}

// Enforceable says whether a strict cap can be held at all: every profile that may
// be asked has to promise what a call costs at most, and every earlier call has to
// be bounded. Nil says that it can.
func (l Limits) Enforceable(prior Spent, prices []Price) *Stop {
	if silent := Unpromised(prices); len(silent) > 0 {
		return &Stop{outcome.CostCapUnenforceable, KeyCost,
			fmt.Sprintf("budgets.cost_cap is strict, and no limits.max_cost_usd is set in the profile %s", strings.Join(silent, ", "))}
	}
	if prior.Unbounded > 0 {
		return &Stop{outcome.CostCapUnenforceable, KeyCost,
			fmt.Sprintf("budgets.cost_cap is strict, and %d earlier call(s) named no price and are bounded by no profile", prior.Unbounded)}
	}
	return nil
}

// Left is the time that is left for work, and whether there is a limit.
func (l Limits) Left(s Spent) (time.Duration, bool) {
	return max(l.Elapsed-s.Elapsed, 0), l.Elapsed > 0
}

// PastDeadline says that the time is up. Nil says that some is left.
func (l Limits) PastDeadline(s Spent) *Stop {
	if left, limited := l.Left(s); !limited || left > 0 {
		return nil
	}
	return l.deadline(s)
}

func (l Limits) deadline(s Spent) *Stop {
	return &Stop{outcome.BudgetExhausted, KeyElapsed,
		fmt.Sprintf("%s of the %s for this task and the runs it continues are used; raise budgets.max_elapsed_minutes to allow more", s.Elapsed.Round(time.Second), l.Elapsed)}
}

// AllowFix says whether a fix round for the stage at index i may begin.
func (l Limits) AllowFix(steps []workflow.Step, i int, s Spent) *Stop {
	need := Repair(steps, i).required(l.Reserve)
	if left := l.Calls - s.Calls; left < need {
		return &Stop{outcome.BudgetInsufficient, KeyCalls,
			fmt.Sprintf("a fix round for %s needs %d vendor calls and %d are left; raise budgets.max_role_runs to allow it", steps[i].Name, need, max(left, 0))}
	}
	return nil
}

// Settle adds what a call reported. One that named no price counts with what its
// profile promises at most.
func (s Spent) Settle(c usage.Call, atMost usage.Amount) Spent {
	s.Total = s.Total.Add(c)
	if _, priced := c.CostUSD.Get(); priced {
		return s
	}
	if bound, promised := atMost.Get(); promised {
		s.Promised += bound
	} else {
		s.Unbounded++
	}
	return s
}
