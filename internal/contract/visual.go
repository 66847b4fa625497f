package contract

import (
	"fmt"
	"net/url"

	"github.com/tolboy/warden/internal/scenario"
	"github.com/tolboy/warden/internal/strict"
)

// EvidenceAgent is the Visual.Evidence of a task whose pictures the visual_qa role
// takes itself.
const EvidenceAgent = "agent"

// DefaultURL is where the page of a task is that names no address.
const DefaultURL = "http://127.0.0.1:4173/"

// MaxScenarios bounds the scenarios of one task.
const MaxScenarios = 500

// Visual is what a browser must show. URL and Start are "" when the task leaves
// them to what is detected at run time.
type Visual struct {
	Required  bool     `json:"required"`
	URL       string   `json:"url,omitempty"`
	Start     string   `json:"start,omitempty"`
	Ready     int      `json:"ready_seconds,omitempty"` // how long Start may take to serve URL; 0 is the default
	Scenarios []string `json:"scenarios,omitempty"`     // of package scenario; prose when Evidence is EvidenceAgent
	Evidence  string   `json:"evidence,omitempty"`      // "" when the browser harness takes the pictures, else EvidenceAgent

	Baseline       bool     `json:"baseline,omitempty"`           // compare with the pictures of the base commit
	BaselineIgnore []string `json:"baseline_ignore,omitempty"`    // selectors of what is not compared
	Tolerance      float64  `json:"baseline_tolerance,omitempty"` // percent of pixels that may differ

	// Origins are further addresses that the page may reach, besides the URL's own
	// scheme, host and port. Each has no path.
	Origins []string `json:"origins,omitempty"`

	Lines []int `json:"-"` // of the file, from 1: where each scenario stands
}

// Harness reports whether the scenarios are for the browser harness, whose stage
// the task then requires.
func (v Visual) Harness() bool { return v.Required && v.Evidence != EvidenceAgent }

// BaselineFile is the path, inside .warden, of the picture that one of a scenario's
// steps is compared with; step 0 is the page before the first.
func (v Visual) BaselineFile(s scenario.Scenario, step int) string {
	address := "/"
	if u, err := url.Parse(v.URL); err == nil && v.URL != "" {
		u.Scheme, u.Host, u.User = "", "", nil
		if address = u.String(); address == "" || address[0] != '/' {
			address = "/" + address
		}
	}
	return "baselines/" + scenario.PictureName(address, s, step)
}

// ScenarioFaults are what is wrong with the scenarios of a task, each with its line
// and with its step and column inside the scenario; nil when they can be run and
// each proves something, and when an agent takes the pictures. A task is read
// without this, so that what was accepted under another version can be landed: who
// is about to spend something on it asks.
func (t Task) ScenarioFaults() strict.Faults {
	v := t.Visual
	if v.Evidence == EvidenceAgent {
		return nil
	}
	src := strict.Source{File: ".warden/" + t.Path}
	at := func(i int) strict.At {
		place := strict.At{Line: 1, Key: fmt.Sprintf("visual_qa.scenarios[%d]", i+1)}
		if i < len(v.Lines) {
			place.Line = v.Lines[i]
		}
		return place
	}
	if len(v.Scenarios) > MaxScenarios {
		return strict.Faults{src.Fault(at(MaxScenarios), fmt.Sprintf("the task has %d scenarios, the limit is %d", len(v.Scenarios), MaxScenarios), "make two tasks of it")}
	}
	var faults strict.Faults
	for i, text := range v.Scenarios {
		faults = append(faults, scenarioFaults(src, at(i), text)...)
	}
	return faults
}

// scenarioFaults are what is wrong with one scenario that stands at a place.
func scenarioFaults(src strict.Source, at strict.At, text string) strict.Faults {
	var out strict.Faults
	_, faults := scenario.Read(text)
	for _, f := range faults {
		hint := f.Hint
		f.Hint = ""
		out = append(out, src.Fault(at, f.Scenario()+": "+f.Error(), hint))
	}
	return out
}

// selector admits what can be a CSS selector.
func selector() strict.Rule {
	return strict.Checked("", func(s string) (string, string) {
		if m := oneLine(s, maxBlockText); m != "" {
			return m, ""
		}
		return scenario.CheckSelector(s)
	})
}

// visual resolves what a browser must show.
func (r *resolver) visual(raw *rawTask) Visual {
	v := Visual{Required: raw.VisualRequired.V, URL: raw.VisualURL.V, Start: raw.VisualStart.V, Scenarios: strict.Strings(raw.Scenarios.V),
		Ready: raw.VisualReady.V, Origins: strict.Strings(raw.Origins.V),
		Baseline: raw.Baseline.V, BaselineIgnore: strict.Strings(raw.BaselineIgnore.V), Tolerance: raw.Tolerance.V}
	for _, s := range raw.Scenarios.V {
		v.Lines = append(v.Lines, s.At.Line)
	}
	if raw.Evidence.V == EvidenceAgent {
		v.Evidence = EvidenceAgent
	}
	if p := r.project.Preview; v.Harness() && v.Start == "" && v.URL == "" {
		v.Start, v.URL = p.Start, p.URL
	}
	switch {
	case v.Harness() && len(v.Scenarios) == 0:
		r.report(raw.VisualRequired.At, "visual_qa is required, and there is no scenario", "add visual_qa.scenarios")
	case v.Baseline && v.Evidence == EvidenceAgent:
		r.report(raw.Baseline.At, "an agent takes the pictures, and only those of the browser harness are compared", "remove evidence: agent, or remove the key")
	case !v.Baseline && raw.BaselineIgnore.Set:
		r.report(raw.BaselineIgnore.At, "nothing is compared, so nothing can be left out", "add visual_qa.baseline: true")
	case !v.Baseline && raw.Tolerance.Set:
		r.report(raw.Tolerance.At, "nothing is compared, so nothing can differ", "add visual_qa.baseline: true")
	}
	if n := len(v.Origins); n > MaxOrigins {
		r.report(raw.Origins.At, fmt.Sprintf("the list has %d entries, the limit is %d", n, MaxOrigins), "serve them from the page's own origin")
	}
	if n := len(v.BaselineIgnore); n > MaxIgnored {
		r.report(raw.BaselineIgnore.At, fmt.Sprintf("the list has %d entries, the limit is %d", n, MaxIgnored), "name an element that holds them")
	}
	return v
}

// maxReady bounds Visual.Ready, in seconds.
const maxReady = 300

// MaxOrigins bounds Visual.Origins.
const MaxOrigins = 20

// MaxIgnored bounds the selectors of Visual.BaselineIgnore.
const MaxIgnored = 20
