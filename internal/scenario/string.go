package scenario

import (
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
	plain := func(v string) string { return v }
	for _, form := range [][2]func(string) string{{plain, plain}, {plain, quote}, {quote, plain}} {
		if text := s.write(form[0], form[1]); s.readsBack(text) {
			return text
		}
	}
	return s.write(quote, quote)
}

// readsBack reports whether a text is this step: what the parser takes without
// quotes needs none.
func (s Step) readsBack(text string) bool {
	got, faults := Parse(Usual().String() + ": " + text)
	if len(faults) > 0 || len(got.Steps) != 1 {
		return false
	}
	got.Steps[0].Number, got.Steps[0].Column = s.Number, s.Column
	return got.Steps[0] == s
}

// write puts the step together, its element and its value in a form each.
func (s Step) write(element, value func(string) string) string {
	switch s.Act {
	case QuietConsole:
		return string(QuietConsole)
	case Wait:
		return "wait " + strconv.FormatFloat(s.Hold.Seconds(), 'f', -1, 64)
	case WaitFor:
		return string(WaitFor) + "=" + s.Target.write(element)
	}
	act := string(s.Act)
	switch s.Act {
	case Open, URL, Fill, Select, TextEquals:
		act += "=" + value(s.Value)
	case Press:
		act += "=" + value(s.Key.String())
	case Count:
		act += "=" + strconv.Itoa(s.Count)
	case Click:
		if s.At != Centre() {
			act += "@" + fraction(s.At.X) + "," + fraction(s.At.Y)
		}
	}
	if s.Target == (Matcher{}) {
		return act
	}
	return s.Target.write(element) + " " + act
}

func fraction(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

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
