package metrics

import "github.com/tolboy/warden/internal/outcome"

// prepareUnsupported ended runs of versions that had no planner. Their ledgers are
// still read.
const prepareUnsupported outcome.Code = "prepare_unsupported"

// misconfigured reports whether a code blames who runs, or what is asked of them.
func misconfigured(c outcome.Code) bool {
	switch c {
	case outcome.AuthorityDenied, outcome.RoleUnresolved, outcome.RoleNotConfigured, outcome.RolePromptUndeliverable,
		outcome.RoleCredentialRejected, outcome.RoleLocalKeyMissing, outcome.RoleLocalUnreachable, outcome.RoleOrcaUnavailable, outcome.RoleOrcaNoCoordinator, outcome.RoleOrcaNoWorktree, outcome.RoleOrcaStartFailed,
		outcome.OrcaWorkerNotStarted, outcome.PolicyInvalid, outcome.JudgeNotReadOnly, outcome.IndependentReviewMissing,
		outcome.PromptUndeliverable, outcome.VendorCredentialRejected, outcome.StageUnsupported, outcome.VisualContractInvalid, prepareUnsupported, outcome.Unconfined:
		return true
	}
	return false
}

// preparation reports whether the run drafted a task and was no work on one. What
// ended with a candidate was, whatever its reservation says.
func (f *facts) preparation() bool {
	return f.drafts && f.ended != nil && f.ended.Code != outcome.ReadyForHuman
}

func (f *facts) verdict(dryRun bool, events int) string {
	switch {
	case events == 0:
		return NoEvidence
	case f.ended == nil:
		return Unfinished
	case dryRun:
		return DryRun
	case f.preparation() && f.ended.OK:
		return Prepared
	case f.preparation():
		return NotPrepared
	case f.ended.OK:
		return Passed
	}
	return Failed
}
