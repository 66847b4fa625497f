// Package metrics folds the ledgers of many runs into numbers. What nobody
// reported is unknown and never zero, and a ledger that does not verify is named
// and is in no sum. docs/METRICS.md says what each number means.
package metrics

// SchemaVersion is the version of what this package returns.
const SchemaVersion = 1

// Ledger is what `warden ledger` prints.
type Ledger struct {
	SchemaVersion int `json:"schema_version"`
	RunCount      int `json:"run_count"`
	Passed        int `json:"passed"`
	Failed        int `json:"failed"`
	Unfinished    int `json:"unfinished"`
	DryRuns       int `json:"dry_runs"`
	NoEvidence    int `json:"no_evidence"`
	// Prepared and NotPrepared are preparations: they are neither passed nor failed.
	Prepared      int          `json:"prepared"`
	NotPrepared   int          `json:"not_prepared"`
	Complete      bool         `json:"complete"` // every ledger verified and was understood
	Unverified    []Unverified `json:"unverified"`
	NotUnderstood []Newer      `json:"not_understood"`
	Copies        int          `json:"copies,omitempty"` // of a run that is counted already
	Runs          []Run        `json:"runs"`
	Metrics       Metrics      `json:"metrics"`
	// Future are keys of Metrics that this version has no event for.
	Future []string `json:"future_dimensions"`
}

// The verdicts of a run.
const (
	Passed      = "passed"
	Prepared    = "prepared"     // a planner drafted the task
	NotPrepared = "not_prepared" // it was asked to, and there is none
	Failed      = "failed"
	Unfinished  = "unfinished"
	DryRun      = "dry_run"
	NoEvidence  = "no_evidence"
	Damaged     = "unverified"
)

// Run is one directory of runs.
type Run struct {
	RunID   string `json:"run_id"`
	Project string `json:"project_id,omitempty"` // where runs of several are added up
	Verdict string `json:"verdict"`
	Events  int    `json:"events"`
}

// Unverified is a ledger that is in no sum, and why.
type Unverified struct {
	RunID   string `json:"run_id"`
	Project string `json:"project_id,omitempty"`
	Code    string `json:"code"`
	First   string `json:"first"`
}

// Newer is a ledger with events of a version that this one does not know. It is in
// the sums with those that are known.
type Newer struct {
	RunID   string `json:"run_id"`
	Project string `json:"project_id,omitempty"`
	Events  int    `json:"unknown_events"`
}

// Metrics are the numbers.
type Metrics struct {
	SchemaVersion int        `json:"schema_version"`
	RoleRuns      RoleRuns   `json:"role_runs"`
	Telemetry     Telemetry  `json:"telemetry"`
	Iterations    Iterations `json:"iterations"`
	Failures      Failures   `json:"failures"`
	Human         Human      `json:"human"`
}

// RoleRuns counts vendor calls. A call without a value in a dimension is counted
// there as Unknown, so that each of them adds up to Total.
type RoleRuns struct {
	Total     int            `json:"total"`
	ByRole    map[string]int `json:"by_role"`
	ByProfile map[string]int `json:"by_profile"`
	ByVendor  map[string]int `json:"by_vendor"`
	ByModel   map[string]int `json:"by_model"`
	ByRunner  map[string]int `json:"by_runner"`
	ByOutcome map[string]int `json:"by_outcome"`
}

// Unknown stands for a value of a dimension that was not recorded.
const Unknown = "<unknown>"

// Telemetry is what vendor calls reported of themselves.
type Telemetry struct {
	CostUSD  Sum    `json:"cost_usd"`
	Tokens   Tokens `json:"tokens"`
	Duration Spread `json:"duration_millis"`
}

// Tokens are counted by the vendors, each in its own way.
type Tokens struct {
	Input  Sum `json:"input"`
	Output Sum `json:"output"`
	Total  Sum `json:"total"`
}

// Iterations are what was done more than once.
type Iterations struct {
	Failovers        int `json:"failovers"`
	FailoverRoleRuns int `json:"failover_role_runs"`
	FixRounds        int `json:"fix_rounds"`
	FixRoundsUnknown int `json:"fix_rounds_unknown_runs"`
}

// Failures counts what went wrong, by its kind. The browser stages have no events
// yet, so that nothing is known of them.
type Failures struct {
	Baseline      int  `json:"baseline"`
	MachineGate   int  `json:"machine_gate"`
	VisualQA      *int `json:"visual_qa"`
	VisualHarness *int `json:"visual_harness"`
	VisualRole    int  `json:"visual_role"`
	Quota         int  `json:"quota"`
	Configuration int  `json:"configuration"`
}

// Human is what people were asked and answered.
type Human struct {
	Decisions  int            `json:"decisions"`
	ByDecision map[string]int `json:"by_decision"`
	Automatic  int            `json:"automatic"` // answers that no person gave
	WaitEvents int            `json:"wait_events"`
	Wait       Spread         `json:"wait_millis"`
}
