// Package reuse decides which verdicts of an earlier run still hold in the run that
// continues it. It is pure, and says of everything that it does not carry why not. A
// verdict holds over the very bytes, and under the very terms, that it was given for.
package reuse

import (
	"fmt"

	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/workflow"
)

// Terms are what the verdicts of a run are given under.
type Terms struct {
	Base       string // commit that the diff is taken from
	Contract   string // digest of the whole contract
	Acceptance string // digest of what a candidate is judged by
	Program    string // version of Warden
	Task       string // of the task's text, where that is no file of the contract; "" is not compared
	// Role is the digest of what decides the worth of a role's word when the profile
	// gives it; "" when the profile is not there any more.
	Role func(step workflow.Step, profile string) string
}

// Pool is what may be carried.
type Pool struct {
	From       string                    // the run that is continued
	Verdicts   map[string]ledger.RoleRun // by stage
	Declined   string                    // why nothing is carried, "" when something may be
	ByStage    []ledger.Declined
	BudgetOnly bool // the contract differs in what it lets a run spend, and in nothing else
	Registry   workflow.Registry
}

// Judge holds an earlier run against the terms and the tree of now.
func Judge(h ledger.History, steps []workflow.Step, t Terms, tree string) Pool {
	p := Pool{From: h.Run.RunID, Verdicts: map[string]ledger.RoleRun{}}
	s, err := summarise(h)
	if err != nil {
		p.Declined = "the ledger of " + p.From + " does not read: " + err.Error()
		return p
	}
	if p.Declined = s.declined(h.Run, t, tree); p.Declined != "" {
		return p
	}
	p.BudgetOnly = h.Run.ContractSHA256 != t.Contract
	for _, step := range steps {
		if step.Skip != "" || step.Run != workflow.RunRole {
			continue
		}
		row, why := s.verdict(step, t, tree)
		if why != "" {
			p.ByStage = append(p.ByStage, ledger.Declined{Stage: step.Name, Reason: why})
			continue
		}
		p.Verdicts[step.Name] = row
	}
	p.Registry = s.registry(steps, t)
	return p
}

// declined says why nothing of the run can be carried.
func (s summary) declined(head ledger.RunHead, t Terms, tree string) string {
	switch {
	case !s.ended:
		return "it has not ended"
	case !AboutTheWorld(s.reason):
		return fmt.Sprintf("it ended with %s, which is about the work and not about the world around it", s.reason)
	case head.BaseCommit != t.Base:
		return fmt.Sprintf("the diff is taken from %s now, and was from %s", t.Base, head.BaseCommit)
	case head.ContractSHA256 != t.Contract && (head.AcceptanceSHA256 == "" || head.AcceptanceSHA256 != t.Acceptance):
		return "the contract changed in more than what a run may spend"
	case t.Task != "" && head.TaskSHA256 != t.Task:
		return "the task is another one: the text that it was made from changed"
	case head.WardenVersion != t.Program:
		return fmt.Sprintf("this is Warden %s, and it was Warden %s", t.Program, head.WardenVersion)
	case s.tree == "":
		return "it is not recorded which tree it left"
	case s.tree != tree:
		return "the tree is not the one that it left"
	}
	return ""
}

// verdict returns the last word of a stage, or why it does not hold.
func (s summary) verdict(step workflow.Step, t Terms, tree string) (ledger.RoleRun, string) {
	row, ok := s.last[step.Name]
	switch fix := s.written[step.Role]; {
	case !ok:
		return row, "it gave no verdict"
	case s.retired[step.Name] && fix == nil:
		return row, "a later repair retired it"
	case s.retired[step.Name] && row.OK:
		row = *fix // the writer's last word is its last repair
	}
	switch {
	case !row.OK:
		return row, fmt.Sprintf("it ended with %s", row.Code)
	case len(outcome.Blocking(row.Findings)) > 0 || row.Blocking > 0:
		return row, "it left blocking findings"
	case row.Candidate == "" || row.Candidate != tree:
		return row, "its verdict is about another tree"
	case row.RoleContract == "" || row.RoleContract != t.Role(step, row.Profile):
		return row, fmt.Sprintf("what the role is asked under changed since: the roster, the profile %s, its prompt, its schema, or the stage", row.Profile)
	}
	return row, ""
}

// AboutTheWorld reports whether a run that ended so says nothing against the verdicts
// that were given before: a vendor, a budget, a machine or a person stopped it.
func AboutTheWorld(reason outcome.Code) bool {
	switch reason {
	case outcome.PreflightOutsideScope, outcome.QuotaExhausted, outcome.FailoverNeedsConfirmation, outcome.TurnCeilingReached,
		outcome.BudgetExhausted, outcome.BudgetInsufficient, outcome.IndependentReviewMissing, outcome.RateLimited, outcome.RoleTimedOut,
		outcome.VendorCallFailed, outcome.VendorProtocolFailed, outcome.VendorCredentialRejected, outcome.PromptUndeliverable,
		outcome.GateInternalError, outcome.GateInterrupted, outcome.Interrupted, outcome.Stopped,
		outcome.VisualUnavailable, outcome.VisualPortOccupied, outcome.VisualNoEvidence:
		return true
	}
	return false
}
