package publish

import (
	"fmt"
	"strings"
	"time"

	"github.com/tolboy/warden/internal/plain"
	"github.com/tolboy/warden/internal/usage"
)

// table writes a Markdown table of untrusted cells, at most max rows of it, each
// cell at most wide characters.
func table(b *strings.Builder, max, wide int, head []string, rows [][]string) {
	fmt.Fprintf(b, "| %s |\n|%s\n", strings.Join(head, " | "), strings.Repeat(" --- |", len(head)))
	for i, row := range rows {
		if i == max {
			fmt.Fprintf(b, "\n%d more rows are in the ledger.\n", len(rows)-max)
			break
		}
		cells := make([]string, len(row))
		for j, c := range row {
			if cells[j] = plain.TableCell(plain.Line(c, wide)); cells[j] == "" {
				cells[j] = "–"
			}
		}
		fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | "))
	}
}

// money prints what was reported, and says so where some calls reported nothing.
func money(t usage.Total) string { return partly(t.CostUSD, t.Unpriced, "$%.4f") }

func tokens(a usage.Amount, silent int) string { return partly(a, silent, "%.0f") }

func partly(a usage.Amount, silent int, format string) string {
	v, known := a.Get()
	switch {
	case !known:
		return "?"
	case silent > 0:
		return fmt.Sprintf(format+" + ?", v)
	}
	return fmt.Sprintf(format, v)
}

func took(d time.Duration) string {
	if d <= 0 {
		return "?"
	}
	return d.Round(time.Second).String()
}

// spent is the line about cost, calls and time of every ending.
func spent(v View) string {
	if v.Total.Calls == 0 && v.Phase != Running { // the sums of a run are in its ending
		return fmt.Sprintf("0 vendor calls, nothing charged, time %s", took(v.Duration))
	}
	return fmt.Sprintf("%d vendor calls, cost %s, tokens in %s, out %s, time %s", v.Total.Calls, money(v.Total),
		tokens(v.Total.Input, v.Total.Untold), tokens(v.Total.Output, v.Total.Untold), took(v.Duration))
}

func verdictTable(b *strings.Builder, v View, wide int) {
	rows := make([][]string, len(v.Verdicts))
	for i, r := range v.Verdicts {
		rows[i] = []string{r.Name, sign(r.Result), r.Detail}
	}
	if len(rows) == 0 {
		rows = [][]string{{"–", sign("not_run"), "no check ran"}}
	}
	table(b, 40, wide, []string{"Check", "Verdict", "Detail"}, rows)
}

// sign says a verdict in words; the picture only repeats it.
func sign(result string) string {
	switch result {
	case "passed":
		return "✅ passed"
	case "failed":
		return "❌ failed"
	case "skipped", "not_run":
		return "⬜ " + strings.ReplaceAll(result, "_", " ")
	case "unknown", "":
		return "❔ unknown"
	}
	return result
}

func code(s string) string { return plain.Inline(plain.Line(s, 300)) }

func short(sha string) string { return sha[:min(len(sha), 12)] }
