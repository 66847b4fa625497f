package engine_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/tolboy/warden/internal/engine"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/reuse"
	"github.com/tolboy/warden/internal/workflow"
)

// before is an earlier run of the built-in chain that left the tree "a".
func before(t *testing.T, rows ...ledger.RoleRun) *engine.Earlier {
	t.Helper()
	h := ledger.History{Run: ledger.RunHead{RunID: "r0"}}
	add := func(kind string, v any) {
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		h.Lines = append(h.Lines, ledger.Line{Type: kind, Data: data})
	}
	add(ledger.TypeRunReserved, ledger.RunReserved{Limits: ledger.Limits{MaxRoleRuns: 2}})
	for _, r := range rows {
		add(ledger.TypeRoleRun, r)
	}
	add(ledger.TypeStopped, ledger.Ending{Code: outcome.RateLimited})
	return &engine.Earlier{Run: h, Terms: reuse.Terms{Role: func(workflow.Step, string) string { return "same" }}}
}

func gave(stage, role string) ledger.RoleRun {
	return ledger.RoleRun{Stage: stage, Role: role, OK: true, Code: outcome.OK, Vendor: role, ReadOnly: role != "implementer", Candidate: "a", RoleContract: "same",
		Calls: []ledger.VendorCall{{Vendor: role}}, Prompt: "r0--x/prompts/x.md"}
}

// CO-01, CO-08: verdicts that hold stand in for calls, and show as what they are.
func TestVerdictsAreCarried(t *testing.T) {
	t.Parallel()
	w := &world{tree: engine.Tree{Source: "a", Changed: []string{"greeting.txt"}}, gate: []engine.GateOutcome{green}}
	j := &journal{}
	end, err := drive(t, w, j, engine.Spec{Earlier: before(t, gave("implement", "implementer"), gave("review", "reviewer")), Known: []string{"a"}})
	if err != nil || !end.OK || len(w.calls) != 0 || end.RoleRuns != 0 || w.gates != 1 {
		t.Fatalf("CO-08: %+v, %v, %d calls, %d gate runs", end, err, len(w.calls), w.gates)
	}
	if !end.ReviewPassed || len(end.Pending)+len(end.Stale) != 0 || end.Reused == nil || !slices.Equal(end.Reused.Stages, []string{"implement", "review"}) {
		t.Errorf("CO-08: the carried reading shows as %+v", end)
	}
	rows := 0
	for _, d := range j.data {
		if r, ok := d.(ledger.RoleRun); ok {
			rows++
			if r.ReusedFrom != "r0" || len(r.Calls) != 0 || r.Usage.Calls != 0 || r.Prompt != "" {
				t.Errorf("CO-08: a carried verdict is recorded as %+v", r)
			}
		}
	}
	if rows != 2 {
		t.Errorf("%d verdicts are recorded", rows)
	}
}

// CO-06: what holds is looked at again at the moment of use, and after a repair
// nothing is carried.
func TestCarriedAtTheMomentOfUse(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		rows  []ledger.RoleRun
		gate  []engine.GateOutcome
		write string
		why   string
	}{
		{"CO-06 the writer moved the tree", []ledger.RoleRun{gave("review", "reviewer")}, []engine.GateOutcome{green}, "b", "the tree has changed since"},
		{"CO-06 somebody wrote the same bytes", []ledger.RoleRun{gave("review", "reviewer")}, []engine.GateOutcome{green}, "a", "somebody has written since"},
		{"a repair came before it", []ledger.RoleRun{gave("implement", "implementer"), gave("review", "reviewer")}, []engine.GateOutcome{red, green}, "b", "a repair came before it"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := &world{tree: engine.Tree{Source: "a", Changed: []string{"greeting.txt"}}, gate: tt.gate,
				role: turns{"implementer": {writes(tt.write)}, "reviewer": {ends(outcome.OK)}}}
			end, err := drive(t, w, &journal{}, engine.Spec{Earlier: before(t, tt.rows...), Known: []string{"a"}})
			if err != nil {
				t.Fatal(err)
			}
			read := slices.ContainsFunc(w.calls, func(c engine.RoleCall) bool { return c.Role == "reviewer" })
			if !read || len(end.DeclinedAtUse) != 1 || end.DeclinedAtUse[0] != (ledger.Declined{Stage: "review", Reason: tt.why}) {
				t.Errorf("read again %v, declined %+v; want %q", read, end.DeclinedAtUse, tt.why)
			}
		})
	}
}
