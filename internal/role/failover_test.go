package role

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/policy"
	"github.com/tolboy/warden/internal/roster"
)

const hit = "You’ve hit your usage limit. Try again at 9:21 PM."

func TestFailover(t *testing.T) {
	t.Parallel()
	t.Run("BU-01_every_call_is_reserved", func(t *testing.T) {
		t.Parallel()
		f := newFixture(t)
		f.Home.Policy.Failover = "auto"
		f.script("wa", spent(hit))
		f.script("wb", answered(doneImplementer))
		got := f.dispatch(t)
		wantCode(t, got, outcome.OK)
		f.wantCalls(t, "wa", "wb")
		if len(got.Attempts) != 2 || got.Usage.Calls != 2 || got.Usage.Unpriced != 2 {
			t.Errorf("attempts %d, usage %+v", len(got.Attempts), got.Usage)
		}
	})
	t.Run("BU-01_cap_stops_before_the_successor", func(t *testing.T) {
		t.Parallel()
		f := newFixture(t)
		f.Home.Policy.Failover = "auto"
		f.script("wa", spent(hit))
		calls := 0
		f.req.Reserve = func(p policy.Profile) error {
			if calls++; calls > 1 {
				return &Refused{Code: outcome.BudgetExhausted, Detail: "budget_limit_hit: max_role_runs"}
			}
			f.reserved = append(f.reserved, p.Name)
			return nil
		}
		got := f.dispatch(t)
		wantCode(t, got, outcome.BudgetExhausted)
		if !strings.Contains(got.Detail, "max_role_runs") {
			t.Errorf("detail %q does not name the cap", got.Detail)
		}
		f.wantCalls(t, "wa")
	})
	t.Run("QF-12_a_person_decides_by_default", func(t *testing.T) {
		t.Parallel()
		f := newFixture(t)
		f.script("wa", spent(hit))
		got := f.dispatch(t)
		wantCode(t, got, outcome.RoleFailoverNeedsConfirm)
		f.wantCalls(t, "wa")
		p := got.Failover
		if p == nil {
			t.Fatal("nothing is pending")
		}
		if p.FromProfile != "wa" || p.FromVendor != "a" || p.ToProfile != "wb" || p.ToVendor != "b" || p.Role != "implementer" || p.Quota.Message != hit {
			t.Errorf("pending %+v", p)
		}
		// The reviewer of vendor c stays independent of both writers.
		if p.IndependenceAfter != roster.Independent {
			t.Errorf("independence after the switch is %q", p.IndependenceAfter)
		}
	})
	t.Run("QF-12_the_loss_of_independence_is_named", func(t *testing.T) {
		t.Parallel()
		f := newFixture(t)
		f.caller.gone["rc"] = true
		f.script("wa", spent(hit))
		if got := f.dispatch(t); got.Failover == nil || got.Failover.IndependenceAfter != roster.None {
			t.Errorf("pending %+v, want no independent reader", got.Failover)
		}
	})
	t.Run("QF-12_switch_lets_exactly_one_role_take_one_profile", func(t *testing.T) {
		t.Parallel()
		for name, sw := range map[string]*Switch{"right": {"implementer", "wb"}, "other role": {"reviewer", "wb"}, "other profile": {"implementer", "wz"}} {
			f := newFixture(t)
			f.script("wa", spent(hit))
			f.script("wb", answered(doneImplementer))
			f.req.Switch = sw
			got := f.dispatch(t)
			if name != "right" {
				wantCode(t, got, outcome.RoleFailoverNeedsConfirm)
				continue
			}
			wantCode(t, got, outcome.OK)
			if len(got.Switched) != 1 || got.Switched[0].AuthorizedBy != "human_switch_decision" || got.Switched[0].ToProfile != "wb" {
				t.Errorf("switched %+v", got.Switched)
			}
		}
	})
	t.Run("QF-14_what_was_allowed_before_stays_allowed", func(t *testing.T) {
		t.Parallel()
		for name, carried := range map[string][]ledger.Switch{
			"right":         {{Role: "reviewer", Profile: "rc"}, {Role: "implementer", Profile: "wb"}},
			"other role":    {{Role: "reviewer", Profile: "wb"}},
			"other profile": {{Role: "implementer", Profile: "wz"}},
		} {
			f := newFixture(t)
			f.script("wa", spent(hit))
			f.script("wb", answered(doneImplementer))
			f.req.Carried = carried
			got := f.dispatch(t)
			if name != "right" {
				wantCode(t, got, outcome.RoleFailoverNeedsConfirm)
				continue
			}
			wantCode(t, got, outcome.OK)
			if len(got.Switched) != 1 || got.Switched[0].AuthorizedBy != "human_switch_decision" || got.Switched[0].ToProfile != "wb" {
				t.Errorf("switched %+v", got.Switched)
			}
		}
	})
	t.Run("QF-12_auto_leaves_the_same_event", func(t *testing.T) {
		t.Parallel()
		f := newFixture(t)
		f.Home.Policy.Failover = "auto"
		f.script("wa", spent(hit))
		f.script("wb", answered(doneImplementer))
		got := f.dispatch(t)
		if len(got.Switched) != 1 || got.Switched[0].AuthorizedBy != "policy_auto" || got.Record.FailedOverFrom != "wa" {
			t.Errorf("switched %+v from %q", got.Switched, got.Record.FailedOverFrom)
		}
	})
	t.Run("QF-12_stop", func(t *testing.T) {
		t.Parallel()
		f := newFixture(t)
		f.Home.Policy.Failover = "stop"
		f.script("wa", spent(hit))
		got := f.dispatch(t)
		wantCode(t, got, outcome.RoleFailoverDeclined)
		if got.Failover != nil {
			t.Error("a question was left open")
		}
	})
	t.Run("QF-17_nobody_left", func(t *testing.T) {
		t.Parallel()
		f := newFixture(t)
		f.Home.Policy.Roles["implementer"] = policy.Roster{Role: "implementer", Profiles: []string{"wa"}, Strategy: "first"}
		f.script("wa", spent(hit))
		got := f.dispatch(t)
		wantCode(t, got, outcome.RoleQuotaExhausted)
		if !strings.Contains(got.Detail, hit) || !strings.Contains(got.Detail, "another vendor") {
			t.Errorf("detail %q", got.Detail)
		}
	})
	t.Run("QF-17_nobody_there_at_all_is_no_quota", func(t *testing.T) {
		t.Parallel()
		f := newFixture(t)
		f.caller.gone["wa"], f.caller.gone["wb"] = true, true
		got := f.dispatch(t)
		wantCode(t, got, outcome.RoleUnresolved)
		f.wantCalls(t)
		if !strings.Contains(got.Detail, "executable_not_found") {
			t.Errorf("detail %q", got.Detail)
		}
	})
	t.Run("QF-18_turn_ceiling_does_not_fail_over", func(t *testing.T) {
		t.Parallel()
		f := newFixture(t)
		f.Home.Policy.Failover = "auto"
		a := answered("")
		a.result.Code, a.result.Artifact = outcome.RoleTurnsExhausted, nil
		f.script("wa", a)
		wantCode(t, f.dispatch(t), outcome.RoleTurnsExhausted)
		f.wantCalls(t, "wa")
	})
}

