// Package strict reads YAML and JSON with nothing forgiven. A document is read
// against a table of fields; every fault of a file is collected, each with its
// line, its key and a hint. The same table describes the file as a JSON Schema.
package strict

import (
	"fmt"
	"slices"
	"strings"
)

// Fault is one thing that is wrong in a file that a person wrote.
type Fault struct {
	File    string `json:"file"`
	Line    int    `json:"line"` // from 1
	Key     string `json:"key,omitempty"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// Error is one line: file:line: key: message (hint).
func (f Fault) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%d: ", f.File, f.Line)
	if f.Key != "" {
		b.WriteString(f.Key + ": ")
	}
	b.WriteString(f.Message)
	if f.Hint != "" {
		b.WriteString(" (" + f.Hint + ")")
	}
	return b.String()
}

// Faults is every fault of one or more files. As an error it prints one a line.
type Faults []Fault

// Error implements error.
func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i, x := range f {
		lines[i] = x.Error()
	}
	return strings.Join(lines, "\n")
}

// Err is nil when there is no fault, else the faults in order of file and line.
func (f Faults) Err() error {
	if len(f) == 0 {
		return nil
	}
	return f.sorted()
}

func (f Faults) sorted() Faults {
	out := slices.Clone(f)
	slices.SortStableFunc(out, func(a, b Fault) int {
		if c := strings.Compare(a.File, b.File); c != 0 {
			return c
		}
		return a.Line - b.Line
	})
	return out
}
