package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/usage"
)

// bar is one stage on the timeline of a page. Left and Width are parts of a hundred.
type bar struct {
	Name, Begin, Class string
	Left, Width        float64
}

// timeline lays the stages over the time of the run. Those of which the chain does not
// say when they were are left out.
func timeline(r Report) []bar {
	end := r.StartedAt
	for _, s := range r.Stages {
		if s.Ended.After(end) {
			end = s.Ended
		}
	}
	if r.EndedAt != nil && r.EndedAt.After(end) {
		end = *r.EndedAt
	}
	whole := float64(end.Sub(r.StartedAt))
	var out []bar
	for _, s := range r.Stages {
		if s.Begun.IsZero() || s.Begun.Before(r.StartedAt) || whole <= 0 {
			continue
		}
		until := s.Ended
		if until.Before(s.Begun) {
			until = end // it did not finish
		}
		b := bar{Name: fmt.Sprintf("%s, round %d", s.name(), s.round()), Begin: s.begin(r.StartedAt), Class: verdict(s.OK),
			Left: 100 * float64(s.Begun.Sub(r.StartedAt)) / whole, Width: max(0.5, 100*float64(until.Sub(s.Begun))/whole)}
		b.Left = min(b.Left, 100-b.Width)
		if b.Class == "?" {
			b.Class = "wait"
		}
		out = append(out, b)
	}
	return out
}

// begin is how long after the start of the run a stage began.
func (s Stage) begin(start time.Time) string {
	if s.Begun.IsZero() || s.Begun.Before(start) {
		return "?"
	}
	return "+" + seconds(usage.Known(float64(s.Begun.Sub(start).Milliseconds())))
}

// judged reports whether a stage has something to say beside its result.
func (s Stage) judged() bool { return s.Verdict != "" || s.Summary != "" || len(s.Findings) > 0 }

// opinion is the verdict of a role, and how far it stands by itself.
func (s Stage) opinion() string {
	out := s.Verdict
	if out == "" {
		out = s.verdictText()
	}
	if s.Independence != "" && s.Independence != "none" {
		out += ", " + s.Independence
	}
	return out
}

// stillOpen reports whether a finding was open when the run ended, or may be.
func (r Report) stillOpen(f outcome.Finding) bool {
	if r.EndedAt == nil {
		return true
	}
	for _, o := range r.OpenFindings {
		if o.ID == f.ID {
			return true
		}
	}
	return false
}

// changed names the files that the candidate changes, the first of many.
func (r Report) changed(safe func(string) string) string {
	const most = 5
	if len(r.ChangedFiles) == 0 {
		return ""
	}
	names := r.ChangedFiles[:min(most, len(r.ChangedFiles))]
	out := fmt.Sprintf("%d file(s): %s", len(r.ChangedFiles), safe(strings.Join(names, ", ")))
	if len(r.ChangedFiles) > most {
		out += fmt.Sprintf(" and %d more", len(r.ChangedFiles)-most)
	}
	return out
}
