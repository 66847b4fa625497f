package workflow

import "github.com/tolboy/warden/internal/outcome"

// Reason translates the code of a failed role into the reason recorded at the
// gate. Faults of an endpoint or a roster keep a name of their own, because the
// person's next step differs; a fault of the role's work is "<role>_failed".
func Reason(s Stage, code outcome.Code) outcome.Code {
	switch code {
	case outcome.RoleQuotaExhausted, outcome.RoleFailoverDeclined:
		return outcome.QuotaExhausted
	case outcome.RoleFailoverNeedsConfirm:
		return outcome.FailoverNeedsConfirmation
	case outcome.RoleTurnsExhausted:
		return outcome.TurnCeilingReached
	case outcome.RoleTimeout:
		return outcome.RoleTimedOut
	case outcome.RoleOrcaUnavailable, outcome.RoleOrcaNoCoordinator, outcome.RoleOrcaNoWorktree, outcome.RoleOrcaStartFailed:
		return outcome.OrcaWorkerNotStarted
	case outcome.RoleOrcaLifecycle, outcome.RoleHumanInput, outcome.RoleCommandFailed, outcome.RoleLocalUnreachable, outcome.RoleLocalHTTPError:
		return outcome.VendorCallFailed
	case outcome.RoleCredentialRejected, outcome.RoleLocalKeyMissing:
		return outcome.VendorCredentialRejected
	case outcome.RoleArtifactUnparseable, outcome.RoleArtifactIncomplete, outcome.RoleArtifactSchema, outcome.RoleLocalUnreadable:
		return outcome.VendorProtocolFailed
	case outcome.RolePromptUndeliverable:
		return outcome.PromptUndeliverable
	case outcome.RoleRateLimited:
		return outcome.RateLimited
	case outcome.QualityExhausted, outcome.EscalationUnavailable, outcome.BudgetExhausted, outcome.ContractMutated, outcome.LedgerAltered,
		outcome.Interrupted, outcome.Stopped, outcome.PreflightOutsideScope,
		outcome.BaseRefUnresolvable, outcome.CandidateUnpublishable,
		outcome.GateInterrupted, outcome.GateInternalError, outcome.Unconfined,
		outcome.VisualUnavailable, outcome.VisualPortOccupied, outcome.VisualNoEvidence:
		return code
	}
	return s.FailureReason()
}

// Infrastructure reports whether the code names a fault that no repair of the
// candidate can cure, so that no fix round is bought for it.
func Infrastructure(code outcome.Code) bool {
	switch code {
	case outcome.RoleQuotaExhausted, outcome.RoleFailoverDeclined, outcome.RoleFailoverNeedsConfirm,
		outcome.RoleTurnsExhausted, outcome.RoleTimeout, outcome.RoleCommandFailed,
		outcome.RoleCredentialRejected, outcome.RoleArtifactUnparseable, outcome.RoleArtifactIncomplete,
		outcome.RoleArtifactSchema, outcome.RolePromptUndeliverable, outcome.RoleRateLimited,
		outcome.RoleUnresolved, outcome.AuthorityDenied, outcome.RoleLocalUnreachable, outcome.RoleLocalKeyMissing,
		outcome.QualityExhausted, outcome.EscalationUnavailable,
		outcome.RoleLocalHTTPError, outcome.RoleLocalUnreadable, outcome.RoleOrcaUnavailable, outcome.RoleOrcaNoCoordinator,
		outcome.RoleOrcaNoWorktree, outcome.RoleOrcaStartFailed, outcome.RoleOrcaLifecycle, outcome.RoleOrcaReported, outcome.RoleHumanInput,
		outcome.BudgetExhausted, outcome.ContractMutated, outcome.LedgerAltered,
		outcome.Interrupted, outcome.Stopped, outcome.PreflightOutsideScope,
		outcome.BaseRefUnresolvable, outcome.GateInterrupted, outcome.GateInternalError, outcome.Unconfined,
		outcome.VisualUnavailable, outcome.VisualPortOccupied, outcome.VisualNoEvidence:
		return true
	}
	return false
}

// FindingsReason names how a run ends with blocking findings of the stage open.
func (s Stage) FindingsReason() outcome.Code {
	switch s.Role {
	case Reviewer:
		return outcome.BlockingFindingsRemain
	case VisualQA:
		return outcome.VisualFindingsRemain
	case PlanReviewer:
		return outcome.PlanReviewFindingsRemain
	}
	return outcome.Code(s.Role + "_findings_remain")
}
