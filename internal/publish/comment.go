package publish

import (
	"fmt"
	"strings"
)

// Comment returns the status comment of the issue, and what was left out of it.
func Comment(v View) (body string, shed []string) {
	state := headline(v)
	if v.PullNumber > 0 {
		state += fmt.Sprintf(" Pull request: #%d.", v.PullNumber)
	}
	return fit([]section{
		{text: Marker(v.Issue) + "\n" + notices(v)},
		{text: state},
		verdictSection(v, 200),
		{name: "open findings", text: findingSection(v, true), short: findingSection(v, false), shed: 2},
		decisionSection(v),
		{name: "stages", text: stageSection(v), shed: 1},
		{text: "Cost so far: " + spent(v) + "."},
		{text: parkedSection(v)},
		{text: ledgerSection(v)},
		{text: answerSection(v)},
	}, MaxBody)
}

// same compares two texts as a forge keeps them: ends of lines and of the text
// are not ours to insist on.
func same(a, b string) bool { return settled(a) == settled(b) }

func settled(s string) string {
	return strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n"))
}
