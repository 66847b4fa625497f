package report

import (
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"github.com/tolboy/warden/internal/ledger"
)

// seenRow is what a page shows of one scenario beside what the chain says of it. It is
// read from the report of the stage, by the names that this version gives to its keys.
type seenRow struct {
	Steps   []seenStep `json:"steps"`
	Console []struct {
		Text   string `json:"text"`
		Source string `json:"source"`
	} `json:"console_errors"`
	Compared []struct {
		Picture    string  `json:"picture"`
		Baseline   string  `json:"baseline"`
		Before     string  `json:"baseline_picture"`
		Difference string  `json:"difference"`
		State      string  `json:"state"`
		Share      float64 `json:"share"`
		Text       string  `json:"text"`
	} `json:"compared"`
}

// seenStep is one step of a scenario.
type seenStep struct {
	Step       int     `json:"step"`
	Matcher    string  `json:"matcher"`
	Assertion  string  `json:"assertion"`
	OK         bool    `json:"ok"`
	Why        string  `json:"why"`
	Element    string  `json:"element"`
	Waited     float64 `json:"waited_seconds"`
	Screenshot string  `json:"screenshot_after"`
}

// what names a step as its scenario does.
func (s seenStep) what() string { return strings.TrimSpace(s.Matcher + " " + s.Assertion) }

// found is what a step came to, in words.
func (s seenStep) found() string {
	switch {
	case s.Why != "":
		return s.Why
	case s.Waited > 0:
		return strings.TrimSpace(fmt.Sprintf("%s after %.1f s", s.Element, s.Waited))
	}
	return s.Element
}

// rows reads the report of a browser stage. One that is not here, or not what the chain
// names, has none: the verdicts stand in the chain.
func (a *album) rows(report string) []seenRow {
	if report == "" {
		return nil
	}
	data, err := a.read(report)
	if err != nil {
		return nil
	}
	var r struct {
		Scenarios []seenRow `json:"scenarios"`
	}
	if json.Unmarshal(data, &r) != nil {
		return nil
	}
	return r.Scenarios
}

func (r seenRow) console() []string {
	var out []string
	for _, c := range r.Console {
		text := c.Text
		if c.Source != "" {
			text += "  (" + c.Source + ")"
		}
		out = append(out, text)
	}
	return out
}

// trios pairs what was held against a baseline and did not meet it. Only files that the
// chain names for the scenario are taken.
func (r seenRow) trios(v ledger.VisualScenario) []trio {
	var out []trio
	for _, c := range r.Compared {
		if c.State == "same" || c.State == "missing" {
			continue
		}
		out = append(out, trio{Text: fmt.Sprintf("%s: %s", c.Baseline, c.Text), Before: pick(v.Baselines, c.Before, "before: the baseline"),
			After: pick(v.Pictures, c.Picture, "after: the candidate"), Difference: pick(v.Differences, c.Difference, "what differs")})
	}
	return out
}

// pick finds a file by its name among those that the chain names.
func pick(paths []string, name, title string) *picture {
	for _, p := range paths {
		if name != "" && path.Base(p) == path.Base(name) {
			return &picture{Path: p, Title: title}
		}
	}
	return nil
}
