package scenario

import (
	"fmt"
	"strconv"
	"strings"
)

// String writes the scenario in its one form: the size, and the steps as they
// would be written with as few quotes as will do. Parsing it gives the same steps.
// It may be longer than what was read, and so than MaxLength.
func (s Scenario) String() string {
	steps := make([]string, len(s.Steps))
	for i, step := range s.Steps {
		steps[i] = step.String()
	}
	return s.Viewport.String() + ": " + strings.Join(steps, " "+arrow+" ")
}

// String writes the step in its one form.
func (s Step) String() string {
	plain := s.write(func(v string) string { return v })
	// What the parser takes without quotes for the same step needs none.
	if got, faults := Parse(Usual().String() + ": " + plain); len(faults) == 0 && len(got.Steps) == 1 {
		got.Steps[0].Number, got.Steps[0].Column = s.Number, s.Column
		if got.Steps[0] == s {
			return plain
		}
	}
	return s.write(quote)
}

// write puts the step together, each of its values as form gives it.
func (s Step) write(form func(string) string) string {
	var act string
	switch s.Act {
	case QuietConsole:
		return string(QuietConsole)
	case Wait:
		return "wait " + strconv.FormatFloat(s.Hold.Seconds(), 'f', -1, 64)
	case Open, URL:
		return string(s.Act) + "=" + form(s.Value)
	case WaitFor:
		return string(WaitFor) + "=" + s.Target.write(form)
	case Press:
		act = "press=" + form(s.Key.String())
		if s.Target == (Matcher{}) {
			return act
		}
	case Click:
		if act = string(Click); s.At != Centre() {
			act += fmt.Sprintf("@%s,%s", strconv.FormatFloat(s.At.X, 'f', -1, 64), strconv.FormatFloat(s.At.Y, 'f', -1, 64))
		}
	case Count:
		act = "count=" + strconv.Itoa(s.Count)
	case Fill, Select, TextEquals:
		act = string(s.Act) + "=" + form(s.Value)
	default:
		act = string(s.Act)
	}
	return s.Target.write(form) + " " + act
}

// String writes the matcher in a form that a scenario could hold.
func (m Matcher) String() string { return m.write(quote) }

func (m Matcher) write(form func(string) string) string {
	switch {
	case m.By == ByRole && m.Name != "":
		return "role=" + m.Value + "[name=" + quote(m.Name) + "]"
	case m.By == ByRole:
		return "role=" + m.Value
	}
	return string(m.By) + "=" + form(m.Value)
}
