package ledger

import (
	"errors"
	"time"

	"github.com/tolboy/warden/internal/outcome"
)

// Who a run that was cut off is for next.
const (
	nextHuman = "human_escalation"
	nextNone  = "none"
)

// CutOff ends a run whose worker is gone as a failure and returns how it ended. A
// vendor call that was in flight stays charged; what it cost is unknown. A run that
// has ended already is left as it is.
func (r *Run) CutOff(at time.Time, detail string) (Ending, error) {
	h := r.History()
	if line, ok := h.Sealed(); ok {
		var end Ending
		return end, line.Decode(&end)
	}
	end, open, err := unfinished(h)
	if err != nil {
		return end, err
	}
	end.Detail = detail
	for _, c := range open {
		if _, err := r.Append(TypeInterrupted, at, Interrupted{CallID: c.CallID, Stage: c.Stage, Role: c.Role, Profile: c.Profile,
			Vendor: c.Vendor, Model: c.Model, Attempt: c.Attempt, Detail: "in flight when the worker was lost"}); err != nil {
			return end, err
		}
		end.Usage.Calls, end.Usage.Unpriced, end.Usage.Untold = end.Usage.Calls+1, end.Usage.Unpriced+1, end.Usage.Untold+1
	}
	if _, err := r.Append(TypeStopped, at, end); err != nil && !errors.Is(err, ErrSealed) {
		return end, err
	}
	return end, nil
}

// unfinished adds up what a run used that has not ended, and the calls of which
// nothing was written down. An earlier taker may have settled some and died too.
func unfinished(h History) (Ending, []VendorCallStarted, error) {
	end := Ending{Code: outcome.Interrupted, NextAction: nextHuman, SafeNextStep: "the run was cut off; retry", Confinement: h.Run.Confinement}
	var open []VendorCallStarted
	reserved, called, plan := false, false, false
	for _, l := range h.Lines {
		p, err := l.Payload()
		if err != nil {
			return end, nil, err
		}
		switch v := p.(type) {
		case *RunReserved:
			reserved, plan = true, v.Preparation
		case *VendorCallStarted:
			open, called = append(open, *v), true
			end.RoleRuns = v.RoleRuns
		case *RoleRun:
			open = nil // one dispatch at a time, and this is all of it
			for _, c := range v.Calls {
				end.Usage = end.Usage.Add(c.Usage)
			}
		case *Interrupted:
			open = without(open, v.CallID)
			end.Usage.Calls, end.Usage.Unpriced, end.Usage.Untold = end.Usage.Calls+1, end.Usage.Unpriced+1, end.Usage.Untold+1
		case *FixRound:
			end.AttemptsUsed = v.Attempt
		}
	}
	if called && !reserved || plan || h.Run.DryRun { // a role by itself, a draft, or nothing at all
		end.NextAction, end.SafeNextStep = nextNone, ""
	}
	return end, open, nil
}

func without(calls []VendorCallStarted, id string) []VendorCallStarted {
	var out []VendorCallStarted
	for _, c := range calls {
		if c.CallID != id {
			out = append(out, c)
		}
	}
	return out
}
