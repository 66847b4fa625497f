package report

import (
	"path"
	"time"

	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/usage"
)

// TaskRun is task-run.json: the summary that scripts read.
type TaskRun struct {
	RunID              string                 `json:"run_id"`
	TaskID             string                 `json:"task_id"`
	BaseCommit         string                 `json:"diff_base_commit"`
	ContractSHA256     string                 `json:"contract_sha256"`
	AcceptanceSHA256   string                 `json:"acceptance_sha256,omitempty"`
	Risk               string                 `json:"risk"`
	DryRun             bool                   `json:"dry_run"`
	MaxFixAttempts     int                    `json:"max_fix_attempts"`
	MaxRoleRuns        int                    `json:"budget_max_role_runs"`
	MaxCostUSD         float64                `json:"budget_max_cost_usd"`
	ReviewRequired     bool                   `json:"review_required"`
	VisualRequired     bool                   `json:"visual_qa_required"`
	BaselineRequired   bool                   `json:"baseline_required"`
	BaselineCommands   []string               `json:"baseline_commands"`
	WorkflowDeclared   bool                   `json:"workflow_declared"`
	FailoverMode       string                 `json:"failover_mode"`
	AuthorizedFailover *ledger.Switch         `json:"authorized_failover,omitempty"`
	Workflow           []ledger.Stage         `json:"workflow"`
	BudgetPlan         any                    `json:"budget_plan,omitempty"`
	Steps              []Stage                `json:"steps"`
	Skipped            []ledger.StageSkipped  `json:"skipped_stages"`
	Pending            []ledger.StageSkipped  `json:"pending_stages"`
	Incomplete         bool                   `json:"workflow_incomplete"`
	Fingerprint        string                 `json:"candidate_fingerprint,omitempty"`
	Commit             string                 `json:"candidate_commit,omitempty"`
	ContinuedFrom      string                 `json:"continued_from,omitempty"`
	CarriesRejection   bool                   `json:"carries_human_rejection,omitempty"`
	OpenBlocking       int                    `json:"open_blocking_findings"`
	Blocking           []outcome.Finding      `json:"blocking_findings"`
	ReviewPassed       bool                   `json:"candidate_review_passed"`
	Stale              []string               `json:"stale_judgements"`
	AttemptsUsed       int                    `json:"attempts_used"`
	TotalCostUSD       usage.Amount           `json:"total_cost_usd"`
	RoleRuns           int                    `json:"role_runs"`
	UnpricedCalls      int                    `json:"unpriced_calls"`
	CostCeilingBinding bool                   `json:"cost_ceiling_binding"`
	OK                 bool                   `json:"ok"`
	Reason             outcome.Code           `json:"reason"`
	Detail             string                 `json:"detail,omitempty"`
	NextAction         string                 `json:"next_action"`
	SafeNextStep       string                 `json:"safe_next_step,omitempty"`
	Resolution         string                 `json:"resolution,omitempty"`
	WouldStop          outcome.Code           `json:"would_stop,omitempty"`
	Violations         []string               `json:"preexisting_violations,omitempty"`
	BudgetLimitHit     string                 `json:"budget_limit_hit,omitempty"`
	FailoverPending    *ledger.Failover       `json:"failover_pending,omitempty"`
	ContractChange     *ledger.ContractChange `json:"contract_change,omitempty"`
	SealedHead         string                 `json:"sealed_head,omitempty"`
	Preparation        bool                   `json:"preparation,omitempty"`
	ledger.Forecast
	Gate
}

// Gate is where the question to a person stands. It is empty for a dry run.
type Gate struct {
	Path      string   `json:"decision_path,omitempty"`
	State     string   `json:"decision_state,omitempty"`
	Kind      string   `json:"decision_kind,omitempty"`
	Reason    string   `json:"decision_reason,omitempty"`
	Options   []string `json:"decision_options,omitempty"`
	UpdatedAt string   `json:"decision_updated_at,omitempty"`
	Decision  string   `json:"decision,omitempty"`
	Actor     string   `json:"decision_actor,omitempty"`
	Note      string   `json:"decision_note,omitempty"`
}

