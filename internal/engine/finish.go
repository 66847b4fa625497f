package engine

import (
	"context"
	"strings"

	"github.com/tolboy/warden/internal/grace"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/workflow"
)

// Next actions.
const (
	HumanGate       = "human_gate"
	HumanEscalation = "human_escalation"
	NoAction        = "none"
)

// independent is what a reader's record says of it where every writer is known and
// none has its vendor. Every other label is weaker.
const independent = "independent"

// finish takes a last look, makes the candidate, and seals the run. Whatever
// reason the loop gave, a contract that moved and a candidate that cannot be
// published outrank a success. It goes on when ctx has ended: an interrupted run
// is sealed too, within a grace.
func (r *run) finish(ctx context.Context, reason outcome.Code, detail string) (ledger.Ending, error) {
	ctx, done := grace.Context(ctx, grace.Period)
	defer done()
	e := &r.end
	e.Code, e.Detail = reason, detail
	e.OK = reason == outcome.ReadyForHuman || reason == outcome.DryRun
	e.CostCeilingBinding = e.Usage.Unpriced == 0
	if reason == outcome.ReadyForHuman {
		r.lastLook(ctx)
	}
	r.judged()
	e.ChangedFiles = r.tree.Changed
	if e.OK && !r.DryRun {
		r.candidate(ctx)
	}
	if !e.OK && !r.DryRun {
		r.park(ctx)
	}
	files, err := r.propose()
	if err != nil {
		return *e, err
	}
	e.NextAction = HumanEscalation
	kind := ledger.TypeStopped
	switch {
	case r.DryRun:
		e.NextAction = NoAction
	case e.OK:
		e.NextAction, kind = HumanGate, ledger.TypeReadyForHuman
	}
	if e.Resolution == "" && r.recheck() && (e.Code == outcome.BudgetExhausted || e.Code == outcome.BudgetInsufficient) {
		e.Resolution = recheckSpent
	}
	e.SafeNextStep = nextStep(*e)
	if r.exhausted(e.Code) {
		e.SafeNextStep += "; every fix round of this task is used, so raise max_fix_attempts before a retry"
	}
	if e.ContractChange.Offered() {
		e.SafeNextStep = proposalText(*e.ContractChange)
	}
	e.Chain = r.chain()
	e.Confinement = r.Reserved.Confinement
	e.DurationMillis = r.Now().Sub(r.began).Milliseconds()
	return *e, r.append(kind, *e, files...)
}

// lastLook compares the tree that is offered with the one that was judged.
func (r *run) lastLook(ctx context.Context) {
	e := &r.end
	tree, err := r.Eyes.Look(ctx)
	if err != nil {
		e.OK, e.Code, e.Detail = false, outcome.UnexpectedError, err.Error()
		return
	}
	switch {
	case len(tree.Contract) > 0:
		e.OK, e.Code, e.ContractFiles = false, outcome.ContractMutated, tree.Contract
		e.Detail = "the contract changed during the run: " + strings.Join(tree.Contract, ", ")
	case len(tree.Refused) > 0:
		e.OK, e.Code, e.Violations = false, outcome.CandidateUnpublishable, tree.Refused
		e.Detail = strings.Join(tree.Refused, ", ")
	case len(tree.Outside) > 0:
		e.OK, e.Code, e.Violations = false, outcome.GatesNotSatisfied, tree.Outside
		e.Detail = "outside the scope: " + strings.Join(tree.Outside, ", ")
	case tree.Source != r.tree.Source:
		e.OK, e.Code, e.Detail = false, outcome.UnexpectedError, "the tree changed after it was judged"
	case len(r.unread(tree)) > 0:
		e.OK, e.Code = false, outcome.UnexpectedError
		e.Detail = "a check changed the tree after it was judged, and no repair asked for that: " + strings.Join(r.unread(tree), ", ") + " saw another one"
	case r.wrote && tree.Source == r.start.Source && !(r.Standing && len(tree.Changed) > 0):
		e.OK, e.Code, e.Detail = false, outcome.NothingChanged, "the writer changed nothing"
	}
	r.tree = tree
}

// unread are the stages that are to see every change and have seen another tree.
func (r *run) unread(tree Tree) []string {
	var out []string
	for _, s := range r.Steps {
		if v, spoke := r.verdict[s.Name]; s.Skip == "" && s.Recheck && spoke && v.tree != tree.Source {
			out = append(out, s.Name)
		}
	}
	return out
}

// judged lists what the judges left open, and whose last word was about another
// tree than the one that is offered.
func (r *run) judged() {
	e := &r.end
	read, clean := false, true
	for _, s := range r.Steps {
		v, spoke := r.verdict[s.Name]
		switch {
		case s.Skip != "":
		case !spoke && (s.Run != workflow.RunRole || s.OnFindings != workflow.RouteNone):
			e.Pending = append(e.Pending, ledger.StageSkipped{Stage: s.Name, Role: s.Role, Reason: "not_reached"})
		case spoke && v.tree != r.tree.Source:
			e.Stale = append(e.Stale, s.Name)
			e.Pending = append(e.Pending, ledger.StageSkipped{Stage: s.Name, Role: s.Role, Reason: "judged_an_earlier_candidate"})
			clean = false
		case spoke && !v.ok:
			e.Pending = append(e.Pending, ledger.StageSkipped{Stage: s.Name, Role: s.Role, Reason: "did_not_pass"})
			clean = false
		}
		e.OpenFindings = append(e.OpenFindings, v.findings...)
		if v.independence != "" && (e.Independence == "" || e.Independence == independent) {
			e.Independence = v.independence
		}
		read = read || spoke && s.OnFindings != workflow.RouteNone
	}
	e.ReviewPassed = read && clean && len(outcome.Blocking(e.OpenFindings)) == 0
}

// candidate makes the tree a commit, where there is somebody to make it.
func (r *run) candidate(ctx context.Context) {
	e := &r.end
	c := ledger.Candidate{Fingerprint: r.tree.Source, Files: len(r.tree.Changed), Attempt: e.AttemptsUsed}
	if r.Committer != nil {
		e.Candidate = &c // what was judged, and what the commit has to be
		made, err := r.Committer.Commit(ctx, *e, r.Writers)
		if err != nil {
			e.OK, e.Code, e.Detail, e.Candidate = false, outcome.CandidateUnpublishable, err.Error(), nil
			return
		}
		made.Fingerprint, made.Files, made.Attempt = c.Fingerprint, c.Files, c.Attempt
		c = made
	}
	e.Candidate = &c
}

// park keeps what was made for nothing where no worktree stays behind: it was paid
// for, and a person may want to read it. It is not a candidate.
func (r *run) park(ctx context.Context) {
	if r.Committer == nil || !r.wrote {
		return
	}
	parked, err := r.Committer.Park(ctx, r.end)
	if err != nil {
		parked = &ledger.Parked{Problem: err.Error()}
	}
	r.end.Parked = parked
}
