// Package vendor runs one agent CLI for one call and reads what came back. It
// knows how each CLI lies: exit codes that mean nothing, envelopes that report
// success for a failure, retries that sleep for hours. It decides nothing about
// the loop; it says what the call came to.
package vendor

import (
	"encoding/json"
	"time"

	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/policy"
	"github.com/tolboy/warden/internal/sandbox"
	"github.com/tolboy/warden/internal/usage"
)

// Bounds of one call. Every line is read as it comes, however many there are; of
// the streams themselves the beginning and, as long as an answer may be, the end
// are kept.
const (
	maxOutput    = 4 << 20 // bytes kept of each stream's beginning
	maxLine      = 4 << 20 // bytes of a line; a longer one is no event
	maxTail      = 2000    // bytes of each stream quoted in a failure
	maxMessage   = 400     // bytes kept of a vendor's own error text
	defaultLimit = 20 * time.Minute
	killGrace    = 2 * time.Second
)

// Call is one request to one vendor.
type Call struct {
	Profile policy.Profile
	// Values fills the placeholders of the profile's arguments and environment:
	// schema_json, schema_file, repo_root, run_id, task_id. The prompt, its file,
	// the model and the effort come from the call and the profile. evidence_dir is
	// where the pictures lie.
	Values map[string]string
	// Pictures are files that the vendor may read, absolute. Where the profile has a
	// flag for them, each stands behind it, after every other argument.
	Pictures   []string
	Prompt     []byte
	PromptFile string // where the same prompt lies on disk; absolute
	Dir        string // the worktree; absolute
	Env        []string
	// Sandbox confines the call; nil runs it as it is. The files the call needs
	// (prompt, schema, the executable's own tree, shared login files) are added
	// to a copy of it.
	Sandbox *sandbox.Spec
	Mounts  []sandbox.Mount // further ones, for this call alone
	Bwrap   string
	// HomeDir is the operator's real home, to which the profile's home_share is
	// relative. Empty shares nothing.
	HomeDir string
	// Keep writes a file beside the evidence of the call, before what it tells of
	// begins; nil keeps none.
	Keep  func(name string, data []byte) error
	Limit time.Duration // wall clock of the whole call; at most the profile's
}

// limit is the wall clock of the call.
func (c Call) limit() time.Duration {
	limit := c.Profile.WallClock
	if limit <= 0 {
		limit = defaultLimit
	}
	if c.Limit > 0 && c.Limit < limit {
		limit = c.Limit
	}
	return limit
}

// Result is what the call came to. Code is outcome.OK only when an artifact was
// found; whether it is a good one is for the caller to judge. Usage is what the
// vendor reported, also when the call failed; unknown stays unknown.
type Result struct {
	Code       outcome.Code
	Detail     string
	Artifact   json.RawMessage
	Usage      usage.Call
	Dialect    string
	Model      string
	SessionID  string
	StopReason string
	ExitCode   int
	TimedOut   bool
	Stdout     []byte
	Stderr     []byte
	StdoutTail string // for a failure report: the end of each stream
	StderrTail string
	Truncated  bool
	Quota      *Quota
	Duration   time.Duration
	Argv       []string // as run, with the prompt shown as <prompt>
	// ModelPassed says whether the declared model stood anywhere in what was run.
	ModelPassed bool
}

// Kinds of exhaustion.
const (
	SpentPlan = "spent_plan"
	RateLimit = "rate_limit"
)

// Channels on which an exhaustion was seen.
const (
	StructuredEvent = "structured_error_event"
	StderrText      = "stderr_text"
)

// Quota is why a call is taken for a spent plan or a rate limit. Message holds
// the vendor's own words, a printed retry time among them; no instant is ever
// computed from it.
type Quota struct {
	Kind       string `json:"kind"`
	Signature  string `json:"matched_signature"`
	DetectedBy string `json:"detected_by"`
	Message    string `json:"vendor_message"`
	Note       string `json:"note,omitempty"`
	// Wait is a pause that the vendor named in plain seconds or milliseconds, at
	// most 15 minutes; zero when it named none.
	Wait time.Duration `json:"-"`
}
