// Package outcome is the vocabulary of results: what a check, a stage or a run
// came to. A failed check is a value of this package; an error means that we
// could not tell.
package outcome

// Code names one way a check, a call, a stage or a run can end. The set is
// closed: every value is declared in this package and listed in spec/SPEC.md.
type Code string

// Codes of a run, which are also the reasons recorded at its gate.
const (
	ReadyForHuman             Code = "ready_for_human"
	DryRun                    Code = "dry_run"
	RunPreflightFailed        Code = "run_preflight_failed"
	RunIDExists               Code = "run_id_exists"
	PreflightOutsideScope     Code = "preflight_outside_scope"
	BaselineFailed            Code = "baseline_failed"
	ImplementerFailed         Code = "implementer_failed"
	ReviewerFailed            Code = "reviewer_failed"
	ArchitectFailed           Code = "architect_failed"
	FixAttemptFailed          Code = "fix_attempt_failed"
	GatesNotSatisfied         Code = "gates_not_satisfied"
	GatesNotSatisfiedAfterFix Code = "gates_not_satisfied_after_fix"
	BlockingFindingsRemain    Code = "blocking_findings_remain"
	ContractMutated           Code = "contract_mutated"
	QuotaExhausted            Code = "quota_exhausted"
	FailoverNeedsConfirmation Code = "failover_requires_confirmation"
	TurnCeilingReached        Code = "turn_ceiling_reached"
	BudgetExhausted           Code = "budget_exhausted"
	BudgetInsufficient        Code = "budget_insufficient_to_finish"
	UnexpectedError           Code = "unexpected_error"
	IndependentReviewMissing  Code = "independent_review_unavailable"
	JudgeNotReadOnly          Code = "judge_not_read_only"
	PolicyInvalid             Code = "policy_invalid"
	RateLimited               Code = "rate_limited"
	VendorCredentialRejected  Code = "vendor_credential_rejected"
	SetupFailed               Code = "setup_failed"
	RoleTimedOut              Code = "role_timed_out"
	VendorCallFailed          Code = "vendor_call_failed"
	VendorProtocolFailed      Code = "vendor_protocol_failed"
	PromptUndeliverable       Code = "prompt_undeliverable"
	RepairMadeNoProgress      Code = "repair_made_no_progress"
	SeverityDowngraded        Code = "severity_downgraded_without_change"
	Interrupted               Code = "interrupted"
	Stopped                   Code = "stopped_by_person"
	LedgerAltered             Code = "ledger_altered"
	StageUnsupported          Code = "stage_unsupported"
	PrepareUnsupported        Code = "prepare_unsupported"
	Unconfined                Code = "unconfined_refused"
	CandidateUnpublishable    Code = "candidate_unpublishable"
	NothingChanged            Code = "nothing_changed"
	ForgeRefused              Code = "forge_refused"
	VisualRoleFailed          Code = "visual_qa_role_failed"
	VisualFailed              Code = "visual_qa_failed"
	VisualFindingsRemain      Code = "visual_findings_remain"
)

// Codes of machine gates.
const (
	Passed                   Code = "passed"
	BaseRefUnresolvable      Code = "base_ref_unresolvable"
	BlastRadiusBeforeCommand Code = "blast_radius_before_command"
	BlastRadiusAfterCommand  Code = "blast_radius_after_command"
	GateTimeout              Code = "gate_timeout"
	CommandTimeout           Code = "command_timeout"
	CommandFailed            Code = "command_failed"
	GateInterrupted          Code = "gate_interrupted"
	GateInternalError        Code = "gate_internal_error"
	BaselineMutatedSource    Code = "baseline_mutated_source"
)

// Codes of one role dispatch.
const (
	OK                       Code = "ok"
	RoleUnresolved           Code = "role_unresolved"
	RoleQuotaExhausted       Code = "role_quota_exhausted"
	RoleRateLimited          Code = "role_rate_limited"
	RoleTurnsExhausted       Code = "role_turns_exhausted"
	RoleTimeout              Code = "role_timeout"
	RoleCommandFailed        Code = "role_command_failed"
	RoleCredentialRejected   Code = "role_credential_rejected"
	RoleArtifactUnparseable  Code = "role_artifact_unparseable"
	RoleArtifactIncomplete   Code = "role_artifact_incomplete"
	RoleArtifactSchema       Code = "role_artifact_schema_violation"
	RoleViolatedReadOnly     Code = "role_violated_read_only"
	RoleReportedBlocked      Code = "role_reported_blocked"
	RoleReportedAborted      Code = "role_reported_aborted"
	RolePromptUndeliverable  Code = "role_prompt_undeliverable"
	RoleFailoverNeedsConfirm Code = "role_failover_requires_confirmation"
	RoleFailoverDeclined     Code = "failover_declined_by_policy"
	RoleNotConfigured        Code = "role_not_configured"
	AuthorityDenied          Code = "authority_denied"
	RoleLocalUnreachable     Code = "role_local_endpoint_unreachable"
	RoleLocalKeyMissing      Code = "role_local_api_key_missing"
	RoleLocalHTTPError       Code = "role_local_http_error"
	RoleLocalUnreadable      Code = "role_local_response_unreadable"
)
