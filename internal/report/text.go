package report

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Text renders the report for a terminal: aligned columns, ? for what nobody
// reported. safe makes foreign text harmless; nil takes a strict one.
func Text(r Report, safe func(string) string) string {
	if safe == nil {
		safe = oneLine
	}
	var b strings.Builder
	head := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-9s%s\n", name, fmt.Sprintf(format, args...))
	}
	head("run", "%s", safe(r.RunID))
	head("task", "%s  risk=%s", safe(r.TaskID), orUnknown(safe(r.Risk)))
	head("outcome", "%s", outcomeText(r, safe))
	if r.Detail != "" {
		head("", "%s", safe(r.Detail))
	}
	head("human", "%s", humanText(r, safe))
	if r.Incomplete != "" {
		head("warning", "%s; no sum is exact", safe(r.Incomplete))
	}
	b.WriteByte('\n')
	writeTable(&b, stageTable(r, safe))
	if len(r.Vendors) > 0 {
		b.WriteByte('\n')
		writeTable(&b, vendorTable(r, safe))
	}
	b.WriteByte('\n')
	head("cost", "%s", r.Totals.spent())
	writeTroubles(&b, r, safe)
	return b.String()
}

func outcomeText(r Report, safe func(string) string) string {
	if r.OK == nil {
		return "?  it has not ended"
	}
	return fmt.Sprintf("%s  %s  next=%s", verdict(r.OK), safe(string(r.Reason)), safe(r.NextAction))
}

func humanText(r Report, safe func(string) string) string {
	switch d := r.Decision; {
	case r.DecisionFault != "":
		return "?  " + safe(r.DecisionFault)
	case d == nil:
		return "nobody was asked"
	case d.Decision == nil:
		return fmt.Sprintf("pending  options=[%s]", safe(strings.Join(d.Options, ", ")))
	default:
		return fmt.Sprintf("%s  by %s  at %s", safe(d.Answer()), safe(*d.Actor), d.Token())
	}
}

// writeTroubles lists what a person has to look at.
func writeTroubles(b *strings.Builder, r Report, safe func(string) string) {
	for _, s := range r.Stages {
		if s.OK != nil && *s.OK {
			continue
		}
		for _, c := range s.Commands {
			if c.ExitCode != 0 || c.TimedOut {
				fmt.Fprintf(b, "%-9sexit %d  %s\n", safe(s.Step), c.ExitCode, safe(c.Command))
			}
		}
		for _, p := range s.Violations {
			fmt.Fprintf(b, "%-9soutside the scope: %s\n", safe(s.Step), safe(p))
		}
	}
	for _, f := range r.OpenFindings {
		fmt.Fprintf(b, "%-9s%s  %s:%d  %s\n", "finding", safe(string(f.Severity)), safe(f.Path), f.Line, safe(f.Message))
	}
	for _, f := range r.Failovers {
		fmt.Fprintf(b, "%-9s%s: %s -> %s  by %s\n", "failover", safe(f.Role), safe(f.FromProfile), safe(f.ToProfile), safe(f.AuthorizedBy))
	}
	if r.SafeNextStep != "" {
		fmt.Fprintf(b, "%-9s%s\n", "next", safe(r.SafeNextStep))
	}
}

// column is one column of a table. Numbers stand on the right.
type column struct {
	title string
	right bool
	cells []string
}

func stageTable(r Report, safe func(string) string) []column {
	t := []column{{title: "stage"}, {title: "attempt", right: true}, {title: "ok"}, {title: "vendor/model"}, {title: "cost"}, {title: "tokens"}, {title: "ms", right: true}}
	for _, s := range r.Stages {
		addRow(t, safe(s.name()), fmt.Sprint(s.Attempt), verdict(s.OK), safe(who(s.Vendor, s.Model)),
			partial(s.CostUSD, s.CostUnknown), pair(s.Input, s.Output), whole(s.DurationMillis))
	}
	return t
}

func vendorTable(r Report, safe func(string) string) []column {
	t := []column{{title: "vendor/model"}, {title: "calls", right: true}, {title: "fail", right: true}, {title: "cost"}, {title: "in/out tokens"}, {title: "ms", right: true}}
	for _, v := range r.Vendors {
		addRow(t, safe(who(v.Vendor, v.Model)), fmt.Sprint(v.Calls), fmt.Sprint(v.Failed), partial(v.CostUSD, v.CostUnknown),
			pair(v.Input, v.Output), whole(v.DurationMillis))
	}
	return t
}

func (s Stage) name() string {
	if s.Fix {
		return s.Step + " (fix)"
	}
	return s.Step
}

func addRow(t []column, cells ...string) {
	for i, c := range cells {
		t[i].cells = append(t[i].cells, c)
	}
}

func writeTable(b *strings.Builder, t []column) {
	for row := -1; row < len(t[0].cells); row++ {
		var line strings.Builder
		for _, c := range t {
			width, text := utf8.RuneCountInString(c.title), c.title
			for _, cell := range c.cells {
				width = max(width, utf8.RuneCountInString(cell))
			}
			if row >= 0 {
				text = c.cells[row]
			}
			pad := strings.Repeat(" ", width-utf8.RuneCountInString(text))
			if c.right {
				line.WriteString(pad + text + "  ")
			} else {
				line.WriteString(text + pad + "  ")
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}

func orUnknown(s string) string {
	if s == "" {
		return "?"
	}
	return s
}
