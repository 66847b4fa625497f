package metrics

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tolboy/warden/internal/usage"
)

// Text renders the numbers for a terminal: aligned columns, ? for what nobody
// reported, >= for a sum from which a ledger is missing. safe makes foreign text
// harmless on one line.
func Text(l Ledger, safe func(string) string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "runs     %d  passed=%d  failed=%d  unfinished=%d  dry=%d  no evidence=%d  unverified=%d\n",
		l.RunCount, l.Passed, l.Failed, l.Unfinished, l.DryRuns, l.NoEvidence, len(l.Unverified))
	if l.Prepared+l.NotPrepared > 0 {
		fmt.Fprintf(&b, "drafts   prepared=%d  not prepared=%d\n", l.Prepared, l.NotPrepared)
	}
	for _, u := range l.Unverified {
		fmt.Fprintf(&b, "warning  %s is in no sum: %s: %s\n", safe(u.RunID), safe(u.Code), safe(u.First))
	}
	for _, n := range l.NotUnderstood {
		fmt.Fprintf(&b, "warning  %s has events of a newer version: %d\n", safe(n.RunID), n.Events)
	}
	m := l.Metrics
	fmt.Fprintf(&b, "calls    %d  fix rounds=%d  failovers=%d\n\n", m.RoleRuns.Total, m.Iterations.FixRounds, m.Iterations.Failovers)
	writeTable(&b, quantities(m))
	b.WriteByte('\n')
	if m.RoleRuns.Total > 0 {
		writeTable(&b, dimensions(m.RoleRuns, safe))
		b.WriteByte('\n')
	}
	writeTable(&b, failures(m.Failures))
	if len(m.Human.ByDecision) > 0 {
		b.WriteByte('\n')
		writeTable(&b, decisions(m.Human.ByDecision, safe))
	}
	return b.String()
}

func quantities(m Metrics) [][]string {
	rows := [][]string{{"", "total", "known", "unknown", "p50", "p95"}}
	add := func(name string, s Sum, show func(usage.Amount) string, more ...string) {
		total := show(s.Total)
		if _, some := s.AtLeast.Get(); some {
			total = ">=" + show(s.AtLeast)
		}
		rows = append(rows, append([]string{name, total, strconv.Itoa(s.Known), strconv.Itoa(s.Unknown)}, more...))
	}
	t := m.Telemetry
	add("cost $", t.CostUSD, digits(4))
	add("input tokens", t.Tokens.Input, digits(0))
	add("output tokens", t.Tokens.Output, digits(0))
	add("all tokens", t.Tokens.Total, digits(0))
	add("call ms", t.Duration.Sum, digits(0), digits(0)(t.Duration.P50), digits(0)(t.Duration.P95))
	add("wait ms", m.Human.Wait.Sum, digits(0), digits(0)(m.Human.Wait.P50), digits(0)(m.Human.Wait.P95))
	return rows
}

// digits shows an amount with so many decimals, or ?.
func digits(n int) func(usage.Amount) string {
	return func(a usage.Amount) string {
		v, known := a.Get()
		if !known {
			return "?"
		}
		return strconv.FormatFloat(v, 'f', n, 64)
	}
}

func dimensions(r RoleRuns, safe func(string) string) [][]string {
	rows := [][]string{{"calls by", "", "count"}}
	for _, d := range []struct {
		name   string
		counts map[string]int
	}{{"role", r.ByRole}, {"profile", r.ByProfile}, {"vendor", r.ByVendor}, {"model", r.ByModel}, {"runner", r.ByRunner}, {"outcome", r.ByOutcome}} {
		for i, row := range counts(d.counts, safe) {
			name := ""
			if i == 0 {
				name = d.name
			}
			rows = append(rows, append([]string{name}, row...))
		}
	}
	return rows
}

func decisions(by map[string]int, safe func(string) string) [][]string {
	return append([][]string{{"decision", "count"}}, counts(by, safe)...)
}

func failures(f Failures) [][]string {
	number := func(n *int) string {
		if n == nil {
			return "?"
		}
		return strconv.Itoa(*n)
	}
	return [][]string{{"failures", "count"}, {"baseline", number(&f.Baseline)}, {"machine gate", number(&f.MachineGate)},
		{"visual qa", number(f.VisualQA)}, {"visual harness", number(f.VisualHarness)}, {"visual role", number(&f.VisualRole)},
		{"quota", number(&f.Quota)}, {"configuration", number(&f.Configuration)}}
}
