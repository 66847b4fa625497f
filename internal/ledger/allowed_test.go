package ledger_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tolboy/warden/internal/ledger"
)

type event struct {
	kind string
	data any
}

// history writes a run of these events and returns it.
func history(t *testing.T, events ...event) ledger.History {
	t.Helper()
	run := create(t, t.TempDir(), "r1")
	for _, e := range events {
		if _, err := run.Append(e.kind, time.Unix(1, 0), e.data); err != nil {
			t.Fatal(err)
		}
	}
	return run.History()
}

// QF-14: a run knows every substitution that was allowed before it and in answer
// to it, and no answer of another kind is one.
func TestAllowed(t *testing.T) {
	t.Parallel()
	asked := &ledger.Failover{Role: "reviewer", FromProfile: "p1", ToProfile: "p2"}
	first := ledger.RunReserved{AuthorizedFailover: &ledger.Switch{Role: "implementer", Profile: "w2"}, CarriedFailovers: []ledger.Switch{{Role: "implementer", Profile: "w1"}}}
	before := []ledger.Switch{{Role: "implementer", Profile: "w2"}, {Role: "implementer", Profile: "w1"}}
	answer := func(word string) event {
		return event{ledger.TypeHumanDecision, ledger.HumanDecision{Kind: "failover", Decision: word}}
	}
	tests := map[string]struct {
		end    ledger.Ending
		answer event
		want   []ledger.Switch
	}{
		"QF-14_switch":                 {ledger.Ending{Failover: asked}, answer("switch"), append([]ledger.Switch{{Role: "reviewer", Profile: "p2"}}, before...)},
		"QF-14_abort":                  {ledger.Ending{Failover: asked}, answer("abort"), before},
		"QF-14_retry_of_another_fault": {ledger.Ending{}, answer("retry"), before},
		"QF-14_switch_of_nothing":      {ledger.Ending{}, answer("switch"), before},
	}
	for name, tt := range tests {
		h := history(t, event{ledger.TypeRunReserved, first}, event{ledger.TypeStopped, tt.end}, tt.answer)
		if diff := cmp.Diff(tt.want, ledger.Allowed(h)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// RI-06: a tree that a run left is known, unless that run began with changes that
// nobody known had made.
func TestTrees(t *testing.T) {
	t.Parallel()
	wrote, checked := event{ledger.TypeRoleRun, ledger.RoleRun{Candidate: "t1"}}, event{ledger.TypeMachineGate, ledger.GateRun{Candidate: "t2"}}
	end := ledger.Ending{Candidate: &ledger.Candidate{Fingerprint: "t3"}}
	if got := ledger.Trees(history(t, wrote, checked, event{ledger.TypeReadyForHuman, end})); !cmp.Equal(got, []string{"t1", "t2", "t3"}) {
		t.Errorf("trees %q", got)
	}
	end.Unexplained = true
	if got := ledger.Trees(history(t, wrote, checked, event{ledger.TypeReadyForHuman, end})); got != nil {
		t.Errorf("trees of an unknown origin count as known: %q", got)
	}
}
