package metrics_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/metrics"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/usage"
)

// known is a Sum of reports that were all made.
func known(n int, total float64) metrics.Sum {
	return metrics.Sum{Known: n, Total: usage.Known(total)}
}

func same(t *testing.T, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(string(encode(t, want)), string(encode(t, got))); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestUnknown(t *testing.T) {
	t.Parallel()
	t.Run("LR-03 four silent calls have no price, and no call is free", func(t *testing.T) {
		t.Parallel()
		m := fold(t, start, dispatch("reviewer", silent("a"), silent("b")), dispatch("reviewer", silent("c"), silent("d")), ready)
		same(t, "telemetry", metrics.Telemetry{CostUSD: metrics.Sum{Unknown: 4},
			Tokens:   metrics.Tokens{Input: metrics.Sum{Unknown: 4}, Output: metrics.Sum{Unknown: 4}, Total: metrics.Sum{Unknown: 4}},
			Duration: metrics.Spread{Sum: metrics.Sum{Unknown: 4}}}, m.Telemetry)
		if raw := string(encode(t, m.Telemetry.CostUSD)); raw != `{"known_count":0,"unknown_count":4,"total":null}` {
			t.Errorf("cost is %s", raw)
		}
		same(t, "models", map[string]int{metrics.Unknown: 4}, m.RoleRuns.ByModel)
	})
	t.Run("BU-05 a price that is zero is a price, beside one that is not known", func(t *testing.T) {
		t.Parallel()
		m := fold(t, start, dispatch("implementer", priced("a", 0, 0, 0, 0)), dispatch("reviewer", silent("b")), ready)
		same(t, "cost", metrics.Sum{Known: 1, Unknown: 1, Total: usage.Known(0)}, m.Telemetry.CostUSD)
	})
	t.Run("BU-03 a call that failed is counted with its price", func(t *testing.T) {
		t.Parallel()
		c := priced("a", 1.33, 10, 20, 5)
		c.OK, c.Code = false, outcome.RoleTurnsExhausted
		m := fold(t, start, event{ledger.TypeRoleRun, ledger.RoleRun{Role: "implementer", Code: c.Code, Calls: []ledger.VendorCall{c}}}, stopped(outcome.TurnCeilingReached))
		same(t, "cost", known(1, 1.33), m.Telemetry.CostUSD)
		same(t, "tokens", known(1, 30), m.Telemetry.Tokens.Total)
		same(t, "outcome", map[string]int{"role_turns_exhausted": 1}, m.RoleRuns.ByOutcome)
	})
	t.Run("a total is what the vendor said, and no sum of one half", func(t *testing.T) {
		t.Parallel()
		half, whole := priced("a", 1, 10, 20, 5), priced("b", 1, 10, 20, 5)
		half.Usage.Output, whole.Usage.Total = usage.Amount{}, usage.Known(35)
		m := fold(t, start, dispatch("implementer", half, whole), ready)
		same(t, "tokens", metrics.Tokens{Input: known(2, 20), Output: metrics.Sum{Known: 1, Unknown: 1, Total: usage.Known(20)},
			Total: metrics.Sum{Known: 1, Unknown: 1, Total: usage.Known(35)}}, m.Telemetry.Tokens)
	})
	t.Run("an amount that nobody can have spent is none", func(t *testing.T) {
		t.Parallel()
		m := fold(t, start, dispatch("implementer", priced("a", -5, 1e300, 1e300, 7), priced("b", 2, 1, 1, 8)), ready)
		same(t, "cost", metrics.Sum{Known: 1, Unknown: 1, Total: usage.Known(2)}, m.Telemetry.CostUSD)
		same(t, "input", metrics.Sum{Known: 1, Unknown: 1, Total: usage.Known(1)}, m.Telemetry.Tokens.Input)
	})
}

func TestCalls(t *testing.T) {
	t.Parallel()
	t.Run("an interrupted call is a call of unknown cost, once", func(t *testing.T) {
		t.Parallel()
		lost := event{ledger.TypeInterrupted, ledger.Interrupted{CallID: "a", Role: "implementer", Profile: "codex-implement", Vendor: "codex", Model: "gpt-5"}}
		m := fold(t, start, calling("a", "implementer"), lost, stopped(outcome.Interrupted))
		same(t, "cost", metrics.Sum{Unknown: 1}, m.Telemetry.CostUSD)
		same(t, "calls", metrics.RoleRuns{Total: 1, ByRole: map[string]int{"implementer": 1}, ByProfile: map[string]int{"codex-implement": 1}, ByVendor: map[string]int{"codex": 1},
			ByModel: map[string]int{"gpt-5": 1}, ByRunner: map[string]int{metrics.Unknown: 1}, ByOutcome: map[string]int{"interrupted": 1}}, m.RoleRuns)
	})
	t.Run("a call that was charged and never heard of is counted", func(t *testing.T) {
		t.Parallel()
		m := fold(t, start, calling("a", "implementer"), dispatch("implementer", priced("a", 1, 1, 1, 1)), calling("b", "reviewer"))
		same(t, "cost", metrics.Sum{Known: 1, Unknown: 1, Total: usage.Known(1)}, m.Telemetry.CostUSD)
		same(t, "outcome", map[string]int{"ok": 1, metrics.Unknown: 1}, m.RoleRuns.ByOutcome)
	})
	t.Run("CO-08 a verdict that was carried over, and a dry run, call nobody", func(t *testing.T) {
		t.Parallel()
		carried := ledger.RoleRun{Role: "reviewer", OK: true, Code: outcome.OK, ReusedFrom: "r0", Calls: []ledger.VendorCall{priced("a", 1, 1, 1, 1)}}
		dry := ledger.RoleRun{Role: "reviewer", OK: true, Code: outcome.DryRun, DryRun: true, Usage: usage.Total{Calls: 1}}
		m := fold(t, start, event{ledger.TypeRoleRun, carried}, event{ledger.TypeRoleRun, dry}, event{ledger.TypeMachineGate, ledger.GateRun{ReusedFrom: "r0"}}, ready)
		if m.RoleRuns.Total != 0 || m.Telemetry.CostUSD.Known != 0 || m.Failures.MachineGate != 0 {
			t.Errorf("counted: %+v", m)
		}
	})
	t.Run("the model is the one that answered", func(t *testing.T) {
		t.Parallel()
		c := priced("a", 1, 1, 1, 1)
		c.ModelReported = "gpt-5-mini"
		same(t, "models", map[string]int{"gpt-5-mini": 1}, fold(t, start, dispatch("implementer", c), ready).RoleRuns.ByModel)
	})
}
