package metrics_test

import (
	"encoding/json"
	"testing"

	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/metrics"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/usage"
)

func TestFailures(t *testing.T) {
	t.Parallel()
	red := func(typ string) event { return event{typ, ledger.GateRun{Code: outcome.CommandFailed}} }
	role := func(name string, code outcome.Code) event {
		return event{ledger.TypeRoleRun, ledger.RoleRun{Role: name, Code: code}}
	}
	fix := event{ledger.TypeFixRound, ledger.FixRound{Attempt: 1}}
	for _, tt := range []struct {
		name   string
		events []event
		want   metrics.Failures
	}{
		{"a red gate, and a green one", []event{red(ledger.TypeMachineGate), fix, {ledger.TypeMachineGate, ledger.GateRun{OK: true}}, ready}, metrics.Failures{MachineGate: 1}},
		{"CI-09 a red baseline is no red gate", []event{red(ledger.TypeBaselineGate), stopped(outcome.BaselineFailed)}, metrics.Failures{Baseline: 1}},
		{"the visual role", []event{role("visual_qa", outcome.RoleTimeout), stopped(outcome.VisualRoleFailed)}, metrics.Failures{VisualRole: 1}},
		{"SE-06 a dispatch and the ending that repeats it are one fault", []event{role("implementer", outcome.AuthorityDenied), stopped(outcome.StageUnsupported)}, metrics.Failures{Configuration: 1}},
		{"CF-03 a policy that stops a run before any dispatch", []event{stopped(outcome.PolicyInvalid)}, metrics.Failures{Configuration: 1}},
		{"a writer that gave up is no fault of the configuration", []event{role("implementer", outcome.RoleReportedAborted), stopped(outcome.ImplementerFailed)}, metrics.Failures{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			same(t, "failures", tt.want, fold(t, append([]event{start}, tt.events...)...).Failures)
		})
	}
	if n := fold(t, start, fix, fix, ready).Iterations.FixRounds; n != 2 {
		t.Errorf("%d fix rounds, want 2", n)
	}
}

func TestHuman(t *testing.T) {
	t.Parallel()
	asked := event{ledger.TypeDecisionPending, ledger.DecisionPending{Kind: "success"}}
	said := func(word, source string, wait int64) event {
		return event{ledger.TypeHumanDecision, ledger.HumanDecision{Decision: word, Source: source, WaitMillis: wait}}
	}
	t.Run("an answer, one that was taken back, and an open question", func(t *testing.T) {
		t.Parallel()
		m := fold(t, start, ready, asked, said("accept", "review", 500), event{ledger.TypeDecisionVoid, ledger.DecisionVoid{Decision: "accept"}})
		same(t, "human", metrics.Human{Decisions: 1, ByDecision: map[string]int{"accept": 1}, WaitEvents: 2,
			Wait: metrics.Spread{Sum: metrics.Sum{Known: 1, Unknown: 1, Total: usage.Known(500)}, P50: usage.Known(500), P95: usage.Known(500)}}, m.Human)
	})
	t.Run("HG-02 what no person said is no decision and no wait", func(t *testing.T) {
		t.Parallel()
		m := fold(t, start, ready, asked, said("reject", "automatic", 500))
		same(t, "human", metrics.Human{ByDecision: map[string]int{}, Automatic: 1}, m.Human)
	})
	t.Run("a wait that was not recorded is not zero", func(t *testing.T) {
		t.Parallel()
		m := fold(t, start, ready, asked, event{ledger.TypeHumanDecision, json.RawMessage(`{"kind":"success","decision":"abort","source":"cli"}`)})
		same(t, "wait", metrics.Spread{Sum: metrics.Sum{Unknown: 1}}, m.Human.Wait)
	})
}

func TestNearestRank(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		n        int
		p50, p95 float64
	}{{1, 1, 1}, {2, 1, 2}, {19, 10, 19}, {20, 10, 19}, {21, 11, 20}, {100, 50, 95}} {
		var calls []ledger.VendorCall
		for i := range tt.n {
			calls = append(calls, priced(string(rune('a'+i)), 1, 1, 1, float64(tt.n-i)))
		}
		d := fold(t, start, dispatch("implementer", calls...), ready).Telemetry.Duration
		same(t, "spread", metrics.Spread{Sum: known(tt.n, float64(tt.n*(tt.n+1)/2)), P50: usage.Known(tt.p50), P95: usage.Known(tt.p95)}, d)
	}
}
