package report

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Text renders the report for a terminal: aligned columns, ? for what nobody
// reported and – for what there is none of. Files of the evidence are shown below
// dir. Safe makes foreign text harmless; nil takes a strict one.
func Text(r Report, dir string, safe func(string) string) string {
	t := text{dir: dir, harmless: safe}
	if safe == nil {
		t.harmless = oneLine
	}
	t.row("run", "%s", t.safe(r.RunID))
	t.row("task", "%s  risk=%s", t.safe(r.TaskID), orUnknown(t.safe(r.Risk)))
	t.row("outcome", "%s", outcomeText(r, t.safe))
	if r.Detail != "" {
		t.row("", "%s", t.safe(r.Detail))
	}
	t.row("human", "%s", humanText(r, t.safe))
	if r.Incomplete != "" {
		t.row("warning", "%s; no sum is exact", t.safe(r.Incomplete))
	}
	if held := weaker(r); held != "" {
		t.row("sandbox", "%s", t.safe(held))
	}
	t.table(stageTable(r, t.safe))
	t.table(scenarioTable(r, t.safe))
	t.table(vendorTable(r, t.safe))
	t.b.WriteByte('\n')
	for _, s := range r.Stages {
		if s.ReusedFrom != "" {
			t.row("carried", "%s  from %s; nobody was called", t.safe(s.Stage), t.safe(s.ReusedFrom))
		}
	}
	t.row("cost", "%s", r.spent())
	if files := r.changed(t.safe); files != "" {
		t.row("changed", "%s", files)
	}
	for _, s := range r.Stages {
		if s.judged() && s.Verdict != "" {
			t.row("verdict", "%s, round %d: %s  %s", t.safe(s.name()), s.round(), t.safe(s.opinion()), t.safe(s.Summary))
		}
	}
	t.troubles(r)
	return t.b.String()
}

// weaker is what confined the children where that was less than there is, or "".
func weaker(r Report) string {
	if r.Confinement == "bubblewrap" {
		return ""
	}
	return r.Confinement
}

// text is a report in the making.
type text struct {
	b        strings.Builder
	dir      string
	harmless func(string) string
}

// safe is foreign text on one line.
func (t *text) safe(s string) string { return t.harmless(oneLine(s)) }

func (t *text) row(name, format string, args ...any) {
	fmt.Fprintf(&t.b, "%-9s%s\n", name, fmt.Sprintf(format, args...))
}

// table writes a table that has rows.
func (t *text) table(columns []column) {
	if len(columns[0].cells) > 0 {
		t.b.WriteByte('\n')
		writeTable(&t.b, columns)
	}
}

// troubles lists what a person has to look at, and where the whole of it lies.
func (t *text) troubles(r Report) {
	for _, s := range r.Stages {
		if s.failed() {
			t.failure(s)
		}
	}
	for _, f := range r.OpenFindings {
		t.row("finding", "%s  %s  %s", t.safe(string(f.Severity)), t.safe(where(f)), t.safe(f.Message))
	}
	for _, f := range r.Failovers {
		t.row("failover", "%s: %s -> %s  by %s", t.safe(f.Role), t.safe(f.FromProfile), t.safe(f.ToProfile), t.safe(f.AuthorizedBy))
	}
	if next := r.step(); next != "" {
		t.row("next", "%s", t.safe(next))
	}
}

const maxTail = 15 // lines of each stream of a command that failed

func (t *text) failure(s Stage) {
	t.b.WriteByte('\n')
	t.row("failed", "%s, round %d: %s", t.safe(s.name()), s.round(), orUnknown(t.safe(string(s.Code))))
	if s.Detail != "" {
		t.row("", "%s", t.safe(s.Detail))
	}
	for _, c := range s.Commands {
		if !red(c) {
			continue
		}
		t.row("", "exit %d  %s", c.ExitCode, t.safe(c.Command))
		for _, line := range lastLines(maxTail, c.Stdout, c.Stderr) {
			t.row("", "  | %s", t.harmless(line))
		}
	}
	for _, x := range s.Scenarios {
		if !x.OK {
			t.row("", "scenario %s: %s", t.safe(x.Scenario), t.safe(x.Why))
		}
	}
	for _, p := range s.Violations {
		t.row("", "outside the scope: %s", t.safe(p))
	}
	if s.Report != "" {
		t.row("report", "%s", t.safe(place(t.dir, s.Report)))
	}
}

// column is one column of a table. Numbers stand on the right.
type column struct {
	title string
	right bool
	cells []string
}

func stageTable(r Report, safe func(string) string) []column {
	t := []column{{title: "stage"}, {title: "round", right: true}, {title: "ok"}, {title: "vendor/model"}, {title: "cost"}, {title: "tokens"}, {title: "ms", right: true}}
	for _, s := range r.Stages {
		addRow(t, safe(s.name()), fmt.Sprint(s.round()), verdict(s.OK), safe(who(s.Vendor, s.Model)),
			s.cost(), s.tokens(), whole(s.DurationMillis))
	}
	return t
}

// scenarioTable is what a browser saw, each stage as it was the last time.
func scenarioTable(r Report, safe func(string) string) []column {
	t := []column{{title: "scenario"}, {title: "viewport"}, {title: "ok"}, {title: "pictures", right: true}, {title: "why"}}
	last := map[string]int{}
	for i, s := range r.Stages {
		if s.Kind == "visual_harness" {
			last[s.Stage] = i
		}
	}
	for i, s := range r.Stages {
		if at, ok := last[s.Stage]; !ok || at != i {
			continue
		}
		for _, v := range s.Scenarios {
			addRow(t, cut(safe(v.Scenario), 60), orDash(safe(v.Viewport)), verdict(&v.OK), fmt.Sprint(len(v.Pictures)+len(v.Differences)), cut(safe(v.Why), 80))
		}
	}
	return t
}

// cut shortens a cell to n characters.
func cut(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-1]) + "…"
}

func orDash(s string) string {
	if s == "" {
		return none
	}
	return s
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
	switch {
	case s.Fix:
		return s.Step + " (fix)"
	case s.Kind == "visual_harness":
		return s.Kind // a ledger of before may label it as the role that looks at its pictures
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
