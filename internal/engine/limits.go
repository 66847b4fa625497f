package engine

import (
	"time"

	"github.com/tolboy/warden/internal/budget"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/usage"
)

// callsLeft is how many vendor calls the run may still make.
func (r *run) callsLeft() int { return max(r.Limits.Calls-r.spent.Calls, 0) }

// rounds is how many fix rounds the runs before this one have left to it.
func (r *run) rounds() int { return max(r.Task.MaxFixAttempts-r.Chain.FixAttempts, 0) }

// used is what has been spent until now.
func (r *run) used() budget.Spent {
	s := r.spent
	s.Elapsed = r.Prior.Elapsed + max(r.Now().Sub(r.Since), 0)
	return s
}

// left is the time that a call or a gate run may take; 0 sets no limit.
func (r *run) left() time.Duration {
	left, limited := r.Limits.Left(r.used())
	if !limited {
		return 0
	}
	return max(left, time.Second)
}

// allow asks for one vendor call, and remembers the limit that refused it.
func (r *run) allow(atMost usage.Amount) *Refusal {
	r.stopped = r.Limits.AllowCall(r.used(), atMost)
	if r.stopped == nil {
		return nil
	}
	return refusal(r.stopped)
}

// overdue says that what ran out of time did so because the task's own time is up,
// which is a matter of the budget and not of who was at work.
func (r *run) overdue(code outcome.Code) bool {
	switch code {
	case outcome.RoleTimeout, outcome.CommandTimeout, outcome.GateTimeout, outcome.VisualUnavailable:
	default:
		return false
	}
	if stop := r.Limits.PastDeadline(r.used()); stop != nil {
		r.stopped = stop
		return true
	}
	return false
}

func refusal(s *budget.Stop) *Refusal {
	return &Refusal{Code: s.Code, Detail: s.Text, Limit: s.Limit}
}

// enforceable refuses a strict cap that could not be held, before the first call.
func (r *run) enforceable() *budget.Stop {
	if !r.Limits.Strict {
		return nil
	}
	return r.Limits.Enforceable(r.Prior, r.Prices)
}

// forecast is the arithmetic of the run before its first call.
func (r *run) forecast() budget.Forecast {
	return budget.Plan(r.Steps, r.Limits, budget.Terms{Rounds: r.rounds(), Prior: r.Prior, Prices: r.Prices})
}

// chain adds this run to what the runs before it spent; nil where there are none.
func (r *run) chain() *ledger.Chain {
	if r.Chain.Runs == 0 {
		return nil
	}
	used := r.used()
	return &ledger.Chain{Runs: r.Chain.Runs + 1, RoleRuns: used.Calls, CostUSD: used.Total.CostUSD, Unpriced: used.Total.Unpriced,
		FixAttempts: r.Chain.FixAttempts + r.end.AttemptsUsed, ElapsedMillis: used.Elapsed.Milliseconds(),
		PromisedUSD: used.Promised, Unbounded: used.Unbounded}
}

// Spent says how a chain enters the arithmetic.
func Spent(c ledger.Chain) budget.Spent {
	return budget.Spent{Calls: c.RoleRuns, Elapsed: time.Duration(c.ElapsedMillis) * time.Millisecond, Promised: c.PromisedUSD, Unbounded: c.Unbounded,
		Total: usage.Total{Calls: c.RoleRuns, CostUSD: c.CostUSD, Unpriced: c.Unpriced}}
}

// exhausted reports whether a further round would be refused for their number.
func (r *run) exhausted(reason outcome.Code) bool {
	switch reason {
	case outcome.GatesNotSatisfied, outcome.BlockingFindingsRemain, outcome.VisualFindingsRemain, outcome.VisualFailed:
		return r.Chain.FixAttempts+r.end.AttemptsUsed >= r.Task.MaxFixAttempts
	}
	return false
}