// TaskRunProjection computes task-run.json.
func TaskRunProjection(h ledger.History) ([]byte, error) { return encode(BuildTaskRun(h)) }

// BuildTaskRun joins the events of a run into its summary. A run that has not
// ended is not ok.
func BuildTaskRun(h ledger.History) TaskRun {
	r := Build(h)
	t := TaskRun{
		RunID: r.RunID, TaskID: r.TaskID, BaseCommit: r.BaseCommit, ContractSHA256: r.ContractSHA256,
		AcceptanceSHA256: h.Run.AcceptanceSHA256, Risk: r.Risk, DryRun: r.DryRun,
		MaxFixAttempts: r.Totals.MaxFixAttempts, MaxRoleRuns: r.Totals.MaxRoleRuns, MaxCostUSD: r.Totals.MaxCostUSD,
		BaselineRequired: r.Baseline.Configured, BaselineCommands: orEmpty(r.Baseline.Commands),
		Workflow: r.Workflow, Steps: r.Stages, Skipped: r.Skipped, Pending: []ledger.StageSkipped{}, Stale: []string{},
		Fingerprint: r.Candidate.Fingerprint, Commit: r.Candidate.Commit, ContinuedFrom: r.ContinuedFrom,
		Blocking: orEmpty(outcome.Blocking(r.OpenFindings)), AttemptsUsed: r.Totals.FixRounds,
		TotalCostUSD: r.Totals.CostUSD, RoleRuns: r.Totals.RoleRuns, UnpricedCalls: r.Totals.UnpricedCalls,
		CostCeilingBinding: r.Totals.CostCeilingBinding, OK: r.OK != nil && *r.OK, Reason: r.Reason, Detail: r.Detail,
		NextAction: r.NextAction, SafeNextStep: r.SafeNextStep, Violations: r.Violations,
		FailoverPending: r.FailoverAsked, ContractChange: r.ContractChange, SealedHead: r.SealedHead, Incomplete: r.OK == nil,
	}
	t.OpenBlocking = len(t.Blocking)
	for _, l := range h.Lines {
		t.line(l)
	}
	if r.Decision != nil {
		s := r.Decision
		t.Gate = Gate{
			Path: path.Join(".warden/runs", r.RunID, "decision.json"), State: s.State, Kind: string(s.Kind), Reason: s.Reason,
			Options: s.Options, UpdatedAt: s.UpdatedAt.Format(time.RFC3339Nano), Decision: s.Answer(),
		}
		if s.Actor != nil {
			t.Actor = *s.Actor
		}
		if s.Note != nil {
			t.Note = *s.Note
		}
	}
	return t
}

// line takes in what the report does not carry.
func (t *TaskRun) line(l ledger.Line) {
	p, err := l.Payload()
	if err != nil {
		return
	}
	switch e := p.(type) {
	case *ledger.RunReserved:
		t.ReviewRequired, t.VisualRequired = e.ReviewRequired, e.VisualRequired
		t.WorkflowDeclared, t.FailoverMode = e.WorkflowDeclared, e.FailoverMode
		t.AuthorizedFailover, t.BudgetPlan, t.CarriesRejection = e.AuthorizedFailover, e.BudgetPlan, e.CarriesRejection
		t.Preparation, t.Forecast = e.Preparation, e.Forecast
		if t.ContinuedFrom == "" {
			t.ContinuedFrom = e.ContinuedFrom
		}
	case *ledger.Ending:
		t.Pending = append(t.Pending, e.Pending...)
		t.Stale = append(t.Stale, e.Stale...)
		t.ReviewPassed, t.Resolution, t.WouldStop = e.ReviewPassed, e.Resolution, e.WouldStop
		t.BudgetLimitHit = e.BudgetLimitHit
		t.Incomplete = t.Incomplete || len(e.Pending) > 0
	}
}

func orEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
