package land

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/plain"
	"github.com/tolboy/warden/internal/report"
)

const (
	maxSubject = 72
	maxRows    = 40
	maxGoal    = 10_000
	maxBody    = 60_000
)

// Texts are what people read of a landed candidate.
type Texts struct{ Message, Title, Body string }

// Write builds the texts from what the ledger says that ran, and claims nothing
// else. Everything that others wrote is shown and does nothing: it closes no issue,
// calls nobody, skips no check and is no trailer.
func Write(r report.Report, paths []string) Texts {
	title := subject(r)
	return Texts{Title: title, Message: message(r, title), Body: body(r, paths)}
}

// skipping are the words by which a message tells a forge to check nothing.
var skipping = regexp.MustCompile(`(?i)\[(skip ci|ci skip|no ci|skip actions|actions skip)\]|\*\*\*NO_CI\*\*\*|skip-checks:`)

func disarm(s string) string {
	return skipping.ReplaceAllStringFunc(s, func(m string) string { return m[:1] + "\u200b" + m[1:] })
}

func subject(r report.Report) string {
	first, _, _ := strings.Cut(strings.TrimSpace(r.Goal), "\n")
	// A leading dash would read as an option of the command that opens the request.
	if s := disarm(plain.Title(strings.TrimLeft(first, "- \t"), maxSubject)); s != "" {
		return s
	}
	return "Land run " + r.RunID
}

func message(r report.Report, title string) string {
	var b strings.Builder
	b.WriteString(title + "\n\n")
	if strings.TrimSpace(r.Goal) != title {
		b.WriteString(quote(r.Goal) + "\n\n")
	}
	b.WriteString("What ran:\n")
	for i, s := range failedFirst(r.Stages) {
		if i == maxRows {
			fmt.Fprintf(&b, "* and %d more, which the ledger has\n", len(r.Stages)-maxRows)
			break
		}
		fmt.Fprintf(&b, "* %s: %s\n", line(label(s)), line(verdict(s)))
	}
	if len(r.Stages) == 0 {
		b.WriteString("* nothing\n")
	}
	if rows := skipped(r.Skipped); len(rows) > 0 {
		b.WriteString("\nNot run:\n" + strings.Join(rows, ""))
	}
	b.WriteString("\n" + trailers(r))
	return b.String()
}

// trailers name who did it and where the evidence is. They are the last paragraph,
// so that no other line of the message is one.
func trailers(r report.Report) string {
	var b strings.Builder
	var told []string
	for _, s := range r.Stages {
		if s.Kind != "role" || s.Vendor == "" {
			continue
		}
		by := fmt.Sprintf("Ran-by: %s %s", s.Role, s.Vendor)
		if s.Model != "" {
			by += "/" + s.Model
		}
		if by = line(by); !slices.Contains(told, by) && len(told) < maxRows {
			told = append(told, by)
			b.WriteString(by + "\n")
		}
	}
	fmt.Fprintf(&b, "Warden-Run: %s\nWarden-Ledger: %s\n", r.RunID, r.SealedHead)
	if r.Decision != nil && r.Decision.Actor != nil {
		fmt.Fprintf(&b, "Warden-Accepted-By: %s\n", line(*r.Decision.Actor))
	}
	return b.String()
}

// failedFirst keeps the order otherwise. What did not end has not passed.
func failedFirst(stages []report.Stage) []report.Stage {
	out := slices.Clone(stages)
	slices.SortStableFunc(out, func(a, b report.Stage) int { return rank(a) - rank(b) })
	return out
}

func rank(s report.Stage) int {
	if s.OK != nil && *s.OK {
		return 1
	}
	return 0
}

func label(s report.Stage) string {
	name := s.Stage
	if name == "" {
		name = s.Step
	}
	switch {
	case s.Fix:
		name += fmt.Sprintf(", fix round %d", s.Attempt)
	case s.Attempt > 0:
		name += fmt.Sprintf(", attempt %d", s.Attempt+1)
	}
	return name
}

// verdict says what one execution came to, and who says so.
func verdict(s report.Stage) string {
	var out string
	switch {
	case s.OK == nil:
		out = "not finished"
	case !*s.OK:
		out = "failed (" + string(s.Code) + ")"
	case s.Kind == "machine_gates":
		out = fmt.Sprintf("passed, commands: %d", len(s.Commands))
	case s.Kind == "visual_harness":
		out = fmt.Sprintf("passed, scenarios: %d", len(s.Scenarios))
	case s.Verdict != "":
		out = "verdict " + s.Verdict
	default:
		out = "done"
	}
	if s.ReusedFrom != "" {
		out += ", taken over from " + s.ReusedFrom
	}
	if s.Vendor != "" {
		out += ", by " + s.Vendor
		if s.Model != "" {
			out += "/" + s.Model
		}
	}
	return out
}

func skipped(stages []ledger.StageSkipped) []string {
	var rows []string
	for i, s := range stages {
		if i == maxRows {
			break
		}
		rows = append(rows, "* "+line(s.Stage+": "+s.Reason)+"\n")
	}
	return rows
}

// line makes foreign text one harmless line.
func line(s string) string { return disarm(plain.Title(s, 200)) }

// quote shows foreign text with a mark before each line, so that none can be a
// trailer.
func quote(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > maxGoal {
		s = strings.ToValidUTF8(s[:maxGoal], "") + "\n[…]"
	}
	return disarm(plain.Quote(s))
}
