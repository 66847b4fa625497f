package ledger

import "github.com/tolboy/warden/internal/outcome"

// GateRun is one run of the machine gates, or of the baseline.
type GateRun struct {
	Stage          string        `json:"stage,omitempty"`
	Label          string        `json:"step"`
	Attempt        int           `json:"attempt"`
	Recheck        bool          `json:"recheck,omitempty"`
	OK             bool          `json:"ok"`
	Code           outcome.Code  `json:"code"`
	Message        string        `json:"message,omitempty"`
	MergeBase      string        `json:"merge_base,omitempty"`
	Commands       []GateCommand `json:"commands,omitempty"`
	ChangedPaths   []string      `json:"changed_paths,omitempty"`
	Violations     []string      `json:"violations,omitempty"`
	ConfigChanged  []string      `json:"configuration_changed,omitempty"`
	Candidate      string        `json:"candidate_fingerprint,omitempty"`
	Report         string        `json:"report,omitempty"`
	ReportSHA256   string        `json:"report_sha256,omitempty"`
	Confinement    string        `json:"confinement,omitempty"`
	DurationMillis int64         `json:"duration_millis"`
	ReusedFrom     string        `json:"reused_from,omitempty"`
	ReuseDeclined  string        `json:"reuse_declined,omitempty"`
}

// GateCommand is one command of a gate. The streams are cut to their tails; the
// whole of what was captured stands in the stage's own report.
type GateCommand struct {
	Index           int    `json:"index"`
	Command         string `json:"command"`
	ExitCode        int    `json:"exit_code"`
	Signal          string `json:"signal,omitempty"`
	TimedOut        bool   `json:"timed_out"`
	DurationMillis  int64  `json:"duration_ms"`
	Stdout          string `json:"stdout"`
	Stderr          string `json:"stderr"`
	StdoutTruncated bool   `json:"stdout_truncated"`
	StderrTruncated bool   `json:"stderr_truncated"`
}
