package engine_test

import (
	"testing"
	"time"

	"github.com/tolboy/warden/internal/budget"
	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/engine"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/usage"
)

// ticker is a clock that a test moves.
type ticker struct{ now time.Time }

func (c *ticker) Now() time.Time { return c.now }

// timed drives a run on a clock of its own.
func timed(t *testing.T, w *world, c *ticker, spec engine.Spec) ledger.Ending {
	t.Helper()
	e := &engine.Engine{Journal: &journal{}, Eyes: w, Roles: w, Gates: w, Boundary: w, Now: c.Now}
	spec.RunID, spec.Steps = "r1", steps(t)
	if spec.Task.ID == "" {
		spec.Task = task()
	}
	if spec.Limits.Calls == 0 {
		spec.Limits.Calls, spec.Limits.Reserve = spec.Task.MaxRoleRuns, budget.Full
	}
	end, err := e.Run(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	return end
}

// takes is a turn that lasts.
func takes(c *ticker, d time.Duration, then func(*world, engine.RoleCall) engine.RoleOutcome) func(*world, engine.RoleCall) engine.RoleOutcome {
	return func(w *world, call engine.RoleCall) engine.RoleOutcome {
		c.now = c.now.Add(d)
		return then(w, call)
	}
}

// BU-14: no call begins with less than a minute left, what earlier runs worked counts
// and the time in between does not, and a call that the deadline cuts ends the run as
// a matter of the budget. BU-15: whoever runs the call, since nobody is asked.
func TestDeadline(t *testing.T) {
	t.Parallel()
	limits := budget.Limits{Elapsed: 10 * time.Minute}
	tests := []struct {
		name  string
		prior time.Duration
		turn  func(*ticker) func(*world, engine.RoleCall) engine.RoleOutcome
		limit time.Duration // that the first call was given
		calls int
		code  outcome.Code
		hit   string
	}{
		{"BU-14 40 seconds left", 9*time.Minute + 20*time.Second, nil, 0, 0, outcome.BudgetExhausted, "max_elapsed_minutes"},
		{"BU-14 the call is cut at the deadline", 5 * time.Minute,
			func(c *ticker) func(*world, engine.RoleCall) engine.RoleOutcome {
				return takes(c, 5*time.Minute, ends(outcome.RoleTimeout))
			},
			5 * time.Minute, 1, outcome.BudgetExhausted, "max_elapsed_minutes"},
		{"BU-14 a call that is slow by itself", time.Minute,
			func(c *ticker) func(*world, engine.RoleCall) engine.RoleOutcome {
				return takes(c, 5*time.Minute, ends(outcome.RoleTimeout))
			},
			9 * time.Minute, 1, outcome.RoleTimedOut, ""},
		{"BU-14 the time is up after the first stage", 2 * time.Minute,
			func(c *ticker) func(*world, engine.RoleCall) engine.RoleOutcome {
				return takes(c, 8*time.Minute, writes("a"))
			},
			8 * time.Minute, 1, outcome.BudgetExhausted, "max_elapsed_minutes"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := &ticker{now: time.Unix(1000, 0)}
			w := &world{gate: []engine.GateOutcome{green}, role: turns{"implementer": {writes("a")}, "reviewer": {ends(outcome.OK)}}}
			if tt.turn != nil {
				w.role["implementer"] = []func(*world, engine.RoleCall) engine.RoleOutcome{tt.turn(c)}
			}
			end := timed(t, w, c, engine.Spec{Limits: limits, Prior: budget.Spent{Elapsed: tt.prior}})
			if end.Code != tt.code || end.BudgetLimitHit != tt.hit || len(w.calls) != tt.calls {
				t.Errorf("ended with %s at %q after %d calls, want %s at %q after %d: %s", end.Code, end.BudgetLimitHit, len(w.calls), tt.code, tt.hit, tt.calls, end.Detail)
			}
			if tt.hit != "" && end.SafeNextStep != "raise budgets.max_elapsed_minutes in the task, then retry" {
				t.Errorf("next step: %s", end.SafeNextStep)
			}
			if len(w.calls) > 0 && w.calls[0].Limit != tt.limit {
				t.Errorf("the call was given %s, want %s", w.calls[0].Limit, tt.limit)
			}
		})
	}
}

