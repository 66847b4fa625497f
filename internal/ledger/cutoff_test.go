package ledger_test

import (
	"testing"

	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/usage"
)

func charged(id, stage string, n int) step {
	return step{typ: ledger.TypeVendorCallStarted, data: ledger.VendorCallStarted{CallID: id, Stage: stage, Role: "implementer", Vendor: "codex", RoleRuns: n}}
}

// TestCutOff ends runs at the places where they can be cut off.
func TestCutOff(t *testing.T) {
	t.Parallel()
	reserved := sampleSteps()[:1]
	repair := step{typ: ledger.TypeRoleRun, data: ledger.RoleRun{Label: "implementer", Role: "implementer", Fix: true, OK: true, Code: outcome.OK,
		Calls: []ledger.VendorCall{{CallID: "r1#1", Vendor: "codex", Usage: usage.Call{CostUSD: usage.Known(0.25)}}}}}
	taken := step{typ: ledger.TypeInterrupted, data: ledger.Interrupted{CallID: "r1#1", Stage: "implement", Role: "implementer", Vendor: "codex"}}
	for name, c := range map[string]struct {
		steps                  []step
		open, calls, runs, dry int
		next                   string
	}{
		"before its first line":               {nil, 0, 0, 0, 0, "human_escalation"},
		"before anybody was called":           {reserved, 0, 0, 0, 0, "human_escalation"},
		"in a call":                           {append(reserved[:1:1], charged("r1#1", "implement", 1)), 1, 1, 1, 0, "human_escalation"},
		"in the second try of a dispatch":     {append(reserved[:1:1], charged("r1#1", "implement", 1), charged("r1#2", "implement", 2)), 2, 2, 2, 0, "human_escalation"},
		"after a repair, which is no stage's": {append(reserved[:1:1], charged("r1#1", "gates", 1), repair), 0, 1, 1, 0, "human_escalation"},
		"while it was taken over":             {append(reserved[:1:1], charged("r1#1", "implement", 1), taken), 0, 1, 1, 0, "human_escalation"},
		"a role by itself":                    {[]step{charged("r1#reviewer", "reviewer", 1)}, 1, 1, 1, 0, "none"},
		"a dry run":                           {reserved, 0, 0, 0, 1, "none"},
		"PL-07 a preparation":                 {[]step{{typ: ledger.TypeRunReserved, data: ledger.RunReserved{Preparation: true}}, charged("r1#1", "plan", 1)}, 1, 1, 1, 0, "none"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, h := t.TempDir(), head("r1")
			h.DryRun = c.dry > 0
			r, err := ledger.Create(dir, h, set(t))
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			play(t, r, c.steps)
			at := newClock()
			for range 2 { // whoever comes second finds it done
				end, err := r.CutOff(at.tick(), "gone")
				if err != nil {
					t.Fatal(err)
				}
				if end.Code != outcome.Interrupted || end.NextAction != c.next || end.Usage.Calls != c.calls || end.RoleRuns != c.runs {
					t.Errorf("ended with %+v", end)
				}
			}
			open := 0
			for _, l := range r.History().Lines[len(c.steps):] {
				if l.Type == ledger.TypeInterrupted {
					open++
				}
			}
			if open != c.open || r.Seq() != len(c.steps)+c.open+1 {
				t.Errorf("%d calls were in flight, want %d, in %d lines", open, c.open, r.Seq())
			}
			mustVerify(t, dir, "r1", r.Head())
		})
	}
}
