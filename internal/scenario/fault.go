package scenario

import (
	"fmt"
	"strings"
)

// Fault is one thing that is wrong with a scenario.
type Fault struct {
	Text    string // the scenario as it was written
	Step    int    // from 1; 0 when it is the size before the steps, or the scenario as a whole
	Column  int    // of the character where it shows, from 1; 0 when it is the whole
	Message string
	Hint    string // a legal form near to what was met, or ""
}

// Error is one line without the scenario's text: step 2, column 14: message (hint).
func (f Fault) Error() string {
	var where []string
	if f.Step > 0 {
		where = append(where, fmt.Sprintf("step %d", f.Step))
	}
	if f.Column > 0 {
		where = append(where, fmt.Sprintf("column %d", f.Column))
	}
	out := f.Message
	if len(where) > 0 {
		out = strings.Join(where, ", ") + ": " + out
	}
	if f.Hint != "" {
		out += " (" + f.Hint + ")"
	}
	return out
}

// Scenario names the scenario in a message: its text, cut when it is long.
func (f Fault) Scenario() string { return "scenario " + quoted(f.Text) }

// Faults are all that is wrong with a scenario, in order of where it shows. As an
// error it prints one a line.
type Faults []Fault

// Error implements error.
func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i, x := range f {
		lines[i] = x.Error()
	}
	return strings.Join(lines, "\n")
}

// quoted is a stretch of a scenario in a message, on one line and not too long.
func quoted(s string) string {
	const most = 60
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return fmt.Sprintf("%q", s)
}
