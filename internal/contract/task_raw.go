package contract

import "github.com/tolboy/warden/internal/strict"

// rawTask is a task file as written. Its shape is the one list of keys.
type rawTask struct {
	Version    strict.Value[int]
	ID         strict.Value[string]
	Goal       strict.Value[string]
	NonGoals   strict.Value[[]strict.Value[string]]
	Risk       strict.Value[string]
	Scope      strict.Choice
	Checks     strict.Choice
	Acceptance strict.Value[[]strict.Value[string]]
	Reproduce  strict.Value[[]strict.Value[string]]

	WorkspaceWrite strict.Value[bool]
	Network        strict.Value[bool]
	Land           strict.Value[bool]

	VisualRequired strict.Value[bool]
	Scenarios      strict.Value[[]strict.Value[string]]
	VisualStart    strict.Value[string]
	VisualReady    strict.Value[int]
	VisualURL      strict.Value[string]
	Origins        strict.Value[[]strict.Value[string]]
	Evidence       strict.Value[string]
	Baseline       strict.Value[bool]
	BaselineIgnore strict.Value[[]strict.Value[string]]
	Tolerance      strict.Value[float64]

	MaxRoleRuns strict.Value[int]
	MaxCost     strict.Value[float64]
	Assurance   strict.Value[string]
	CostCap     strict.Value[string]
	Elapsed     strict.Value[int]
	GateTTL     strict.Value[int]
	Fixes       strict.Value[int]
	Minutes     strict.Value[int]
}

// maxGateTTL is the longest time that can be set for an answer, in hours.
const maxGateTTL = 720

func (r *rawTask) shape() strict.Object {
	return strict.Object{
		Fields: []strict.Field{
			{Key: "version", Required: true, Doc: "the version of this file, 1", Of: strict.Int(&r.Version, 1, 1)},
			{Key: "id", Required: true, Doc: "the name of the task, as in the name of its file", Of: strict.Text(&r.ID, slug())},
			{Key: "goal", Required: true, Doc: "what is wanted, in words", Of: strict.Text(&r.Goal)},
			{Key: "non_goals", Doc: "what is not wanted", Of: strict.Texts(&r.NonGoals, 0)},
			{Key: "risk", Doc: "low, medium or high; default from the project", Of: strict.Text(&r.Risk, strict.Words(risks()...))},
			{Key: "scope", Required: true, Doc: "the name of a scope, or a list of scopes and paths that may change", Of: strict.OneOrMany(&r.Scope, 1)},
			{Key: "checks", Doc: "the name of a set of checks, or a list of sets and commands; default from the project", Of: strict.OneOrMany(&r.Checks, 0, command())},
			{Key: "acceptance", Doc: "further commands that must pass", Of: strict.Texts(&r.Acceptance, 0, command())},
			{Key: "reproduce", Doc: "names of sets and commands of checks or acceptance that must fail before anything is changed", Of: strict.Texts(&r.Reproduce, 1, command())},
			{Key: "authority", Doc: "what the work may do", Of: strict.Object{Fields: []strict.Field{
				{Key: "workspace_write", Doc: "change files in scope; default true", Of: strict.Bool(&r.WorkspaceWrite)},
				{Key: "network", Doc: "use the network; default false", Of: strict.Bool(&r.Network)},
				{Key: "land", Doc: "always false: landing is a person's act", Of: strict.Bool(&r.Land)},
			}}},
			{Key: "visual_qa", Doc: "what a browser must show", Of: strict.Object{
				Fields: []strict.Field{
					{Key: "required", Doc: "whether the scenarios decide; default false", Of: strict.Bool(&r.VisualRequired)},
					{Key: "scenarios", Doc: "what to do and what must be seen", Of: strict.Texts(&r.Scenarios, 0, line(MaxCommandLength))},
					{Key: "start", Doc: "command that serves the page", Of: strict.Text(&r.VisualStart, command())},
					{Key: "ready_seconds", Doc: "seconds that the page may take to answer once its command was started; default 45", Of: strict.Int(&r.VisualReady, 1, maxReady)},
					{Key: "url", Doc: "address of the page; default " + DefaultURL, Of: strict.Text(&r.VisualURL, address())},
					{Key: "origins", Doc: "further addresses that the page may reach, each of scheme, host and port", Of: strict.Texts(&r.Origins, 1, origin())},
					{Key: "evidence", Doc: "who takes the pictures: harness, or agent for the visual_qa role, with scenarios in prose; default harness", Of: strict.Text(&r.Evidence, strict.Words("harness", EvidenceAgent))},
					{Key: "baseline", Doc: "whether the pictures must be those of .warden/baselines at the base commit; default false", Of: strict.Bool(&r.Baseline)},
					{Key: "baseline_ignore", Doc: "selectors of elements that are not compared", Of: strict.Texts(&r.BaselineIgnore, 1, selector())},
					{Key: "baseline_tolerance", Doc: "percent of the pixels of a picture that may differ; default 0", Of: strict.Number(&r.Tolerance, 0, 100)},
				},
			}},
			{Key: "budgets", Doc: "what the run may spend", Of: strict.Object{
				Fields: []strict.Field{
					{Key: "max_role_runs", Doc: "vendor calls; default 6", Of: strict.Int(&r.MaxRoleRuns, 1, 50)},
					{Key: "max_cost_usd", Doc: "reported dollars; default 20, and 0 sets no ceiling", Of: strict.Number(&r.MaxCost, 0, 10000)},
					{Key: "cost_cap", Doc: "threshold stops once max_cost_usd is reached; strict never starts a call that could pass it; default threshold", Of: strict.Text(&r.CostCap, strict.Words("threshold", "strict"))},
					{Key: "max_elapsed_minutes", Doc: "minutes of work of all runs that continue each other; the time that people take does not count; default none", Of: strict.Int(&r.Elapsed, 1, 1440)},
					{Key: "gate_ttl_hours", Doc: "hours in which a person may permit what the run asks for; default from the project", Of: strict.Int(&r.GateTTL, 1, maxGateTTL)},
				},
			}},
			{Key: "review_assurance", Doc: "what a review must be worth; default independent", Of: strict.Text(&r.Assurance, strict.Words(Independent, SameVendorPeer))},
			{Key: "max_fix_attempts", Doc: "fix rounds of a whole run; default from the project", Of: strict.Int(&r.Fixes, 0, 10)},
			{Key: "timeout_minutes", Doc: "wall clock that all commands of one gate run share; default from the project", Of: strict.Int(&r.Minutes, 1, 240)},
		},
		Refused: map[string]string{"use": notYet},
	}
}
