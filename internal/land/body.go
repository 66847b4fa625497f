package land

import (
	"fmt"
	"strings"

	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/plain"
	"github.com/tolboy/warden/internal/report"
)

// body is the text of the pull request.
func body(r report.Report, paths []string) string {
	parts := []string{"### Goal\n\n" + quote(r.Goal), stages(r)}
	if rows := skipped(r.Skipped); len(rows) > 0 {
		parts = append(parts, "### Not run\n\n"+strings.TrimRight(strings.Join(rows, ""), "\n"))
	}
	parts = append(parts, said(r)...)
	if text := open(r.OpenFindings); text != "" {
		parts = append(parts, text)
	}
	tail := evidence(r)
	if files := files(paths); len(strings.Join(parts, "\n\n"))+len(files)+len(tail) < maxBody {
		parts = append(parts, files)
	}
	text := strings.Join(parts, "\n\n")
	if limit := maxBody - len(tail); len(text) > limit {
		text = strings.ToValidUTF8(text[:limit], "") + "\n\n_Cut here for its length. The ledger has everything._"
	}
	return disarm(text) + "\n\n" + tail
}

func stages(r report.Report) string {
	var b strings.Builder
	b.WriteString("### What ran\n\n| Stage | Result |\n| --- | --- |\n")
	for i, s := range failedFirst(r.Stages) {
		if i == maxRows {
			fmt.Fprintf(&b, "\n%d more are in the ledger.\n", len(r.Stages)-maxRows)
			break
		}
		fmt.Fprintf(&b, "| %s | %s |\n", cell(label(s)), cell(verdict(s)))
	}
	return strings.TrimRight(b.String(), "\n")
}

// said are the summaries of the last judging roles.
func said(r report.Report) []string {
	last := map[string]report.Stage{}
	var order []string
	for _, s := range r.Stages {
		if s.Kind != "role" || s.Verdict == "" || s.Summary == "" {
			continue
		}
		if _, ok := last[s.Stage]; !ok {
			order = append(order, s.Stage)
		}
		last[s.Stage] = s
	}
	var out []string
	for _, name := range order[:min(len(order), 5)] {
		summary := last[name].Summary
		if len(summary) > 5000 {
			summary = strings.ToValidUTF8(summary[:5000], "") + "\n[…]"
		}
		out = append(out, fmt.Sprintf("### What %s says\n\n%s", cell(name), plain.Quote(summary)))
	}
	return out
}

func open(findings []outcome.Finding) string {
	if len(findings) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("### Open findings\n\n| Severity | Where | What |\n| --- | --- | --- |\n")
	for i, f := range findings {
		if i == maxRows {
			fmt.Fprintf(&b, "\n%d more are in the ledger.\n", len(findings)-maxRows)
			break
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", cell(string(f.Severity)), cell(fmt.Sprintf("%s:%d", f.Path, f.Line)), cell(f.Message))
	}
	return strings.TrimRight(b.String(), "\n")
}

func files(paths []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "### Changed files (%d)\n\n", len(paths))
	for i, p := range paths {
		if i == 300 {
			fmt.Fprintf(&b, "- and %d more\n", len(paths)-i)
			break
		}
		fmt.Fprintf(&b, "- %s\n", plain.Inline(plain.Line(p, 300)))
	}
	return strings.TrimRight(b.String(), "\n")
}

func evidence(r report.Report) string {
	by := "?"
	if r.Decision != nil && r.Decision.Actor != nil {
		by = *r.Decision.Actor
	}
	return fmt.Sprintf("### Evidence\n\n- run %s\n- ledger %s\n- judged against %s\n- accepted by %s\n\nNothing is merged by this: that is a person's act.\n",
		plain.Inline(r.RunID), plain.Inline(r.SealedHead), plain.Inline(r.BaseCommit), cell(by))
}

func cell(s string) string { return plain.TableCell(plain.Line(s, 300)) }
