package publish

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/plain"
)

// clip cuts untrusted text before it is made harmless, so that no cut opens
// anything again.
func clip(s string, max int) string {
	if len(s) <= max {
		return s
	}
	cut := max
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "\n\n[…]"
}

func goalSection(v View, max int) string {
	text := strings.TrimSpace(v.Goal)
	if text == "" {
		text = v.IssueTitle
	}
	return "### Goal\n\n" + plain.Quote(clip(text, max))
}

// verdictSection is shortened at need, and never left out.
func verdictSection(v View, wide int) section {
	return section{name: "verdict details", text: verdicts(v, wide), short: verdicts(v, 40), shed: 8}
}

func verdicts(v View, wide int) string {
	var b strings.Builder
	b.WriteString("### Verdicts\n\n")
	verdictTable(&b, v, wide)
	if v.Independence != "" {
		fmt.Fprintf(&b, "\nReview: %s.\n", plain.TableCell(plain.Line(v.Independence, 200)))
	}
	return b.String()
}

func findingSection(v View, full bool) string {
	if len(v.Findings) == 0 {
		return ""
	}
	var b strings.Builder
	blocking := len(outcome.Blocking(v.Findings))
	fmt.Fprintf(&b, "### Open findings\n\n%d open, %d of them blocking.\n\n", len(v.Findings), blocking)
	rowsShown, wide := 50, 300
	if !full {
		rowsShown, wide = 10, 80
	}
	rows := make([][]string, len(v.Findings))
	for i, f := range v.Findings {
		place := f.Path
		if f.Line > 0 {
			place = fmt.Sprintf("%s:%d", f.Path, f.Line)
		}
		severity := f.Severity
		if severity == "" {
			severity = outcome.P3
		}
		rows[i] = []string{string(severity), place, f.Message}
	}
	table(&b, rowsShown, wide, []string{"Severity", "Where", "What"}, rows)
	return b.String()
}

func decisionSection(v View) section {
	return section{name: "earlier decisions", text: decisions(v, 20), short: decisions(v, 1), shed: 9}
}

func decisions(v View, last int) string {
	if len(v.Decisions) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("### Decisions\n\n")
	from := max(0, len(v.Decisions)-last)
	var rows [][]string
	for _, d := range v.Decisions[from:] {
		at := "?"
		if !d.At.IsZero() {
			at = d.At.UTC().Format(time.RFC3339)
		}
		word := d.Word
		if d.Cause != "" {
			word += " (" + d.Cause + ")"
		}
		rows = append(rows, []string{word, d.Actor, d.Source, short(d.Candidate), at, short(d.NoteSHA256)})
	}
	table(&b, 20, 60, []string{"Decision", "By", "Source", "Candidate", "At", "Text (SHA-256)"}, rows)
	return b.String()
}

func summarySection(v View) string {
	if strings.TrimSpace(v.Summary) == "" {
		return ""
	}
	return "### What the implementer says\n\n" + plain.Quote(clip(strings.TrimSpace(v.Summary), 20_000))
}

func stageSection(v View) string {
	if len(v.Stages) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("### Stages\n\n")
	var rows [][]string
	for _, s := range v.Stages {
		rows = append(rows, []string{s.Name, s.Kind, s.Profile, s.Vendor, s.Model, sign(s.Result), fmt.Sprint(s.Attempts), took(s.Duration)})
	}
	table(&b, 60, 100, []string{"Stage", "Kind", "Profile", "Vendor", "Model", "Verdict", "Attempts", "Time"}, rows)
	return b.String()
}

func vendorSection(v View) string {
	var b strings.Builder
	fmt.Fprintf(&b, "### Cost\n\n%s. `?` is what nobody reported.\n", spent(v))
	if len(v.Vendors) == 0 {
		return b.String()
	}
	b.WriteString("\n")
	var rows [][]string
	for _, n := range v.Vendors {
		rows = append(rows, []string{n.Name, n.Model, fmt.Sprint(n.Usage.Calls), money(n.Usage),
			tokens(n.Usage.Input, n.Usage.Untold), tokens(n.Usage.Output, n.Usage.Untold), took(n.Duration)})
	}
	table(&b, 40, 100, []string{"Vendor", "Model", "Calls", "Cost", "Tokens in", "Tokens out", "Time"}, rows)
	return b.String()
}