// BU-14: the checks end at the deadline too, and that is no red gate.
func TestDeadlineEndsTheGates(t *testing.T) {
	t.Parallel()
	c := &ticker{now: time.Unix(1000, 0)}
	w := &world{role: turns{"implementer": {writes("a")}}, gate: []engine.GateOutcome{{GateRun: ledger.GateRun{Code: outcome.CommandTimeout, Message: "cut"}}}}
	w.checking = func(limit time.Duration) {
		if limit != 10*time.Minute {
			t.Errorf("the gates were given %s", limit)
		}
		c.now = c.now.Add(limit)
	}
	end := timed(t, w, c, engine.Spec{Limits: budget.Limits{Elapsed: 10 * time.Minute}})
	if end.Code != outcome.BudgetExhausted || end.BudgetLimitHit != "max_elapsed_minutes" || end.AttemptsUsed != 0 {
		t.Errorf("ended with %s at %q after %d rounds", end.Code, end.BudgetLimitHit, end.AttemptsUsed)
	}
}

// BU-06: a strict cap that cannot be held stops before the first call, and one that
// can is never passed.
func TestStrictCap(t *testing.T) {
	t.Parallel()
	limits := budget.Limits{CostUSD: 1, Strict: true}
	tests := []struct {
		name   string
		prices []budget.Price
		atMost float64
		calls  int
		code   outcome.Code
	}{
		{"BU-06 a profile promises nothing", []budget.Price{{Role: "reviewer", Profile: "critic"}}, 0.4, 0, outcome.CostCapUnenforceable},
		{"BU-06 the second call could pass it", []budget.Price{{Role: "reviewer", Profile: "critic", AtMost: usage.Known(0.995)}}, 0.995, 1, outcome.BudgetExhausted},
		{"room for both", []budget.Price{{Role: "reviewer", Profile: "critic", AtMost: usage.Known(0.4)}}, 0.4, 2, outcome.ReadyForHuman},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := &world{atMost: tt.atMost, gate: []engine.GateOutcome{green}, role: turns{"implementer": {writes("a")}, "reviewer": {ends(outcome.OK)}}}
			end := timed(t, w, &ticker{now: time.Unix(1, 0)}, engine.Spec{Limits: limits, Prices: tt.prices})
			if end.Code != tt.code || len(w.calls) != tt.calls {
				t.Errorf("ended with %s after %d calls, want %s after %d: %s", end.Code, len(w.calls), tt.code, tt.calls, end.Detail)
			}
			if tt.code == outcome.CostCapUnenforceable && !contains(end.Detail, "critic") {
				t.Errorf("the profile is not named: %s", end.Detail)
			}
		})
	}
}

// BU-08: a run that goes on has the calls and the fix rounds that the runs before it
// left, and says what all of them spent.
func TestChainIsOneBudget(t *testing.T) {
	t.Parallel()
	chain := ledger.Chain{Runs: 1, RoleRuns: 3, CostUSD: usage.Known(0.5), Unpriced: 1, FixAttempts: 1, ElapsedMillis: 60_000, Unbounded: 1}
	spec := func() engine.Spec {
		return engine.Spec{Task: contract.Task{ID: "t1", Goal: "g", Scope: []string{"greeting.txt"}, MaxFixAttempts: 1, MaxRoleRuns: 4}, Chain: chain, Prior: engine.Spent(chain)}
	}
	w := &world{gate: []engine.GateOutcome{red}, role: turns{"implementer": {writes("a")}}}
	end := timed(t, w, &ticker{now: time.Unix(1, 0)}, spec())
	if end.Code != outcome.GatesNotSatisfied || len(w.calls) != 1 || end.AttemptsUsed != 0 {
		t.Errorf("BU-08: ended with %s after %d calls and %d rounds; the only round was used by the run before", end.Code, len(w.calls), end.AttemptsUsed)
	}
	if !contains(end.SafeNextStep, "raise max_fix_attempts") {
		t.Errorf("BU-08: next step: %s", end.SafeNextStep)
	}
	w = &world{gate: []engine.GateOutcome{green}, role: turns{"implementer": {writes("a")}, "reviewer": {ends(outcome.OK)}}}
	end = timed(t, w, &ticker{now: time.Unix(1, 0)}, spec())
	if end.Code != outcome.BudgetExhausted || len(w.calls) != 1 || end.BudgetLimitHit != "max_role_runs" {
		t.Errorf("BU-08: ended with %s at %q after %d calls, want 1 of the one that was left", end.Code, end.BudgetLimitHit, len(w.calls))
	}
	c := end.Chain
	if c == nil || c.Runs != 2 || c.RoleRuns != 4 || c.CostUSD != usage.Known(0.51) || c.Unpriced != 1 || c.Unbounded != 1 || c.FixAttempts != 1 {
		t.Errorf("BU-08: the chain is recorded as %+v", c)
	}
	if end.RoleRuns != 1 || end.Usage.Unpriced != 0 {
		t.Errorf("the run's own numbers hold the chain's: %+v", end)
	}
}
