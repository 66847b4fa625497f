package publish

import (
	"fmt"
	"strings"

	"github.com/tolboy/warden/internal/plain"
)

// Bounds of what a body shows of a browser.
const (
	maxScenarios = 40
	maxLinks     = 12 // of one scenario
)

// Scenario is what a browser saw of one scenario.
type Scenario struct {
	Stage          string // the browser stage, which has looked once or more
	Text, Viewport string
	Passed         bool
	Why            string // of a failure
	Pictures       []Picture
	Differences    []Picture // where a baseline was not met
}

// scenarioSection is the table of what a browser saw. Shortened, it keeps every verdict
// and loses words.
func scenarioSection(v View) section {
	return section{name: "scenario details", text: scenarioTable(v, 300, maxLinks), short: scenarioTable(v, 60, 1), shed: 8}
}

func scenarioTable(v View, wide, links int) string {
	if len(v.Scenarios) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("### In the browser\n\n| Scenario | Viewport | Verdict | Why | Pictures |\n| --- | --- | --- | --- | --- |\n")
	cell := func(s string) string {
		if s = plain.TableCell(plain.Line(s, wide)); s == "" {
			return "–"
		}
		return s
	}
	for i, s := range v.Scenarios {
		if i == maxScenarios {
			fmt.Fprintf(&b, "\n%d more scenarios are in the ledger.\n", len(v.Scenarios)-i)
			break
		}
		result := "failed"
		if s.Passed {
			result = "passed"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", cell(s.Text), cell(s.Viewport), sign(result), cell(s.Why), linked(s, links))
	}
	return b.String()
}

// linked is the cell of a scenario's pictures: the differences first.
func linked(s Scenario, most int) string {
	var out []string
	bare := 0
	for kind, list := range [][]Picture{s.Differences, s.Pictures} {
		for i, p := range list {
			word := fmt.Sprint(i + 1)
			if kind == 0 {
				word = fmt.Sprintf("difference %d", i+1)
			}
			switch {
			case p.link() == "":
				bare++
			case len(out) < most:
				out = append(out, fmt.Sprintf("[%s](%s)", word, p.link()))
			}
		}
	}
	if more := len(s.Differences) + len(s.Pictures) - bare - len(out); more > 0 {
		out = append(out, fmt.Sprintf("and %d more", more))
	}
	if bare > 0 {
		out = append(out, fmt.Sprintf("%d not published", bare))
	}
	if len(out) == 0 {
		return "–"
	}
	return strings.Join(out, " ")
}