func fileSection(v View) string {
	if len(v.Files) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "### Changed files (%d)\n\n", len(v.Files))
	for i, f := range v.Files {
		if i == 300 {
			fmt.Fprintf(&b, "- and %d more\n", len(v.Files)-i)
			break
		}
		fmt.Fprintf(&b, "- %s\n", code(f))
	}
	return b.String()
}

func ledgerSection(v View) string {
	var b strings.Builder
	b.WriteString("### Evidence\n\n")
	row := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "- %s: %s\n", name, code(value))
		}
	}
	row("run", v.RunID)
	row("candidate", v.Candidate)
	row("judged against", v.Base)
	row("base branch", v.BaseRef)
	row("ledger", v.LedgerRef)
	row("sealed head", v.SealedHead)
	row("head with the decision", v.DecisionHead)
	row("confined by", v.Confinement)
	b.WriteString(verifySection(v))
	return b.String()
}

// verifySection names the newest head that there is, and says what it covers: a
// sealed head lies before the decision and cannot vouch for it.
func verifySection(v View) string {
	if v.LedgerRef == "" || v.SealedHead == "" {
		return ""
	}
	head, covers := v.SealedHead, "the work, and no decision: each has a head of its own, which will stand here"
	if v.DecisionHead != "" {
		head, covers = v.DecisionHead, "the work and the last decision"
	}
	return fmt.Sprintf("- to verify: %s, then %s, which covers %s\n", code("git fetch origin "+v.LedgerRef+":"+v.LedgerRef),
		code("warden verify "+v.RunID+" --rev "+v.LedgerRef+" --against "+head), covers)
}

// parkedSection says where the work of a run that came to no candidate is.
func parkedSection(v View) string {
	if v.Parked == "" && v.ParkedNot == "" {
		return ""
	}
	var b strings.Builder
	b.WriteString("### What was made\n\n")
	if v.Parked == "" {
		fmt.Fprintf(&b, "The work could not be kept: %s\n", plain.Inline(plain.Line(v.ParkedNot, 300)))
	} else {
		fmt.Fprintf(&b, "The work is kept as %s, which nobody judged and nobody can accept. To read it: %s, then %s.\n",
			code(short(v.Parked)), code("git fetch origin "+v.LedgerRef), code("git show "+v.Parked))
	}
	if len(v.ParkedLeft) > 0 {
		fmt.Fprintf(&b, "\nLeft out: %s.\n", codes(v.ParkedLeft, 50))
	}
	return b.String()
}

func withheldSection(v View) string {
	if len(v.Withheld) == 0 {
		return ""
	}
	return "### Kept back from publication\n\n" + codes(v.Withheld, 100)
}

// answerSection tells people what they can say, and who may.
func answerSection(v View) string {
	var b strings.Builder
	switch v.Phase {
	case Waiting, Void:
		b.WriteString("### How to answer\n\n")
		fmt.Fprintf(&b, "- Review with *Request changes* (or comment `/warden reject` and a text) to refuse. Your words, on lines too, go to the next run as you wrote them.\n")
		fmt.Fprintf(&b, "- Review with *Approve* (or comment %s) to accept the candidate %s. A commit pushed after it, or a dismissed approval, undoes that.\n",
			code("/warden accept "+short(v.Candidate)), code(short(v.Candidate)))
	case Failed:
		b.WriteString("### How to answer\n\n")
		for i, o := range v.Options {
			if i == 5 {
				break
			}
			fmt.Fprintf(&b, "- Comment %s.\n", code("/warden "+o))
		}
	default:
		return ""
	}
	if !v.ExpiresAt.IsZero() {
		fmt.Fprintf(&b, "- An answer that permits something counts if it was given before %s (UTC). One that refuses always counts.\n", code(v.ExpiresAt.UTC().Format(time.RFC3339)))
	}
	b.WriteString("- " + rules(v.Rules) + "\n- Warden never merges.\n")
	return b.String()
}

// rules prints who may decide.
func rules(r Rules) string {
	permission := r.Permission
	if permission == "" {
		permission = "write"
	}
	who := "Whoever labelled the issue, or committed to the candidate, may also accept it (`decide.self_accept: true`)."
	if !r.SelfAccept {
		who = "Whoever labelled the issue, or committed to the candidate, may not accept it (`decide.self_accept: false`)."
	}
	return fmt.Sprintf("Who may decide: people with %s permission or more at that moment, never a bot; %d approval(s) needed. %s",
		code(permission), max(1, r.Approvals), who)
}
