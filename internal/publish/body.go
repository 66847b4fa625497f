package publish

import (
	"fmt"
	"strings"

	"github.com/tolboy/warden/internal/plain"
)

// MaxBody is the most bytes that any text of ours has: below the limit of every
// forge that is in use.
const MaxBody = 60_000

// Marker names the issue in our own texts. It finds a text again only together
// with its author: anybody can write one.
func Marker(issue int) string { return fmt.Sprintf("<!-- warden:issue=%d -->", issue) }

// notForMerge begins the title of a pull request that should be a draft and is none.
const notForMerge = "[WARDEN - NOT FOR MERGE] "

// Title returns the title of the pull request.
func Title(v View) string {
	title := "warden: " + plain.Title(v.IssueTitle, 180)
	if v.DraftUnsupported && v.Phase != Accepted {
		return notForMerge + title
	}
	return title
}

// section is one part of a body. Shed is the order in which parts go when the body
// is too long: 1 first, 0 never. A part that goes leaves its short form.
type section struct {
	name  string
	text  string
	short string
	shed  int
}

// Body returns the body of the pull request and the names of the parts that were
// left out of it for its length.
func Body(v View) (body string, shed []string) {
	return fit([]section{
		{text: Marker(v.Issue) + "\n" + notices(v)},
		{text: headline(v)},
		{name: "goal", text: goalSection(v, 20_000), short: goalSection(v, 500), shed: 7},
		verdictSection(v, 200),
		scenarioSection(v),
		{name: "pictures", text: pictureSection(v), shed: 2},
		{name: "open findings", text: findingSection(v, true), short: findingSection(v, false), shed: 6},
		decisionSection(v),
		{name: "summary", text: summarySection(v), shed: 2},
		{name: "stages", text: stageSection(v), shed: 4},
		{name: "vendors", text: vendorSection(v), shed: 3},
		{name: "changed files", text: fileSection(v), shed: 1},
		{text: ledgerSection(v)},
		{text: answerSection(v)},
		{name: "withheld", text: withheldSection(v), shed: 5},
	}, MaxBody)
}

// fit joins the sections and takes parts out, in their fixed order, until the
// whole is short enough. What is left then is bounded by what it is made of.
func fit(sections []section, limit int) (string, []string) {
	var shed []string
	for round := 1; ; round++ {
		body := join(sections, shed)
		if len(body) <= limit || round > 9 {
			return body, shed
		}
		for i := range sections {
			s := &sections[i]
			if s.shed == round && s.text != "" {
				s.text = s.short
				shed = append(shed, s.name)
			}
		}
	}
}

func join(sections []section, shed []string) string {
	var parts []string
	for _, s := range sections {
		if t := strings.TrimRight(s.text, "\n"); t != "" {
			parts = append(parts, t)
		}
	}
	if len(shed) > 0 {
		parts = append(parts, "_Left out or shortened for length: "+strings.Join(shed, ", ")+". The ledger has everything._")
	}
	return strings.Join(parts, "\n\n") + "\n"
}

// notices are what a reader must not miss.
func notices(v View) string {
	var b strings.Builder
	warn := func(format string, a ...any) {
		b.WriteString("\n> **Note:** " + fmt.Sprintf(format, a...) + "\n")
	}
	if v.DraftUnsupported {
		warn("this repository has no draft pull requests, so this one is open as an ordinary one. It is **not for merge** until the check `%s` is green.", CheckName)
	}
	if v.ReadyForbidden {
		warn("the accept is recorded, but this token may not turn the draft ready (`mark_ready_forbidden`). A person has to click *Ready for review*.")
	}
	if v.Head != "" && v.Head != v.Candidate {
		warn("the head of this pull request is %s, which is not the candidate %s that was judged below.", code(short(v.Head)), code(short(v.Candidate)))
	}
	switch {
	case v.NothingRan:
		warn("**nothing ran**: this run requires a sandbox and there was none, so no vendor was called and no command was started.")
	case v.LessConfined:
		warn("the vendors and checks of this run were confined by Landlock alone, which holds **less than a job requires**; the operator allowed that by policy.")
	case v.Unconfined:
		warn("the vendors and checks of this run were **not confined**; the operator allowed that by policy.")
	}
	if n := len(v.Protected); n > 0 {
		warn("look at these first, they change how the project is built or judged: %s.", codes(v.Protected, 20))
	}
	for i, p := range v.Problems {
		if i == 5 {
			break
		}
		warn("%s", plain.TableCell(plain.Line(p, 1500))) // a next step quotes the contract and what a reader suggests
	}
	if v.SetupNote != "" {
		warn("%s", plain.TableCell(plain.Line(v.SetupNote, 500)))
	}
	return b.String()
}

func codes(items []string, max int) string {
	var out []string
	for i, s := range items {
		if i == max {
			out = append(out, fmt.Sprintf("and %d more", len(items)-max))
			break
		}
		out = append(out, plain.Inline(plain.Line(s, 100)))
	}
	return strings.Join(out, ", ")
}

func headline(v View) string {
	return fmt.Sprintf("%s Run %s, refs #%d.", phrase(v), code(v.RunID), v.Issue)
}

func phrase(v View) string {
	switch v.Phase {
	case Running:
		return "⏳ **Warden is at work.**"
	case Waiting:
		return "🟡 **Ready for a person.** Nobody has accepted it yet."
	case Failed:
		return "❌ **Stopped.** Reason: " + code(v.Reason) + "."
	case Accepted:
		return "✅ **Accepted by a person.** Warden never merges: that is yours to do."
	case Rejected:
		return "↩️ **Refused by a person.**"
	case Void:
		return "🟡 **The accept no longer holds.** A person is asked again."
	case Aborted:
		return "⏹️ **Ended by a person.**"
	case Closed:
		return "⏹️ **The pull request was closed.** That counts as a refusal without text."
	case Merged:
		return "🔀 **Merged** by a person."
	}
	return "❔ **Unknown state.**"
}
