package visual

import (
	"time"

	"github.com/tolboy/warden/internal/browser"
	"github.com/tolboy/warden/internal/outcome"
)

// FileName is the report's name in the evidence of a stage, and PictureDir the
// directory of its pictures beside it.
const (
	FileName   = "visual-qa.json"
	PictureDir = "screenshots"
)

// Report is visual-qa.json, the evidence of one look. It is complete on every
// ending.
type Report struct {
	SchemaVersion int          `json:"schema_version"`
	TaskID        string       `json:"task_id"`
	RunID         string       `json:"run_id"`
	OK            bool         `json:"ok"`
	Code          outcome.Code `json:"code"`
	Why           Why          `json:"why,omitempty"` // of a code that says that nothing was seen
	Message       string       `json:"message,omitempty"`
	URL           string       `json:"url"`
	Start         string       `json:"start,omitempty"` // the command that served it
	StartDeclared bool         `json:"start_declared_by_task"`
	UsedExisting  bool         `json:"used_existing_server"`
	Network       string       `json:"network,omitempty"` // "loopback" or "host"; "" when nothing was opened
	// PreviewConfinedBy and BrowserConfinedBy name the sandbox of each; "" when it
	// was not started.
	PreviewConfinedBy string   `json:"preview_confined_by,omitempty"`
	BrowserConfinedBy string   `json:"browser_confined_by,omitempty"`
	BrowserPath       string   `json:"browser_path,omitempty"`
	Browser           string   `json:"browser,omitempty"` // product and version, as it says itself
	Unboxed           bool     `json:"no_sandbox"`        // it ran without its own sandbox
	Origins           []string `json:"origins"`           // what the page could reach
	LimitSeconds      float64  `json:"limit_seconds"`
	Seconds           float64  `json:"seconds"` // of the browser, its start included
	// ServeSeconds until the page answered, and UnserveSeconds until the preview was
	// gone, are beside Seconds; StartSeconds and EndSeconds of the browser are in it.
	ServeSeconds   float64    `json:"serve_seconds"`
	StartSeconds   float64    `json:"browser_start_seconds"`
	EndSeconds     float64    `json:"browser_end_seconds"`
	UnserveSeconds float64    `json:"unserve_seconds"`
	Scenarios      []Scenario `json:"scenarios"`
	Pictures       []Picture  `json:"pictures"`
	PreviewLog     []string   `json:"preview_log,omitempty"` // last lines
	PreviewDropped int        `json:"preview_log_dropped,omitempty"`
	PreviewEnded   string     `json:"preview_ended,omitempty"` // while it was looked at
	FinishedAt     time.Time  `json:"finished_at"`
}

// Scenario is what one scenario came to.
type Scenario struct {
	browser.Scenario
	Compared []Comparison `json:"compared,omitempty"`
}

// Picture is one file of the evidence, with a path below the directory of runs.
type Picture struct {
	Path     string `json:"path"`
	SHA256   string `json:"sha256"`
	Bytes    int64  `json:"bytes"`
	Scenario int    `json:"scenario"` // from 1
	Step     int    `json:"step"`     // after which it was taken; 0 is the page before the first
	// Difference says that it shows where a picture and its baseline differ.
	Difference bool `json:"difference,omitempty"`
	// Baseline says that it is the picture of the base commit that was not met.
	Baseline bool `json:"baseline,omitempty"`
}

// Comparison is what a picture and its baseline came to.
type Comparison struct {
	Picture  string `json:"picture"`  // name of the screenshot
	Baseline string `json:"baseline"` // path inside .warden, at the base commit
	// State is "same", "differs", "sizes_differ", "unreadable", or "missing" where
	// the base commit has none.
	State  string  `json:"state"`
	Pixels int     `json:"pixels,omitempty"` // that differ
	Share  float64 `json:"share,omitempty"`  // of all compared pixels, 0 to 1
	Text   string  `json:"text,omitempty"`
	Image  string  `json:"difference,omitempty"`       // name of the picture that shows it
	Before string  `json:"baseline_picture,omitempty"` // name under which the baseline itself is kept, where it was not met
}

// held reports whether the comparison lets the scenario pass. A picture that has
// no baseline yet is not held against the page, and is said.
func (c Comparison) held() bool { return c.State == "same" || c.State == "missing" }
