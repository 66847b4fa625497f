package ledger

import (
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/usage"
)

// VendorCallStarted is written, and charged, before a vendor is called.
type VendorCallStarted struct {
	CallID        string `json:"call_id"` // unique in the run
	Stage         string `json:"stage"`
	Role          string `json:"role"`
	Profile       string `json:"profile"`
	Vendor        string `json:"vendor"`
	Model         string `json:"model,omitempty"`
	Attempt       int    `json:"attempt"`        // fix rounds before it
	VendorAttempt int    `json:"vendor_attempt"` // from 1, within the dispatch
	RoleRuns      int    `json:"role_runs"`      // charged in the run, this one included
	LimitSeconds  int64  `json:"limit_seconds"`
	PromptSHA256  string `json:"prompt_sha256,omitempty"`
	// MaxCostUSD is what the profile promises that the call costs at most; 0 is no
	// promise.
	MaxCostUSD float64 `json:"max_cost_usd,omitempty"`
}

// RoleRun is the whole report of one dispatch of a role.
type RoleRun struct {
	Stage                string            `json:"stage,omitempty"` // empty for the dispatch of a fix round
	Label                string            `json:"step"`
	Role                 string            `json:"role"`
	Attempt              int               `json:"attempt"`
	Fix                  bool              `json:"fix,omitempty"`
	OK                   bool              `json:"ok"`
	Code                 outcome.Code      `json:"code"`
	Detail               string            `json:"detail,omitempty"`
	Profile              string            `json:"profile,omitempty"`
	Vendor               string            `json:"vendor,omitempty"`
	Runner               string            `json:"runner,omitempty"`
	Model                string            `json:"model,omitempty"`
	ModelReported        string            `json:"model_reported,omitempty"`
	Effort               string            `json:"effort,omitempty"`
	ReadOnly             bool              `json:"read_only"`
	ToolsAllow           []string          `json:"tools_allow,omitempty"`
	ToolsEnforcedBy      string            `json:"tools_enforced_by,omitempty"` // "vendor", or "request": asked for in the prompt only
	Strategy             string            `json:"strategy,omitempty"`
	Rotation             int               `json:"rotation_counter"`
	IndependenceRequired bool              `json:"independence_required"`
	Independence         string            `json:"independence,omitempty"`
	AvoidedVendors       []string          `json:"avoided_vendors,omitempty"`
	Rejected             []Rejection       `json:"rejected_profiles,omitempty"`
	Calls                []VendorCall      `json:"vendor_attempts,omitempty"`
	FailedOverFrom       string            `json:"failed_over_from,omitempty"`
	Exhausted            []string          `json:"exhausted_profiles,omitempty"`
	Failover             *Failover         `json:"failover_pending,omitempty"`
	Verdict              string            `json:"verdict,omitempty"`
	Summary              string            `json:"summary,omitempty"`
	Findings             []outcome.Finding `json:"findings,omitempty"`
	Blocking             int               `json:"blocking_findings"`
	FilesChanged         []string          `json:"files_changed,omitempty"` // what the role claims
	ReadOnlyCheck        *ReadOnlyCheck    `json:"read_only_check,omitempty"`
	Candidate            string            `json:"candidate_fingerprint,omitempty"` // the tree afterwards
	RoleContract         string            `json:"role_contract,omitempty"`         // digest of what decided the verdict's worth
	Prompt               string            `json:"prompt_path,omitempty"`
	PromptSHA256         string            `json:"prompt_sha256,omitempty"`
	Artifact             string            `json:"artifact_path,omitempty"`
	ArtifactSHA256       string            `json:"artifact_sha256,omitempty"`
	Report               string            `json:"report_path,omitempty"`
	Usage                usage.Total       `json:"usage"`
	DurationMillis       usage.Amount      `json:"duration_millis"`
	InheritedUnfinished  bool              `json:"inherited_unfinished_work,omitempty"`
	Vision               *Vision           `json:"vision,omitempty"`
	ReusedFrom           string            `json:"reused_from,omitempty"`
	DryRun               bool              `json:"dry_run,omitempty"`
}

// Vision is how pictures reached a role that looks, and which it says it saw.
type Vision struct {
	Channel string   `json:"channel"` // "cli_attachment", "workspace_file" or "acquires"
	Offered []string `json:"attachments_offered,omitempty"`
	Passed  int      `json:"attachment_count"` // of these, those that the command of the call names
	LeftOut int      `json:"attachments_left_out,omitempty"`
	Seen    []string `json:"images_seen,omitempty"`       // of these, those that the answer names
	Taken   []string `json:"screenshots_taken,omitempty"` // evidence of pictures that the role took
}

// VendorCall is one call of a vendor within a dispatch.
type VendorCall struct {
	CallID         string       `json:"call_id,omitempty"`
	VendorAttempt  int          `json:"attempt"` // from 1
	Profile        string       `json:"profile"`
	Vendor         string       `json:"vendor"`
	Runner         string       `json:"runner,omitempty"`
	Model          string       `json:"model,omitempty"`
	ModelReported  string       `json:"model_reported,omitempty"`
	OK             bool         `json:"ok"`
	Code           outcome.Code `json:"code"`
	Detail         string       `json:"detail,omitempty"`
	ExitCode       int          `json:"exit_code"`
	TimedOut       bool         `json:"timed_out"`
	DurationMillis usage.Amount `json:"duration_millis"`
	Usage          usage.Call   `json:"usage"`
	SessionID      string       `json:"session_id,omitempty"`
	StopReason     string       `json:"stop_reason,omitempty"`
	Quota          *Quota       `json:"quota,omitempty"`
	Argv           []string     `json:"command,omitempty"` // the prompt stands as <prompt>
	Stdout         string       `json:"raw_stdout,omitempty"`
	Stderr         string       `json:"raw_stderr,omitempty"`
	StdoutTail     string       `json:"stdout_tail,omitempty"`
	StderrTail     string       `json:"stderr_tail,omitempty"`
}

// Quota is why a vendor's plan, or its rate, was taken for spent.
type Quota struct {
	Kind       string `json:"kind"` // "spent_plan" or "rate_limit"
	Signature  string `json:"matched_signature"`
	DetectedBy string `json:"detected_by"`
	Message    string `json:"vendor_message,omitempty"`
}

// Rejection is a profile that was not taken.
type Rejection struct {
	Profile string `json:"profile"`
	Reason  string `json:"reason"`
}

// ReadOnlyCheck is the proof that a judging role left the tree alone.
type ReadOnlyCheck struct {
	Method       string `json:"method"`
	Before       string `json:"before"`
	After        string `json:"after"`
	Matched      bool   `json:"matched"`
	Covers       string `json:"covers,omitempty"`
	DoesNotCover string `json:"does_not_cover,omitempty"`
}

// Failover is a substitution that waits for a person.
type Failover struct {
	Role              string   `json:"role"`
	FromProfile       string   `json:"from_profile"`
	FromVendor        string   `json:"from_vendor"`
	ToProfile         string   `json:"to_profile"`
	ToVendor          string   `json:"to_vendor"`
	Cause             string   `json:"cause"`
	IndependenceAfter string   `json:"independence_after_switch,omitempty"`
	Exhausted         []string `json:"exhausted_profiles,omitempty"`
	Quota             *Quota   `json:"quota,omitempty"`
}

// RoleFailover is a substitution that happened, and on whose word.
type RoleFailover struct {
	Stage        string `json:"stage,omitempty"`
	Attempt      int    `json:"attempt"`
	AuthorizedBy string `json:"authorized_by"` // "policy_auto" or "human_switch_decision"
	Failover
}
