package ledger

import "github.com/tolboy/warden/internal/outcome"

// VisualRun is one run of the browser over the page of the candidate.
type VisualRun struct {
	Stage       string           `json:"stage,omitempty"`
	Label       string           `json:"step"`
	Attempt     int              `json:"attempt"`
	Recheck     bool             `json:"recheck,omitempty"`
	OK          bool             `json:"ok"`
	Code        outcome.Code     `json:"code"`
	Message     string           `json:"message,omitempty"`
	URL         string           `json:"url,omitempty"`
	Network     string           `json:"network,omitempty"` // "loopback" or "host"; "" when nothing was opened
	Scenarios   []VisualScenario `json:"scenarios,omitempty"`
	Candidate   string           `json:"candidate_fingerprint,omitempty"`
	Report      string           `json:"report,omitempty"`
	ReportSHA   string           `json:"report_sha256,omitempty"`
	Confinement string           `json:"confinement,omitempty"`
	// DurationMillis is the whole stage, the start of the preview included.
	DurationMillis int64 `json:"duration_millis"`
}

// VisualScenario is what one scenario came to. Pictures are paths below the
// directory of the runs; the event names each with its hash.
type VisualScenario struct {
	Scenario string   `json:"scenario"`
	Viewport string   `json:"viewport,omitempty"` // that was asked for, such as "390x844 mobile"
	OK       bool     `json:"ok"`
	Why      string   `json:"why,omitempty"`
	Pictures []string `json:"screenshots,omitempty"`
	// Differences are the pictures that show where a baseline was not met.
	Differences []string `json:"differences,omitempty"`
	// Baselines are the pictures that were not met, as the base commit has them.
	Baselines []string `json:"baselines,omitempty"`
}
