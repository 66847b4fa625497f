package metrics_test

import (
	"testing"

	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/metrics"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/usage"
)

func TestFailover(t *testing.T) {
	t.Parallel()
	spent, second := priced("a", 0.5, 10, 10, 1000), priced("b", 0.25, 20, 20, 3000)
	spent.OK, spent.Code, second.Profile, second.Vendor = false, outcome.RoleQuotaExhausted, "grok-implement", "grok"
	record := ledger.RoleRun{Role: "implementer", OK: true, Code: outcome.OK, Profile: "grok-implement", Vendor: "grok", Runner: "direct", FailedOverFrom: "codex-implement"}
	t.Run("LR-04 BU-01 a failover is two calls in every grouping", func(t *testing.T) {
		t.Parallel()
		r := record
		r.Calls = []ledger.VendorCall{spent, second}
		m := fold(t, start, event{ledger.TypeRoleFailover, ledger.RoleFailover{AuthorizedBy: "policy_auto"}}, event{ledger.TypeRoleRun, r}, ready)
		same(t, "calls", metrics.RoleRuns{Total: 2, ByRole: map[string]int{"implementer": 2}, ByProfile: map[string]int{"codex-implement": 1, "grok-implement": 1},
			ByVendor: map[string]int{"codex": 1, "grok": 1}, ByModel: map[string]int{"gpt-5": 2}, ByRunner: map[string]int{"direct": 2},
			ByOutcome: map[string]int{"role_quota_exhausted": 1, "ok": 1}}, m.RoleRuns)
		same(t, "cost", known(2, 0.75), m.Telemetry.CostUSD)
		same(t, "duration", metrics.Spread{Sum: known(2, 4000), P50: usage.Known(1000), P95: usage.Known(3000)}, m.Telemetry.Duration)
		same(t, "iterations", metrics.Iterations{Failovers: 1, FailoverRoleRuns: 1}, m.Iterations)
		same(t, "failures", metrics.Failures{Quota: 1}, m.Failures)
	})
	for name, calls := range map[string][]ledger.VendorCall{
		"LR-04 an older record without a list counts two and gives its totals to one": nil,
		"LR-04 an older record that lists the survivor alone counts two":              {{Profile: "grok-implement", Vendor: "grok", Runner: "direct", OK: true, Code: outcome.OK}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := record
			r.Calls, r.Usage, r.DurationMillis = calls, usage.Total{Calls: 1, CostUSD: usage.Known(0.75), Input: usage.Known(30), Output: usage.Known(9)}, usage.Known(4000)
			m := fold(t, start, event{ledger.TypeRoleRun, r}, ready)
			same(t, "outcome", map[string]int{"role_quota_exhausted": 1, "ok": 1}, m.RoleRuns.ByOutcome)
			same(t, "cost", metrics.Sum{Known: 1, Unknown: 1, Total: usage.Known(0.75)}, m.Telemetry.CostUSD)
			same(t, "tokens", metrics.Sum{Known: 1, Unknown: 1, Total: usage.Known(39)}, m.Telemetry.Tokens.Total)
			same(t, "duration", metrics.Sum{Known: 1, Unknown: 1, Total: usage.Known(4000)}, m.Telemetry.Duration.Sum)
		})
	}
	t.Run("a plan that an earlier dispatch found spent is not called again", func(t *testing.T) {
		t.Parallel()
		r := record
		r.Calls = []ledger.VendorCall{second}
		m := fold(t, start, event{ledger.TypeRoleRun, r}, ready)
		if m.RoleRuns.Total != 1 || m.Iterations.FailoverRoleRuns != 1 {
			t.Errorf("counted %d calls and %d dispatches", m.RoleRuns.Total, m.Iterations.FailoverRoleRuns)
		}
	})
	t.Run("QF-06 a rate limit is no spent plan", func(t *testing.T) {
		t.Parallel()
		c := spent
		c.Code = outcome.RoleRateLimited
		same(t, "failures", metrics.Failures{}, fold(t, start, dispatch("implementer", c), stopped(outcome.RateLimited)).Failures)
	})
}
