// Package report joins the events of a run into what a person wants to know: how
// it went, who did what, what it cost, and what is asked. It computes everything
// from the chain, knows nothing else, and writes nothing.
package report

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/tolboy/warden/internal/decision"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/usage"
)

// Report is report.json. A quantity that nobody reported is null, never zero.
type Report struct {
	SchemaVersion  int                    `json:"schema_version"`
	RunID          string                 `json:"run_id"`
	Project        string                 `json:"project"`
	TaskID         string                 `json:"task_id"`
	Risk           string                 `json:"risk"`
	OK             *bool                  `json:"ok"`     // null while the run has not ended
	Reason         outcome.Code           `json:"reason"` // empty while the run has not ended
	Detail         string                 `json:"detail,omitempty"`
	NextAction     string                 `json:"next_action"`
	SafeNextStep   string                 `json:"safe_next_step,omitempty"`
	DryRun         bool                   `json:"dry_run"`
	StartedAt      time.Time              `json:"started_at"`
	EndedAt        *time.Time             `json:"ended_at"`
	BaseCommit     string                 `json:"diff_base_commit"`
	Branch         string                 `json:"branch,omitempty"`
	Candidate      ledger.Candidate       `json:"candidate"`
	ContractSHA256 string                 `json:"contract_sha256"`
	Confinement    string                 `json:"confinement"`
	Goal           string                 `json:"goal"`
	NonGoals       []string               `json:"non_goals,omitempty"`
	Workflow       []ledger.Stage         `json:"workflow"`
	Skipped        []ledger.StageSkipped  `json:"skipped_stages"`
	Baseline       Baseline               `json:"baseline"`
	Stages         []Stage                `json:"stages"`
	Vendors        []Vendor               `json:"vendors"`
	Failovers      []ledger.RoleFailover  `json:"failovers"`
	FailoverAsked  *ledger.Failover       `json:"failover_pending,omitempty"`
	ContractChange *ledger.ContractChange `json:"contract_change,omitempty"`
	OpenFindings   []outcome.Finding      `json:"open_findings"`
	ChangedFiles   []string               `json:"changed_files"`
	ContractFiles  []string               `json:"contract_files"`
	Violations     []string               `json:"violations,omitempty"`
	Decision       *decision.State        `json:"decision"`
	DecisionFault  string                 `json:"decision_problem,omitempty"`
	Totals         Totals                 `json:"totals"`
	ContinuedFrom  string                 `json:"continued_from,omitempty"`
	SealedHead     string                 `json:"sealed_head,omitempty"`
	// Incomplete says why the events are not all here, or not all understood. No
	// sum is exact then, so none is given.
	Incomplete string `json:"incomplete,omitempty"`
}

// Baseline is the state of the checks before anything was changed.
type Baseline struct {
	Configured    bool         `json:"configured"`
	Commands      []string     `json:"commands,omitempty"`
	Passed        *bool        `json:"passed"`
	Code          outcome.Code `json:"code,omitempty"`
	Report        string       `json:"report,omitempty"`
	ReportSHA256  string       `json:"report_sha256,omitempty"`
	ReusedFrom    string       `json:"reused_from,omitempty"`
	ReuseDeclined string       `json:"reuse_declined,omitempty"`
}

