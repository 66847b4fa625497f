package forgecases

import (
	"strings"
	"testing"

	"github.com/tolboy/warden/internal/demo"
)

// LP-10: where only the contract is at fault, a person is told on the issue what
// to change in it, and no repair was bought.
func TestFindingForPeople(t *testing.T) {
	t.Parallel()
	t.Run("LP-10 a gap in the contract", func(t *testing.T) {
		t.Parallel()
		suggestion := "compare the whole line: " + strings.TrimSpace(strings.Repeat("every word of it, ", 14)) + " and its end."
		w := newWorld(t, setting{
			project: func(yaml string) string { return strings.Replace(yaml, "risk: low", "risk: medium", 1) },
			reader: []demo.Turn{{Role: "reviewer", Answer: map[string]any{"status": "completed", "verdict": "fail", "summary": "The check is weak.",
				"findings": []any{map[string]any{"severity": "P1", "category": "contract_gap", "path": "check.sh", "line": 2, "confidence": "confirmed",
					"message": "It matches a beginning only.", "expected": "the whole line", "actual": "its beginning", "suggestion": suggestion}}}}},
		})
		w.open()
		p := w.act(w.label())
		w.want(len(p.Runs) == 1 && p.Runs[0].Reason == "blocking_findings_remain" && p.Runs[0].RoleRuns == 2 && p.Pull == nil, "a repair was bought: %s", p)
		for _, words := range []string{".warden/project.yaml", "sh check.sh", suggestion, "an edit of the contract ends every verdict given under it"} {
			w.want(w.said(words) > 0, "the issue does not say %q", words)
		}
		w.settled()
	})
}
