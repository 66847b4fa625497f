package cli

import (
	"fmt"
	"slices"

	"github.com/tolboy/warden/internal/decision"
	"github.com/tolboy/warden/internal/engine"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/plain"
	"github.com/tolboy/warden/internal/reuse"
	"github.com/tolboy/warden/internal/role"
	"github.com/tolboy/warden/internal/runner"
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
	past, err := ledger.ReadPast(func(id string) (ledger.History, error) { return ledger.Read(l.runsDir, id) }, o.continue_)
	if err != nil {
		return "", fmt.Errorf("continue %q: %w", o.continue_, err)
	}
	order.Chain = past.Chain
	if err = provenance(l.runsDir, h, order); err != nil {
		return "", fmt.Errorf("continue %q: %w", o.continue_, err)
	}
	if order.Briefs, err = brief(l.runsDir, h); err != nil {
		return "", fmt.Errorf("continue %q: %w", o.continue_, err)
	}
	if is, made, _ := drafting(h); is {
		if err := l.proceeds(o.continue_, end, decided); err != nil {
			return "", fmt.Errorf("continue %q: %w", o.continue_, err)
		}
		return carryPlan(h, end, made, order, taskDigest(l, order.Task))
	}
	switch {
	case decided == nil:
		return "", fmt.Errorf("continue %q: nobody has decided on it yet; see %s status %s%s", o.continue_, l.program, o.continue_, l.at())
	case decided.Decision == "reject" && plain.Blank(decided.Note):
		return "", fmt.Errorf("continue %q: it was rejected without a note, so there is nothing to carry", o.continue_)
	case decided.Decision == "reject":
		order.Rejection = &engine.Rejection{Run: o.continue_, Actor: decided.Actor.Login, Note: []byte(decided.Note)}
		order.Reserved.RejectionSHA256 = decided.NoteSHA256
		return fmt.Sprintf("starting from the rejection recorded on %s; the implementer is given its reason verbatim", o.continue_), nil
	case decided.Decision == "switch" && end.Failover != nil:
		order.Switch = &role.Switch{Role: end.Failover.Role, Profile: end.Failover.ToProfile}
		order.Earlier = reuse.Newest(past.Counted())
		order.Reserved.AuthorizedFailover = &ledger.Switch{Role: end.Failover.Role, Profile: end.Failover.ToProfile}
		return fmt.Sprintf("%s allowed %s to take the role %s", decided.Actor.Login, end.Failover.ToProfile, end.Failover.Role), nil
	case decided.Decision == decision.Apply && end.ContractChange.Offered():
		if err := l.unapplied(o.continue_, decision.Apply, end.ContractChange); err != nil {
			return "", fmt.Errorf("continue %q: %w", o.continue_, err)
		}
		// What was judged only under the contract of before may satisfy the new one.
		order.Earlier, order.Standing = reuse.Newest(past.Counted()), true
		return fmt.Sprintf("%s had the edit of %s applied that %s proposed", decided.Actor.Login, end.ContractChange.File, o.continue_), nil
	case decided.Decision == "retry":
		order.Earlier = reuse.Newest(past.Counted())
		return fmt.Sprintf("trying again after %s (%s)", o.continue_, end.Code), nil
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
	decided, err := ledger.LastDecision(h)
	return end, decided, err
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