func TestSpentPlanIsRemembered(t *testing.T) {
	t.Parallel()
	t.Run("QF-10_not_called_again_in_any_role", func(t *testing.T) {
		t.Parallel()
		f := newFixture(t)
		f.Home.Policy.Failover = "auto"
		f.Home.Profiles["wa"] = profile("wa", "implementer", "b") // the same vendor as reviewer rb
		f.Home.Profiles["wb"] = profile("wb", "implementer", "d")
		f.script("wa", spent(hit))
		f.script("wb", answered(doneImplementer))
		f.script("rc", answered(passReviewer))
		wantCode(t, f.dispatch(t), outcome.OK)
		f.reviewer()
		f.req.Writers = []string{"d"}
		wantCode(t, f.dispatch(t), outcome.OK)
		f.wantCalls(t, "wa", "wb", "rc")
	})
	t.Run("QF-12_a_later_dispatch_asks_too", func(t *testing.T) {
		t.Parallel()
		f := newFixture(t)
		f.script("wa", spent(hit))
		wantCode(t, f.dispatch(t), outcome.RoleFailoverNeedsConfirm)
		got := f.dispatch(t)
		wantCode(t, got, outcome.RoleFailoverNeedsConfirm)
		if got.Failover == nil || got.Failover.Quota == nil || got.Failover.Quota.Message != hit {
			t.Errorf("pending %+v", got.Failover)
		}
		f.wantCalls(t, "wa")
	})
	t.Run("QF-10_one_model_of_a_vendor", func(t *testing.T) {
		t.Parallel()
		f := newFixture(t)
		f.Home.Policy.Failover = "auto"
		small := profile("wb", "implementer", "a")
		small.Model, small.Args = "small", []string{"{{model}}"}
		f.Home.Profiles["wb"] = small
		f.script("wa", spent("You have exhausted your capacity on this model."))
		f.script("wb", answered(doneImplementer))
		wantCode(t, f.dispatch(t), outcome.OK)
		f.wantCalls(t, "wa", "wb")
	})
}

