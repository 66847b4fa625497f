package report

import (
	"fmt"
	"strings"

	"github.com/tolboy/warden/internal/usage"
)

// VerdictTable renders one row a stage as a Markdown table, and VendorTable one
// row a vendor and model. escape makes foreign text harmless in Markdown; nil
// takes one that leaves no markup standing. Whatever it returns stays in its
// cell: line breaks and bars are taken care of here.
func VerdictTable(r Report, escape func(string) string) string {
	t := newMarkdown(escape, "stage", "round", "verdict", "by", "cost $", "tokens in/out", "time")
	for _, s := range r.Stages {
		t.row(t.foreign(s.name()), fmt.Sprint(s.round()), t.foreign(s.verdictText()), t.foreign(who(s.Vendor, s.Model)), s.cost(), s.tokens(), seconds(s.DurationMillis))
	}
	return t.String()
}

// VendorTable is described at VerdictTable.
func VendorTable(r Report, escape func(string) string) string {
	t := newMarkdown(escape, "vendor/model", "calls", "failed", "cost $", "tokens in/out", "time")
	for _, v := range r.Vendors {
		t.row(t.foreign(who(v.Vendor, v.Model)), fmt.Sprint(v.Calls), fmt.Sprint(v.Failed), partial(v.CostUSD, v.CostUnknown), pair(v.Input, v.Output), seconds(v.DurationMillis))
	}
	return t.String()
}

// CostLine says in one sentence what the run cost and what that leaves out.
func CostLine(r Report) string { return r.spent() }

func (s Stage) verdictText() string {
	text := map[string]string{"ok": "passed", "no": "failed", "?": "unfinished"}[verdict(s.OK)]
	if s.Verdict != "" && s.OK != nil && *s.OK {
		text = s.Verdict
	}
	if s.Code != "" && (s.OK == nil || !*s.OK) {
		text += ": " + string(s.Code)
	}
	if s.Blocking > 0 {
		text += fmt.Sprintf(", %d blocking %s", s.Blocking, plural(s.Blocking, "finding"))
	}
	if s.ReusedFrom != "" {
		text += ", reused from " + s.ReusedFrom
	}
	return text
}

// seconds shows how long something took. Less than nothing was not measured: the clock
// was set back meanwhile.
func seconds(ms usage.Amount) string {
	v, known := ms.Get()
	if !known || v < 0 {
		return "?"
	}
	if v >= 60000 {
		return fmt.Sprintf("%dm%02ds", int(v)/60000, int(v)/1000%60)
	}
	return fmt.Sprintf("%.1fs", v/1000)
}

type markdown struct {
	strings.Builder
	escape func(string) string
}

func newMarkdown(escape func(string) string, titles ...string) *markdown {
	if escape == nil {
		escape = plainMarkdown
	}
	t := &markdown{escape: escape}
	t.WriteString("| " + strings.Join(titles, " | ") + " |\n")
	t.WriteString(strings.Repeat("| --- ", len(titles)) + "|\n")
	return t
}

func (t *markdown) row(cells ...string) {
	t.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}

// foreign makes text that a vendor or a project chose fit for a cell.
func (t *markdown) foreign(s string) string {
	if s == none {
		return s
	}
	return cell(t.escape(oneLine(s)))
}

// cell keeps text in one cell of a table: a bar that is not escaped yet would
// start the next one, and a backslash at the end would escape our own bar.
func cell(s string) string {
	var b strings.Builder
	slashes := 0
	for _, r := range strings.NewReplacer("\r", " ", "\n", " ").Replace(s) {
		if r == '|' && slashes%2 == 0 {
			b.WriteString(`\|`)
		} else {
			b.WriteRune(r)
		}
		if slashes++; r != '\\' {
			slashes = 0
		}
	}
	if slashes%2 == 1 {
		b.WriteByte('\\')
	}
	return b.String()
}

// plainMarkdown shows text as code, in which nothing has a meaning.
func plainMarkdown(s string) string {
	if s == "" {
		return ""
	}
	return "`" + strings.ReplaceAll(s, "`", "'") + "`"
}
