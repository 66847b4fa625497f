package report_test

import (
	"strings"
	"testing"

	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/report"
)

// What a browser measured and what a role made of its pictures are two rows, also
// where an older ledger gave both one label.
func TestBrowserAndRoleAreToldApart(t *testing.T) {
	t.Parallel()
	for _, label := range []string{"visual_harness", "visual_qa"} {
		r := report.Build(history(t, reserved(),
			event{ledger.TypeVisualRun, ledger.VisualRun{Stage: "browser", Label: label, Code: outcome.VisualFailed}},
			event{ledger.TypeRoleRun, ledger.RoleRun{Stage: "look", Label: "visual_qa", Role: "visual_qa", OK: true, Code: outcome.OK, Verdict: "pass"}}))
		if r.Stages[0].Step != label {
			t.Errorf("the report of an older ledger would no longer be the same: step %q, written as %q", r.Stages[0].Step, label)
		}
		text := report.Text(r, "", nil)
		browser, role := strings.Index(text, "\nvisual_harness "), strings.Index(text, "\nvisual_qa ")
		if browser < 0 || role < browser || strings.Count(text, "\nvisual_qa ") != 1 || !strings.Contains(text, "failed   visual_harness, round 1") {
			t.Errorf("labelled %s:\n%s", label, text)
		}
		if md := report.VerdictTable(r, func(s string) string { return s }); !strings.Contains(md, "| visual_harness |") || strings.Count(md, "| visual_qa |") != 1 {
			t.Errorf("labelled %s:\n%s", label, md)
		}
	}
}
