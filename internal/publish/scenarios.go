package publish

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/tolboy/warden/internal/plain"
)

// Bounds of what a body shows of a browser.
const (
	maxScenarios = 40
	maxLinks     = 12 // of one scenario
	maxInline    = 12 // pictures
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

// Picture is one picture of the evidence. URL is the address at which the forge shows
// it, at one commit of the ledger; "" where it was not published or the forge has no
// such address. It is ours.
type Picture struct{ Name, URL string }

var addressForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^https?://[A-Za-z0-9.:_~%+@=,/-]{1,1000}$`) })

// link returns a picture's address, or "" for one that could end the link it stands in.
func (p Picture) link() string {
	if !addressForm().MatchString(p.URL) {
		return ""
	}
	return p.URL
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

// pictureSection shows pictures in the text itself: where a baseline was not met, then
// what belongs to a failure, then the first of each other scenario.
func pictureSection(v View) string {
	var different, failed, first strings.Builder
	shown := 0
	show := func(b *strings.Builder, i int, s Scenario, list []Picture, most int) {
		for k, p := range list[:min(most, len(list))] {
			if p.link() == "" || shown == maxInline {
				continue
			}
			shown++
			fmt.Fprintf(b, "\nScenario %d, %s, picture %d:\n\n![scenario %d, picture %d](%s?raw=true)\n", i+1, plain.TableCell(plain.Line(s.Viewport, 40)), k+1, i+1, k+1, p.link())
		}
	}
	for i, s := range v.Scenarios {
		show(&different, i, s, s.Differences, maxInline)
	}
	for i, s := range v.Scenarios {
		if !s.Passed {
			show(&failed, i, s, s.Pictures, maxInline)
		}
	}
	for i, s := range v.Scenarios {
		if s.Passed {
			show(&first, i, s, s.Pictures, 1)
		}
	}
	if shown == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("### Pictures\n\nThey lie in the ledger at one commit. In a private repository they may not show here; the links in the table open them for whoever may read it.\n")
	open := " open"
	for _, part := range []struct{ title, text string }{
		{"Where a baseline was not met", different.String()}, {"Of scenarios that failed", failed.String()}, {"Of scenarios that passed", first.String()},
	} {
		if part.text != "" {
			fmt.Fprintf(&b, "\n<details%s><summary>%s</summary>\n%s\n</details>\n", open, part.title, part.text)
			open = ""
		}
	}
	return b.String()
}
