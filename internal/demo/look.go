package demo

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

// Browser is what a browser saw of the story's page. Why says why none looked.
type Browser struct {
	Looked   bool   `json:"looked"`
	Why      string `json:"why,omitempty"`
	Pictures int    `json:"pictures"` // in the pull request, each pinned to a commit of the ledger
}

// body is the text. Where a browser looks, it says what must be seen.
func (s *stage) body() string {
	if s.Blind != "" {
		return body
	}
	return body + "The page `index.html` must greet too.\n\n```warden\nscenarios:\n  - '" + scenario + "'\n```\n"
}

// sayPage tells whether a browser looks.
func (s *stage) sayPage() {
	if s.Blind != "" {
		s.say("The chain runs without its browser stage: %s.", s.Blind)
		return
	}
	s.say("The project has a page, too, and the issue will say what a browser must see there: %s", scenario)
}

// look is what the story reads of one report of the browser.
type look struct {
	OK        bool `json:"ok"`
	Scenarios []struct {
		Why string `json:"why"`
	} `json:"scenarios"`
}

// looks are the reports of a run's browser stage in their order.
func (s *stage) looks(runID string) ([]look, error) {
	names, err := filepath.Glob(filepath.Join(s.runsDir(), runID+"--visual-qa-*", "visual-qa.json"))
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	var out []look
	for _, name := range names {
		var l look
		data, err := os.ReadFile(name)
		if err == nil {
			err = json.Unmarshal(data, &l)
		}
		if err != nil {
			return nil, fmt.Errorf("read what the browser saw: %w", err)
		}
		out = append(out, l)
	}
	return out, nil
}

// sayPictures tells how the page came to be what was asked for.
func (s *stage) sayPictures() error {
	if s.Blind != "" {
		return nil
	}
	looks, err := s.looks(s.state.Runs[0].RunID)
	if err != nil {
		return err
	}
	if !repaired(looks) {
		return turned("the browser was to see a red page and then a green one, and looked %d time(s)", len(looks))
	}
	s.say("The gates were green and the page was not: a browser found: %s. That went back to the writer as a fix round, and the next look was green; its %d picture(s) are in the pull request.",
		looks[0].Scenarios[0].Why, s.pictures().Pictures)
	return nil
}

// repaired reports whether a red look was followed by a green one, and no more.
func repaired(looks []look) bool {
	return len(looks) == 2 && !looks[0].OK && len(looks[0].Scenarios) == 1 && looks[1].OK
}

// pictures counts those that the pull request's text shows of a commit.
func (s *stage) pictures() Browser {
	b := Browser{Looked: s.Blind == "", Why: s.Blind}
	shown := regexp.MustCompile(`!\[[^\]]*\]\([^)]*/[0-9a-f]{40}/[^)]+\.png[^)]*\)`)
	for _, q := range s.server.Requests() {
		var c struct{ Body string }
		if (q.Route == "pulls.create" || q.Route == "pull.update") && q.Status < 300 && json.Unmarshal(q.Body, &c) == nil && c.Body != "" {
			b.Pictures = len(shown.FindAllString(c.Body, -1))
		}
	}
	return b
}

// checkPage compares what the browser saw with what the story promised.
func (s *stage) checkPage(b Browser) []string {
	if s.Blind != "" {
		return nil
	}
	var out []string
	last := s.state.Runs[len(s.state.Runs)-1].RunID
	looks, err := s.looks(last)
	if err != nil || len(looks) != 1 || !looks[0].OK {
		out = append(out, fmt.Sprintf("the page of %s was not seen to be green once: %d look(s), %v", last, len(looks), err))
	}
	if b.Pictures == 0 {
		out = append(out, "the pull request shows no picture of the page")
	}
	return out
}
