package cli

import (
	"fmt"
	"slices"

	"github.com/tolboy/warden/internal/budget"
	"github.com/tolboy/warden/internal/engine"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/plain"
	"github.com/tolboy/warden/internal/role"
	"github.com/tolboy/warden/internal/runner"
	"github.com/tolboy/warden/internal/usage"
)

// carry takes over what a decision on an earlier run permits: the words of a
// rejection, one substitution of a profile, or another try. Anything else
// permits nothing. It returns a sentence for the narration.
func (a *app) carry(l *local, o runOptions, order *runner.Order) (string, error) {
	if o.continue_ == "" {
		return "", nil
	}
	h, err := ledger.Read(l.runsDir, o.continue_)
	if err != nil {
		return "", fmt.Errorf("continue %q: %w", o.continue_, err)
	}
	end, decided, err := outcomeOf(h)
	if err != nil {
		return "", fmt.Errorf("continue %q: %w", o.continue_, err)
	}
	order.Reserved.ContinuedFrom = o.continue_
	order.Reserved.CarriedFailovers = ledger.Allowed(h)
	if err = provenance(l.runsDir, h, order); err != nil {
		return "", fmt.Errorf("continue %q: %w", o.continue_, err)
	}
	switch {
	case decided == nil:
		return "", fmt.Errorf("continue %q: nobody has decided on it yet; see warden status %s", o.continue_, o.continue_)
	case decided.Decision == "reject" && plain.Blank(decided.Note):
		return "", fmt.Errorf("continue %q: it was rejected without a note, so there is nothing to carry", o.continue_)
	case decided.Decision == "reject":
		order.Rejection = &engine.Rejection{Run: o.continue_, Actor: decided.Actor.Login, Note: []byte(decided.Note)}
		order.Reserved.RejectionSHA256 = decided.NoteSHA256
		return fmt.Sprintf("starting from the rejection recorded on %s; the implementer is given its reason verbatim", o.continue_), nil
	case decided.Decision == "switch" && end.Failover != nil:
		order.Switch = &role.Switch{Role: end.Failover.Role, Profile: end.Failover.ToProfile}
		order.Reserved.AuthorizedFailover = &ledger.Switch{Role: end.Failover.Role, Profile: end.Failover.ToProfile}
		order.Prior, order.Chain = spent(h.Run.Chain, end), chainOf(h.Run.Chain, end)
		return fmt.Sprintf("%s allowed %s to take the role %s", decided.Actor.Login, end.Failover.ToProfile, end.Failover.Role), nil
	case decided.Decision == "retry":
		order.Prior, order.Chain = spent(h.Run.Chain, end), chainOf(h.Run.Chain, end)
		return fmt.Sprintf("trying again after %s (%s); no verdict is carried", o.continue_, end.Code), nil
	}
	return "", fmt.Errorf("continue %q: the decision %q permits no further run", o.continue_, decided.Decision)
}

// outcomeOf returns how a run ended and the last decision on it.
func outcomeOf(h ledger.History) (ledger.Ending, *ledger.HumanDecision, error) {
	var end ledger.Ending
	line, ok := h.Sealed()
	if !ok {
		return end, nil, fmt.Errorf("it was not ended; it may still be running, or have been cut off")
	}
	if err := line.Decode(&end); err != nil {
		return end, nil, err
	}
	var decided *ledger.HumanDecision
	for _, l := range h.Lines {
		if l.Type != ledger.TypeHumanDecision {
			continue
		}
		decided = new(ledger.HumanDecision)
		if err := l.Decode(decided); err != nil {
			return end, nil, err
		}
	}
	return end, decided, nil
}

// provenance takes over who wrote in the run and in those that it continues, and
// the trees that they left.
func provenance(runsDir string, h ledger.History, order *runner.Order) (err error) {
	for range 1000 {
		order.Known = append(order.Known, ledger.Trees(h)...)
		order.Authors = append(order.Authors, ledger.Authors(h)...)
		for _, v := range ledger.Writers(h) {
			if !slices.Contains(order.Writers, v) {
				order.Writers = append(order.Writers, v)
			}
		}
		if h.Run.Continues == "" {
			return nil
		}
		if h, err = ledger.Read(runsDir, h.Run.Continues); err != nil {
			return err
		}
	}
	return fmt.Errorf("more than 1000 runs continue each other")
}

// spent adds what a run used up to what its chain had used before.
func spent(c ledger.Chain, e ledger.Ending) budget.Spent {
	s := budget.Spent{Calls: c.RoleRuns + e.RoleRuns}
	s.Total = usage.Total{Calls: s.Calls, CostUSD: plus(c.CostUSD, e.Usage.CostUSD), Unpriced: c.Unpriced + e.Usage.Unpriced}
	return s
}

func plus(a, b usage.Amount) usage.Amount {
	x, okA := a.Get()
	y, okB := b.Get()
	if !okA && !okB {
		return usage.Amount{}
	}
	return usage.Known(x + y)
}

// chainOf is what the linked runs have used up, this ended one included.
func chainOf(c ledger.Chain, e ledger.Ending) ledger.Chain {
	s := spent(c, e)
	return ledger.Chain{Runs: c.Runs + 1, RoleRuns: s.Calls, CostUSD: s.Total.CostUSD, Unpriced: s.Total.Unpriced, FixAttempts: c.FixAttempts + e.AttemptsUsed}
}