func TestRateLimit(t *testing.T) {
	t.Parallel()
	t.Run("QF-06_no_replacement_is_offered", func(t *testing.T) {
		t.Parallel()
		f := newFixture(t)
		f.Home.Policy.Failover = "auto"
		f.script("wa", limited("rate limit", 0))
		got := f.dispatch(t)
		wantCode(t, got, outcome.RoleRateLimited)
		f.wantCalls(t, "wa")
		if got.Failover != nil || len(got.Exhausted) != 0 {
			t.Errorf("pending %+v, exhausted %q", got.Failover, got.Exhausted)
		}
		f.script("wa", answered(doneImplementer))
		wantCode(t, f.dispatch(t), outcome.OK)
	})
	t.Run("QF-06_bounded_retry_with_the_vendor's_wait", func(t *testing.T) {
		t.Parallel()
		f := newFixture(t)
		f.Home.Policy.RateLimitRetry = policy.RateLimitRetry{MaxAttempts: 2, Backoff: 3 * time.Second}
		var waits []time.Duration
		f.Wait = func(_ context.Context, d time.Duration) error { waits = append(waits, d); return nil }
		f.script("wa", limited("try again in 40s", 40*time.Second), limited("busy", 0), limited("busy", 0))
		got := f.dispatch(t)
		wantCode(t, got, outcome.RoleRateLimited)
		f.wantCalls(t, "wa", "wa", "wa")
		if len(waits) != 2 || waits[0] != 40*time.Second || waits[1] != 3*time.Second {
			t.Errorf("waits %v", waits)
		}
	})
	t.Run("QF-06_no_wait_beyond_the_time_left", func(t *testing.T) {
		t.Parallel()
		f := newFixture(t)
		f.Home.Policy.RateLimitRetry = policy.RateLimitRetry{MaxAttempts: 2, Backoff: time.Minute}
		f.req.Limit = 30 * time.Second
		f.script("wa", limited("busy", 0))
		wantCode(t, f.dispatch(t), outcome.RoleRateLimited)
	})
	t.Run("interrupted_while_waiting", func(t *testing.T) {
		t.Parallel()
		f := newFixture(t)
		f.Home.Policy.RateLimitRetry = policy.RateLimitRetry{MaxAttempts: 1, Backoff: time.Second}
		f.Wait = func(context.Context, time.Duration) error { return context.Canceled }
		f.script("wa", limited("busy", 0))
		wantCode(t, f.dispatch(t), outcome.Interrupted)
	})
}

func TestHandover(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		writes map[string]string
		want   bool
	}{
		{"QF-16_half_done_edits", map[string]string{"a.txt": "half"}, true},
		{"QF-16_untouched_tree", nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.Home.Policy.Failover = "auto"
			stopped := spent(hit)
			stopped.writes = c.writes
			f.script("wa", stopped)
			f.script("wb", answered(doneImplementer))
			got := f.dispatch(t)
			wantCode(t, got, outcome.OK)
			if says := strings.Contains(f.prompt(t), "interrupted work"); says != c.want {
				t.Errorf("the successor is told of unfinished work: %t, want %t", says, c.want)
			}
			if got.Record.InheritedUnfinished != c.want {
				t.Errorf("inherited_unfinished_work is %t", got.Record.InheritedUnfinished)
			}
			if strings.Contains(string(f.caller.calls[0].Prompt), "interrupted work") {
				t.Error("the first writer is told so too")
			}
		})
	}
}

func TestAuthority(t *testing.T) {
	t.Parallel()
	for _, dry := range []bool{false, true} {
		name := map[bool]string{false: "SE-06_dispatch", true: "SE-06_dry_run"}[dry]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.req.Task.Authority = contract.Authority{}
			f.req.DryRun = dry
			wantCode(t, f.dispatch(t), outcome.AuthorityDenied)
			f.wantCalls(t)
		})
	}
	t.Run("SE-06_a_reader_may", func(t *testing.T) {
		t.Parallel()
		f := newFixture(t)
		f.reviewer()
		f.req.Task.Authority, f.req.Writers = contract.Authority{}, []string{"a"}
		f.script("rb", answered(passReviewer))
		wantCode(t, f.dispatch(t), outcome.OK)
	})
}
