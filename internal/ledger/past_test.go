package ledger_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/usage"
)

// told is a history made of events, each a number of seconds after the reservation.
func told(t *testing.T, id, continues string, events ...any) ledger.History {
	t.Helper()
	h := ledger.History{Run: ledger.RunHead{RunID: id, Continues: continues, ReservedAt: time.Unix(0, 0)}}
	for i := 0; i < len(events); i += 3 {
		data, err := json.Marshal(events[i+2])
		if err != nil {
			t.Fatal(err)
		}
		h.Lines = append(h.Lines, ledger.Line{Seq: len(h.Lines) + 1, At: time.Unix(int64(events[i].(int)), 0), Type: events[i+1].(string), Data: data, SHA256: fmt.Sprint(id, len(h.Lines))})
	}
	return h
}

func priced(id string, usd float64) ledger.RoleRun {
	return ledger.RoleRun{Role: "implementer", Calls: []ledger.VendorCall{{CallID: id, Vendor: "v-" + id, Usage: usage.Call{CostUSD: usage.Known(usd)}}}}
}

func decided(word string) ledger.HumanDecision { return ledger.HumanDecision{Decision: word} }

// BU-08: what a chain of runs spent is added up from their lines; a rejection starts
// a new count.
func TestReadPast(t *testing.T) {
	t.Parallel()
	silent := ledger.RoleRun{Role: "implementer", Calls: []ledger.VendorCall{{CallID: "a2", Vendor: "v-a2"}}}
	end := func(runs, rounds int, cost usage.Amount, unpriced int) ledger.Ending {
		return ledger.Ending{Code: outcome.GatesNotSatisfied, RoleRuns: runs, AttemptsUsed: rounds, DurationMillis: 1, Usage: usage.Total{CostUSD: cost, Unpriced: unpriced}}
	}
	runs := map[string]ledger.History{
		"old": told(t, "old", "", 9, ledger.TypeRoleRun, priced("o", 5), 10, ledger.TypeStopped, end(4, 2, usage.Known(5), 0), 500, ledger.TypeHumanDecision, decided("reject")),
		"a": told(t, "a", "old",
			1, ledger.TypeVendorCallStarted, ledger.VendorCallStarted{CallID: "a1", RoleRuns: 1, MaxCostUSD: 2},
			2, ledger.TypeRoleRun, priced("a1", 0.5),
			3, ledger.TypeVendorCallStarted, ledger.VendorCallStarted{CallID: "a2", RoleRuns: 2, MaxCostUSD: 3},
			4, ledger.TypeRoleRun, silent,
			20, ledger.TypeStopped, end(2, 1, usage.Known(0.5), 1), 10_000, ledger.TypeHumanDecision, decided("retry")),
		"b": told(t, "b", "a",
			1, ledger.TypeVendorCallStarted, ledger.VendorCallStarted{CallID: "b1", RoleRuns: 1},
			2, ledger.TypeRoleRun, ledger.RoleRun{Role: "implementer", Calls: []ledger.VendorCall{{CallID: "b1", Vendor: "v-b1"}}},
			30, ledger.TypeStopped, end(1, 0, usage.Amount{}, 1), 40, ledger.TypeHumanDecision, decided("retry")),
	}
	read := func(id string) (ledger.History, error) { return runs[id], nil }
	tests := []struct {
		name, id string
		chain    ledger.Chain
	}{
		{"BU-08 two runs are one budget", "b", ledger.Chain{Runs: 2, RoleRuns: 3, CostUSD: usage.Known(0.5), Unpriced: 2, FixAttempts: 1, ElapsedMillis: 50_000, PromisedUSD: 3, Unbounded: 1}},
		{"a retry of what a rejection began", "a", ledger.Chain{Runs: 1, RoleRuns: 2, CostUSD: usage.Known(0.5), Unpriced: 1, FixAttempts: 1, ElapsedMillis: 20_000, PromisedUSD: 3}},
		{"BU-08 a rejection starts a new count", "old", ledger.Chain{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, err := ledger.ReadPast(read, tt.id)
			if err != nil {
				t.Fatal(err)
			}
			if p.Chain != tt.chain {
				t.Errorf("chain:\n got %+v\nwant %+v", p.Chain, tt.chain)
			}
		})
	}
	runs["loop"] = told(t, "loop", "loop")
	if _, err := ledger.ReadPast(read, "loop"); err == nil {
		t.Error("a run that continues itself was read to an end")
	}
}

// BU-14: a run that was cut off worked until its last line, and for as long as what it
// had begun could take, but not while nobody had noticed.
func TestElapsedOfARunThatWasCutOff(t *testing.T) {
	t.Parallel()
	cut := ledger.Ending{Code: outcome.Interrupted, RoleRuns: 1, Usage: usage.Total{Calls: 1, Unpriced: 1}}
	started := ledger.VendorCallStarted{CallID: "c", RoleRuns: 1, LimitSeconds: 600, MaxCostUSD: 1.5}
	reserved := ledger.RunReserved{Limits: ledger.Limits{TimeoutSeconds: 120}}
	tests := []struct {
		name    string
		h       ledger.History
		seconds int64
	}{
		{"BU-14 noticed a day later", told(t, "r", "", 1, ledger.TypeRunReserved, reserved, 5, ledger.TypeVendorCallStarted, started,
			90_000, ledger.TypeInterrupted, ledger.Interrupted{CallID: "c"}, 90_000, ledger.TypeStopped, cut), 605},
		{"BU-14 noticed at once", told(t, "r", "", 5, ledger.TypeVendorCallStarted, started, 65, ledger.TypeInterrupted, ledger.Interrupted{CallID: "c"}, 65, ledger.TypeStopped, cut), 65},
		{"BU-14 cut off in the gates", told(t, "r", "", 1, ledger.TypeRunReserved, reserved, 7, ledger.TypeStageStarted, ledger.StageStarted{Stage: "gates"}, 9000, ledger.TypeStopped, ledger.Ending{Code: outcome.Interrupted}), 127},
		{"between two stages", told(t, "r", "", 1, ledger.TypeRunReserved, reserved, 7, ledger.TypeRoleRun, priced("c", 1), 9000, ledger.TypeStopped, ledger.Ending{Code: outcome.Interrupted}), 7},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := tt.h.Spent()
			if err != nil || got.ElapsedMillis != tt.seconds*1000 {
				t.Errorf("%d ms, %v; want %d s", got.ElapsedMillis, err, tt.seconds)
			}
		})
	}
	got, err := tests[0].h.Spent()
	if err != nil || got.PromisedUSD != 1.5 || got.Unbounded != 0 || got.Unpriced != 1 {
		t.Errorf("BU-06: the call in flight counts as %+v, %v", got, err)
	}
}
