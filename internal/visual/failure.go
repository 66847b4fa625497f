package visual

import (
	"fmt"
	"strings"

	"github.com/tolboy/warden/internal/plain"
)

const (
	maxRows = 40   // scenarios that are told to a writer
	maxText = 2000 // bytes of one text of the page
)

// FailureText tells a writer what the page did not show. What the page and the
// preview said is foreign and stands in fences.
func FailureText(r Report, reportPath string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "The browser ended with %s. The report is %s.\n\n%s\n", r.Code, reportPath, plain.CodeFence(plain.Line(r.Message, maxText)))
	told := 0
	for _, s := range r.Scenarios {
		if s.OK {
			continue
		}
		if told++; told > maxRows {
			b.WriteString("\nFurther scenarios failed; they are in the report.\n")
			break
		}
		b.WriteString(row(s))
	}
	if len(r.PreviewLog) > 0 && r.PreviewEnded != "" {
		fmt.Fprintf(&b, "\nWhat the preview printed last:\n\n%s\n", plain.CodeFence(strings.Join(r.PreviewLog[max(0, len(r.PreviewLog)-20):], "\n")))
	}
	return b.String()
}

// row tells of one scenario.
func row(s Scenario) string {
	var lines []string
	add := func(format string, args ...any) {
		lines = append(lines, plain.Line(fmt.Sprintf(format, args...), maxText))
	}
	add("%s", s.Raw)
	add("failed: %s", s.Why)
	if s.Effective != nil {
		add("rendered at %dx%d", s.Effective.Width, s.Effective.Height)
	}
	for _, step := range s.Steps {
		state := "held"
		if !step.OK {
			state = "failed: " + step.Why
		}
		add("step %d %s %s %s", step.Step, step.Matcher, step.Assertion, state)
	}
	for _, e := range s.Console {
		add("console error: %s %s", e.Text, e.Source)
	}
	for _, a := range s.Refused {
		add("not reached, since it is no address of the task: %s", a)
	}
	for _, c := range s.Compared {
		if !c.held() {
			add("against %s: %s", c.Baseline, c.Text)
		}
	}
	if s.Picture != "" {
		add("picture %s", s.Picture)
	}
	for _, shot := range s.Screenshots {
		add("picture: %s/%s", PictureDir, shot.Name)
	}
	return "\nScenario:\n\n" + plain.CodeFence(strings.Join(lines, "\n")) + "\n"
}
