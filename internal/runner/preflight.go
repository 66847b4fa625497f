package runner

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tolboy/warden/internal/engine"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/policy"
	"github.com/tolboy/warden/internal/role"
	"github.com/tolboy/warden/internal/roster"
	"github.com/tolboy/warden/internal/workflow"
)

// Preflight implements engine.Roles: a roster that cannot finish the chain, and a
// call that could not be made, are found before the first vendor is paid. A
// profile at fault stops the run when it is its turn; one that would only stand
// in for another is passed over from here on.
func (r *roles) Preflight(_ context.Context, steps []workflow.Step) *engine.Refusal {
	p := r.order.Home.Policy
	if p.Present && p.Err != nil {
		return &engine.Refusal{Code: outcome.PolicyInvalid, Detail: p.Err.Error()}
	}
	if r.machine.refuses() {
		return &engine.Refusal{Code: outcome.Unconfined, Detail: "this run requires bubblewrap, and here is " + r.machine.Confinement()}
	}
	var asked []workflow.Step
	for _, s := range steps {
		if s.Skip == "" && s.Run == workflow.RunRole {
			asked = append(asked, s)
		}
	}
	repairs := r.repairs(steps)
	faults := r.faults(append(slices.Clone(asked), repairs...))
	writers, authors := slices.Clone(r.order.Writers), slices.Clone(r.order.Authors)
	for _, s := range asked {
		choice, code := r.resolve(s, writers, authors, r.pinned(s.Role))
		if code != outcome.OK {
			return unresolved(s, choice, code)
		}
		// A profile that a person allowed is asked after the one it stands in for.
		due, _ := r.resolve(s, writers, authors, "")
		for _, p := range []policy.Profile{due.Profile, choice.Profile} {
			if fault := faults[p.Name]; fault != nil {
				return unable(s, p.Name, fault)
			}
		}
		// A draft has an author too, whom its reader must not share a vendor with.
		if !choice.Profile.ReadOnly || s.Role == workflow.Planner {
			writers, authors = append(writers, choice.Profile.Vendor), append(authors, choice.Profile.Name)
		}
	}
	r.passOver(faults)
	for _, s := range repairs {
		choice, code := r.resolve(s, nil, nil, "")
		for _, x := range choice.Rejected {
			if fault := faults[x.Profile]; fault != nil && code != outcome.OK {
				return unable(s, x.Profile, fault)
			}
		}
	}
	return nil
}

// resolve answers whose turn a step is. Before passOver nobody is passed over for
// a fault, so that the fault of the profile whose turn it is can be told.
func (r *roles) resolve(s workflow.Step, writers, authors []string, pinned string) (roster.Choice, outcome.Code) {
	return roster.Resolve(roster.Request{
		Role: s.Role, Home: r.order.Home, Writers: writers, Authors: authors, PeerAllowed: r.peerAllowed(), Rotation: r.rotation(s),
		Acquires: r.acquires(s.Role),
		Pinned:   pinned, Available: r.available, Unfit: r.dispatcher.Unfit,
	})
}

func (r *roles) available(p policy.Profile) error {
	return r.dispatcher.Vendor.Available(p, r.machine.Environ)
}

// unable says that the profile whose turn it is could not be called.
func unable(s workflow.Step, profile string, fault *role.Refused) *engine.Refusal {
	return &engine.Refusal{Code: workflow.Reason(s.Stage, fault.Code), Detail: fmt.Sprintf("the role %s cannot be asked, since profile %q is at fault: %s", s.Role, profile, fault.Detail)}
}

func unresolved(s workflow.Step, choice roster.Choice, code outcome.Code) *engine.Refusal {
	var why []string
	var rejected []ledger.Rejection
	for _, x := range choice.Rejected {
		rejected = append(rejected, ledger.Rejection{Profile: x.Profile, Reason: x.Reason})
		why = append(why, x.Profile+": "+x.Reason)
		if x.Reason == string(outcome.JudgeNotReadOnly) {
			code = outcome.JudgeNotReadOnly
		}
	}
	reason := outcome.Code(s.Role + "_failed")
	if policy.Judges(s.Role) {
		reason = outcome.IndependentReviewMissing
	}
	if code == outcome.JudgeNotReadOnly {
		reason = code
	}
	return &engine.Refusal{Code: reason, Detail: fmt.Sprintf("nobody may take the role %s (%s)", s.Role, strings.Join(why, "; ")), Rejected: rejected}
}
