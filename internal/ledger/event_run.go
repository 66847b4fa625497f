package ledger

import (
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/usage"
)

// RunReserved is the first event: the task as it was taken, and the plan.
type RunReserved struct {
	Project            string   `json:"project"`
	Goal               string   `json:"goal"`
	NonGoals           []string `json:"non_goals,omitempty"`
	Risk               string   `json:"risk"`
	Scope              []string `json:"scope_paths"`
	Baseline           []string `json:"baseline_commands,omitempty"`
	Acceptance         []string `json:"acceptance_commands"`
	Stages             []Stage  `json:"workflow"`
	WorkflowDeclared   bool     `json:"workflow_declared"`
	ReviewRequired     bool     `json:"review_required"`
	VisualRequired     bool     `json:"visual_qa_required"`
	FailoverMode       string   `json:"failover_mode"`
	Limits             Limits   `json:"limits"`
	BudgetPlan         any      `json:"budget_plan,omitempty"` // budget's own value, shown as it is
	ContinuedFrom      string   `json:"continued_from,omitempty"`
	CarriesRejection   bool     `json:"carries_human_rejection,omitempty"`
	RejectionSHA256    string   `json:"rejection_sha256,omitempty"` // of the note, byte for byte
	AuthorizedFailover *Switch  `json:"authorized_failover,omitempty"`
	CarriedFailovers   []Switch `json:"carried_failovers,omitempty"` // allowed in runs before, the newest first
	Branch             string   `json:"branch,omitempty"`
	Isolation          string   `json:"isolation,omitempty"` // "worktree", "mirror" or "in_place"
	Confinement        string   `json:"confinement,omitempty"`
	DryRun             bool     `json:"dry_run"`
	// SetupCache is the key of the caches that children got read-only.
	SetupCache string `json:"setup_cache,omitempty"`
	// Preparation says that this run only drafts the task of another.
	Preparation bool `json:"preparation,omitempty"`
	Forecast
}

// Stage is one step of the planned chain.
type Stage struct {
	Name       string   `json:"stage"`
	Run        string   `json:"run"` // "role", "machine_gates" or "visual_harness"
	Role       string   `json:"role,omitempty"`
	When       []string `json:"when,omitempty"`
	OnFail     string   `json:"on_fail"`
	OnFindings string   `json:"on_findings,omitempty"`
	Recheck    bool     `json:"recheck_after_fix"`
	FixWith    string   `json:"fix_with,omitempty"`
	Sees       string   `json:"sees,omitempty"`
}

// Limits are the ceilings of the run. MaxCostUSD zero is no ceiling.
type Limits struct {
	MaxRoleRuns    int     `json:"budget_max_role_runs"`
	MaxCostUSD     float64 `json:"budget_max_cost_usd"`
	MaxFixAttempts int     `json:"max_fix_attempts"`
	TimeoutSeconds int64   `json:"timeout_seconds"`
	CostCap        string  `json:"budget_cost_cap,omitempty"` // "strict"; empty is a threshold
	ElapsedSeconds int64   `json:"budget_max_elapsed_seconds,omitempty"`
	GateTTLSeconds int64   `json:"gate_ttl_seconds,omitempty"`
}

// Switch is one permitted substitution of a profile.
type Switch struct {
	Role    string `json:"role"`
	Profile string `json:"to_profile"`
}

// StageStarted is written before a stage does anything. A stage that has no
// result after it did not finish.
type StageStarted struct {
	Stage    string `json:"stage"`
	Label    string `json:"step"`
	Run      string `json:"run"`
	Role     string `json:"role,omitempty"`
	Position int    `json:"position"` // from 1
	Of       int    `json:"of"`
	Attempt  int    `json:"attempt"`
	Fix      bool   `json:"fix,omitempty"`     // the dispatch of a fix round, not the stage itself
	Recheck  bool   `json:"recheck,omitempty"` // run again after a fix
	Dir      string `json:"dir,omitempty"`     // where its files go, relative to the runs directory
}

// StageSkipped is a stage that was not owed, and why.
type StageSkipped struct {
	Stage  string `json:"stage"`
	Role   string `json:"role,omitempty"`
	Reason string `json:"reason"`
}

// FixRound says why the work goes back to the writer.
type FixRound struct {
	Attempt  int          `json:"attempt"` // the round, from 1
	Of       int          `json:"of"`
	Stage    string       `json:"stage"` // the one that complained
	Kind     string       `json:"kind"`  // "gates", "review", "visual", "visual-review" or "role"
	Code     outcome.Code `json:"code"`
	FixWith  string       `json:"fix_with"`
	Blocking int          `json:"blocking_findings"`
	Context  string       `json:"context,omitempty"`
	CallsFor int          `json:"calls_reserved"`
	Left     int          `json:"calls_left"`
	Finish   bool         `json:"will_finish"` // the reserve covers the rest of the chain too
}

// Candidate is the tree that a run offers. Commit is empty where none was made.
type Candidate struct {
	Stage       string `json:"stage,omitempty"`
	Attempt     int    `json:"attempt"`
	Commit      string `json:"commit,omitempty"`
	Parent      string `json:"parent,omitempty"`
	Branch      string `json:"branch,omitempty"`
	Fingerprint string `json:"candidate_fingerprint"`
	Full        string `json:"full_fingerprint,omitempty"`
	Files       int    `json:"files"`
}

