package engine

import (
	"strings"

	"github.com/tolboy/warden/internal/budget"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
)

// nextStep says in one sentence what a person can do now. Advice that was given
// where the fault was found goes before what is known of its code alone.
func nextStep(s ledger.Ending) string {
	if s.Resolution != "" {
		return s.Resolution
	}
	switch s.Code {
	case outcome.ReadyForHuman:
		return "review the candidate and answer accept or reject" + weakness(s.Independence)
	case outcome.DryRun:
		return dryRunStep
	case outcome.BudgetExhausted, outcome.BudgetInsufficient:
		key := s.BudgetLimitHit
		if key == "" {
			key = budget.KeyCalls
		}
		return "raise budgets." + key + " in the task, then retry"
	case outcome.CostCapUnenforceable:
		return "set limits.max_cost_usd in every profile that may be asked, or budgets.cost_cap: threshold, which only stops once the ceiling is reached"
	case outcome.BaselineFailed:
		return "make the project's own baseline green on the unchanged tree, then retry"
	case outcome.ReproductionPassed:
		return "write an acceptance command that fails while the fault is there, or take the command out of reproduce; then retry"
	case outcome.ReproductionInconclusive:
		return "make every command of reproduce start, end in time and leave the source alone, then retry"
	case outcome.GatesNotSatisfied, outcome.GatesNotSatisfiedAfterFix:
		return "read the failing command in the gate report; retry, or change the goal"
	case outcome.GateInternalError, outcome.GateInterrupted:
		return "the checks themselves could not be run, which says nothing about the candidate; mend what the detail names, then retry"
	case outcome.Unconfined:
		return "install bubblewrap, or say allow_unconfined: true in policy.yaml"
	case outcome.BlockingFindingsRemain:
		return "read the reviewer's findings; retry, or change the goal"
	case outcome.QuotaExhausted:
		return "wait for the vendor's plan to renew, or name another vendor's profile for the role"
	case outcome.FailoverNeedsConfirmation:
		return "answer switch to let the named profile take the role, or abort"
	case outcome.RateLimited:
		return "wait as long as the vendor asks, then retry"
	case outcome.TurnCeilingReached:
		return "raise the turn limit in the profile's args, then retry"
	case outcome.RoleTimedOut:
		return "raise limits.wall_clock_minutes in the profile, then retry"
	case outcome.QualityExhausted:
		return "every pair of escalation.rungs has tried and the reviews still block; read the findings, then change the goal or the rungs"
	case outcome.EscalationUnavailable:
		return "the pair whose turn it is cannot be asked; see the rejected profiles in the role report, then retry"
	case outcome.OrcaWorkerNotStarted:
		return "see that Orca runs, knows the worktree, and that Warden was started in one of its terminals; then retry"
	case outcome.VendorCredentialRejected:
		return "check the credential that the profile names, then retry"
	case outcome.VendorCallFailed, outcome.VendorProtocolFailed:
		return "read the tails of both streams in the role report, then retry"
	case outcome.ContractMutated:
		return "the contract changed during the run: " + strings.Join(s.ContractFiles, ", ") + "; restore it, or commit it and start again"
	case outcome.IndependentReviewMissing:
		return "give the role a verified profile of another vendor than the writer's"
	case outcome.VisualContractInvalid:
		return "mend visual_qa.scenarios of the task, where warden validate shows each place; commit it and start again"
	case outcome.StageUnsupported:
		return "take the stage out of workflow.stages, or the role out of policy.yaml: this version does not have it"
	case outcome.VisualFailed:
		return "look at the screenshots and the failed steps in the report of the browser stage; retry, or change the goal"
	case outcome.VisualUnavailable:
		return "see what the detail names: the browser, the command that serves the page, or the address; mend it, then retry"
	case outcome.VisualPortOccupied:
		return "end the program that answers at visual_qa.url, or take visual_qa.start out of the task so that it is used; then retry"
	case outcome.VisualNoEvidence:
		return "a verdict stands that no picture shows; see the report of the browser stage, or of the role that looks, then retry"
	case outcome.VisualFindingsRemain:
		return "read what the visual_qa role found beside the pictures that it names; retry, or change the goal"
	case outcome.CandidateUnpublishable:
		return "the candidate holds what can never be published; see the refused paths"
	case outcome.NothingChanged:
		return "the writer changed nothing; say more precisely what should change, then retry"
	case outcome.RepairMadeNoProgress:
		return "the writer answered a finding without changing a byte; read the finding and the answer, then retry or change the goal"
	case outcome.FindingProtocolFailure:
		return "the reader filed a closed finding again, or a new one after it had closed some, and named no new evidence; read its findings, then retry or change the goal"
	case outcome.Stopped:
		return "a person stopped the run; retry when it should go on"
	case outcome.Interrupted:
		return "the run was cut off; retry"
	}
	return "read the report, then retry or abort"
}

const dryRunStep = "nothing was dispatched; run the same command without --dry-run"

// PlanStep says in one sentence what a person can do about a preparation that came
// to nothing, or that asks.
func PlanStep(code outcome.Code) string {
	switch code {
	case outcome.DryRun:
		return dryRunStep
	case outcome.PlanRefused:
		return "say more precisely what is wanted, with --scope and --risk where you know them; --prepare off asks no planner"
	case outcome.PlannerFailed:
		return "read what the planner says stands in the way; change the goal, or use --prepare off"
	case outcome.PlanReviewFindingsRemain:
		return "read the draft and what its reader objects to; answer replan for another draft, proceed to take this one as it is, or abort"
	case outcome.FailoverNeedsConfirmation, outcome.QuotaExhausted:
		return "wait for the vendor's plan to renew, or put another vendor's profile first in the role"
	}
	return "correct what the detail names, then start again"
}

// weakness says what a person should know of a review that is not independent.
func weakness(label string) string {
	switch label {
	case "", independent:
		return ""
	case "unproven":
		return "; its review is unproven: the candidate holds changes of which it is not known who made them"
	case "coauthor":
		return "; its reader is a coauthor: the reader's vendor wrote a part of the candidate"
	}
	return "; its review is not independent (" + label + "): the reader is of the writer's vendor"
}