// Stage is one execution of a stage, or one dispatch of a fix round.
type Stage struct {
	Stage          string               `json:"stage,omitempty"`
	Step           string               `json:"step"`
	Kind           string               `json:"kind"` // "role", "machine_gates" or "visual_harness"
	Role           string               `json:"role,omitempty"`
	Attempt        int                  `json:"attempt"`
	Fix            bool                 `json:"fix,omitempty"`
	OK             *bool                `json:"ok"` // null: it did not finish
	Code           outcome.Code         `json:"code"`
	Detail         string               `json:"detail,omitempty"`
	Profile        string               `json:"profile,omitempty"`
	Vendor         string               `json:"vendor,omitempty"`
	Model          string               `json:"model,omitempty"`
	ModelMismatch  bool                 `json:"model_mismatch,omitempty"`
	Independence   string               `json:"independence,omitempty"`
	Verdict        string               `json:"verdict,omitempty"`
	Summary        string               `json:"summary,omitempty"`
	Findings       []outcome.Finding    `json:"findings,omitempty"`
	Blocking       int                  `json:"blocking_findings"`
	Calls          int                  `json:"calls"`
	CostUSD        usage.Amount         `json:"cost_usd"`
	CostUnknown    int                  `json:"cost_unknown_calls"`
	Input          usage.Amount         `json:"input_tokens"`
	Output         usage.Amount         `json:"output_tokens"`
	DurationMillis usage.Amount         `json:"duration_millis"`
	Attempts       []ledger.VendorCall  `json:"vendor_attempts,omitempty"`
	FailedOverFrom string               `json:"failed_over_from,omitempty"`
	Commands       []ledger.GateCommand `json:"commands,omitempty"`
	// Scenarios are what a browser was asked to see.
	Scenarios     []ledger.VisualScenario `json:"scenarios,omitempty"`
	Taken         []string                `json:"screenshots_taken,omitempty"` // by a role that looks
	Violations    []string                `json:"violations,omitempty"`
	ConfigChanged []string                `json:"configuration_changed,omitempty"`
	Report        string                  `json:"report,omitempty"`
	Fingerprint   string                  `json:"candidate_fingerprint,omitempty"`
	ReusedFrom    string                  `json:"reused_from,omitempty"`
	DryRun        bool                    `json:"dry_run,omitempty"`
	// Begun and Ended are for the timeline, and zero where the chain does not say.
	// They are in no file: summaries of earlier versions must come out the same.
	Begun time.Time `json:"-"`
	Ended time.Time `json:"-"`
}

// Vendor is what one model did in all. Every call counts, those that failed over
// or were interrupted too.
type Vendor struct {
	Vendor          string       `json:"vendor"`
	Model           string       `json:"model"`
	Calls           int          `json:"calls"`
	Failed          int          `json:"failed_calls"`
	CostUSD         usage.Amount `json:"cost_usd"`
	CostUnknown     int          `json:"cost_unknown_calls"`
	DurationMillis  usage.Amount `json:"duration_millis"`
	DurationUnknown int          `json:"duration_unknown_calls"`
	Input           usage.Amount `json:"input_tokens"`
	Output          usage.Amount `json:"output_tokens"`
	Total           usage.Amount `json:"total_tokens"`
	TokensUnknown   int          `json:"tokens_unknown_calls"`
}

// Totals are the sums of the run.
type Totals struct {
	RoleRuns           int          `json:"role_runs"` // vendor calls
	FailedRoleRuns     int          `json:"failed_role_runs"`
	UnfinishedCalls    int          `json:"unfinished_calls"` // charged, their cost unknown
	MachineStageRuns   int          `json:"machine_stage_runs"`
	FailedMachineRuns  int          `json:"failed_machine_stage_runs"`
	FixRounds          int          `json:"fix_rounds"`
	CostUSD            usage.Amount `json:"cost_usd"`
	UnpricedCalls      int          `json:"unpriced_calls"`
	CostCeilingBinding bool         `json:"cost_ceiling_binding"`
	CostByLoop         usage.Amount `json:"cost_usd_reported_by_loop"`
	RoleRunsByLoop     int          `json:"role_runs_reported_by_loop"`
	MaxRoleRuns        int          `json:"budget_max_role_runs"`
	MaxCostUSD         float64      `json:"budget_max_cost_usd"`
	MaxFixAttempts     int          `json:"max_fix_attempts"`
}

// The files that this package computes, beside decision.FileName.
const (
	FileName        = "report.json"
	TaskRunFileName = "task-run.json"
)

// Projections computes every summary of a run from its chain, for verification
// and for writing.
func Projections() map[string]ledger.Projection {
	return map[string]ledger.Projection{
		FileName:          Projection,
		TaskRunFileName:   TaskRunProjection,
		decision.FileName: decision.Projection,
	}
}

// Projection computes report.json.
func Projection(h ledger.History) ([]byte, error) { return encode(Build(h)) }

func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "\t")
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