// Reused are the verdicts of an earlier run that stand in for calls of this one.
type Reused struct {
	From   string   `json:"from"` // the run that is continued
	Stages []string `json:"stages"`
}

// Declined is a verdict that was not carried, and why.
type Declined struct {
	Stage  string `json:"stage"`
	Reason string `json:"reason"`
}

// BudgetChange are the limits that differ from those of the run that is continued,
// where nothing else in the contract does.
type BudgetChange struct {
	Before Limits `json:"before"`
	After  Limits `json:"after"`
}

// Parked is the work of a run that ended without a candidate, as a commit that
// nobody judged and nobody can accept. Left are the paths that could not be kept;
// Problem says why nothing was.
type Parked struct {
	Commit  string   `json:"commit,omitempty"`
	Parent  string   `json:"parent,omitempty"`
	Left    []string `json:"left_out,omitempty"`
	Problem string   `json:"problem,omitempty"`
}

// Interrupted is a vendor call that was in flight when a process died. It is
// charged as a call; what it cost is unknown.
type Interrupted struct {
	CallID  string `json:"call_id"`
	Stage   string `json:"stage"`
	Role    string `json:"role"`
	Profile string `json:"profile"`
	Vendor  string `json:"vendor"`
	Model   string `json:"model,omitempty"`
	Attempt int    `json:"attempt"`
	Detail  string `json:"detail,omitempty"`
}

// ContractChange is an edit of the task that a reader proposed: what it adds, and
// the whole text as it would be written. Nothing writes it but a person's answer.
type ContractChange struct {
	File       string   `json:"task_file"` // relative to the project
	Before     string   `json:"before_sha256,omitempty"`
	After      string   `json:"after_sha256,omitempty"`
	Text       string   `json:"text_path,omitempty"` // evidence that holds the text
	Acceptance []string `json:"acceptance,omitempty"`
	Scope      []string `json:"scope_paths,omitempty"`
	Findings   []string `json:"findings"`          // ids of those that ask for it
	Problem    string   `json:"problem,omitempty"` // why it cannot be made
}

// Offered reports whether a person can be asked to have the edit made.
func (c *ContractChange) Offered() bool { return c != nil && c.Problem == "" && c.After != "" }

// Ending is how the work of a run ended: ready for a person, or stopped. It is
// the event that seals the ledger.
type Ending struct {
	OK                 bool              `json:"ok"`
	Code               outcome.Code      `json:"reason"`
	Detail             string            `json:"detail,omitempty"`
	NextAction         string            `json:"next_action"` // "human_gate", "human_escalation" or "none"
	SafeNextStep       string            `json:"safe_next_step,omitempty"`
	Resolution         string            `json:"resolution,omitempty"`
	WouldStop          outcome.Code      `json:"would_stop,omitempty"` // of a dry run
	Stage              string            `json:"stage,omitempty"`      // the one that stopped it
	Candidate          *Candidate        `json:"candidate,omitempty"`
	Parked             *Parked           `json:"parked,omitempty"`
	AttemptsUsed       int               `json:"attempts_used"`
	RoleRuns           int               `json:"role_runs"` // calls charged, interrupted ones included
	Usage              usage.Total       `json:"usage"`
	CostCeilingBinding bool              `json:"cost_ceiling_binding"`
	BudgetLimitHit     string            `json:"budget_limit_hit,omitempty"`
	ChangedFiles       []string          `json:"changed_files,omitempty"`
	ContractFiles      []string          `json:"contract_files,omitempty"`
	Violations         []string          `json:"violations,omitempty"`
	OpenFindings       []outcome.Finding `json:"open_findings,omitempty"`
	Stale              []string          `json:"stale_judgements,omitempty"`
	Rejected           []Rejection       `json:"rejected_profiles,omitempty"` // where nobody may take a role
	Pending            []StageSkipped    `json:"pending_stages,omitempty"`
	ReviewPassed       bool              `json:"candidate_review_passed"`
	Independence       string            `json:"review_independence,omitempty"` // the weakest of the readers' labels
	Unexplained        bool              `json:"unexplained_changes,omitempty"` // the run started from changes that no known run made
	Failover           *Failover         `json:"failover_pending,omitempty"`
	ContractChange     *ContractChange   `json:"contract_change,omitempty"`
	Confinement        string            `json:"confinement,omitempty"`
	DurationMillis     int64             `json:"duration_millis"`
	Reused             *Reused           `json:"reused_judgements,omitempty"`
	ReuseDeclined      string            `json:"reuse_declined,omitempty"` // why nothing is carried
	DeclinedByStage    []Declined        `json:"reuse_declined_by_stage,omitempty"`
	DeclinedAtUse      []Declined        `json:"reuse_declined_at_consumption,omitempty"`
	BudgetChange       *BudgetChange     `json:"contract_change_budget_only,omitempty"`
	Chain              *Chain            `json:"chain,omitempty"` // what the runs that continue each other spent, this one included
}
