package engine_test

import (
	"context"
	"fmt"
	"time"

	"github.com/tolboy/warden/internal/engine"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/usage"
	"github.com/tolboy/warden/internal/workflow"
)

// Dispatch implements engine.Roles: a few calls, of which each is paid for, and then
// what came of them.
func (c *chance) Dispatch(_ context.Context, call engine.RoleCall) (engine.RoleOutcome, error) {
	c.asked(call, c.now)
	began := c.now
	calls := 1
	if c.one(10) {
		calls += c.rng.IntN(3)
	}
	out := engine.RoleOutcome{RoleRun: ledger.RoleRun{ReadOnly: call.Role != workflow.Implementer}}
	for range calls {
		atMost := c.prices[call.Role]
		if refusal := call.Charge(ledger.VendorCallStarted{Profile: call.Role, Vendor: call.Role, MaxCostUSD: atMost}); refusal != nil {
			out.Code, out.Detail, out.After = refusal.Code, refusal.Detail, c.tree
			if call.Fix && len(out.Calls) == 0 {
				c.rounds-- // nobody was paid, so it was not used
			}
			c.answered(call, word{}, nil)
			return out, nil
		}
		c.charged(c.now, atMost)
		c.now = c.now.Add(time.Duration(c.rng.IntN(90)) * time.Second)
		var u usage.Call
		if !c.one(4) {
			u.CostUSD = usage.Known(min(float64(c.rng.IntN(20))/100, max(atMost, 0.01)))
		}
		call.Settle(u)
		c.settled(u, atMost)
		out.Calls = append(out.Calls, ledger.VendorCall{Vendor: call.Role, Usage: u})
	}
	if call.Limit > 0 && c.now.Sub(began) > call.Limit {
		c.now = began.Add(call.Limit) // a runner cuts what outlasts its limit
		out.Code = outcome.RoleTimeout
	} else {
		c.outcome(call, &out, began)
	}
	out.After = c.tree
	c.answered(call, word{ok: out.OK && len(c.tree.Contract) == 0, tree: c.tree.Source}, out.Findings)
	return out, nil
}

func (c *chance) outcome(call engine.RoleCall, out *engine.RoleOutcome, began time.Time) {
	if !c.often(c.kind) {
		out.Code = outcome.Code(c.pick("role_quota_exhausted", "role_rate_limited", "role_turns_exhausted", "role_timeout", "role_command_failed",
			"role_credential_rejected", "role_artifact_unparseable", "role_violated_read_only", "role_reported_blocked",
			"role_prompt_undeliverable", "role_failover_requires_confirmation", "failover_declined_by_policy", "role_unresolved"))
		if out.Code == outcome.RoleTimeout && call.Limit > 0 && c.one(2) {
			c.now = began.Add(call.Limit)
		}
		if c.one(3) || out.Code == outcome.RoleViolatedReadOnly {
			c.move(&c.tree, c.fresh()) // whoever failed has left something
		}
		return
	}
	out.OK, out.Code = true, outcome.OK
	if call.Role != workflow.Implementer {
		out.Findings = c.findings(call)
		return
	}
	switch n := c.rng.IntN(60); {
	case n == 0:
		c.tree.Contract = []string{"tasks/t.yaml modified"}
	case n < 8:
		// It leaves everything as it is.
	case n < 18 || c.quarrel && n < 36:
		c.move(&c.tree, c.before[len(c.before)-1-c.rng.IntN(min(len(c.before), 4))])
	default:
		c.move(&c.tree, c.fresh())
	}
}

// findings are mostly what the stage said before, or less of it.
func (c *chance) findings(call engine.RoleCall) []outcome.Finding {
	var out []outcome.Finding
	if c.often(c.kind * 0.6) {
		return nil
	}
	if c.quarrel {
		return []outcome.Finding{{ID: c.pick("A", "B"), Severity: outcome.P1, Path: "a", Message: "m", EvidenceRefs: []string{c.pick("old", "older", "oldest")}}}
	}
	for _, id := range []string{"A", "B", "C"} {
		f := outcome.Finding{ID: id, Severity: outcome.P1, Path: "a", Message: "m"}
		switch c.rng.IntN(6) {
		case 0, 1:
			continue
		case 2:
			f.Severity = outcome.P2
		case 3:
			f.Category = outcome.ContractGap
		}
		switch c.rng.IntN(3) {
		case 0:
			f.EvidenceRefs = []string{fmt.Sprint("old", c.rng.IntN(3))}
		case 1:
			f.EvidenceRefs = []string{fmt.Sprint("new", len(c.before), c.rng.IntN(1000))}
		}
		out = append(out, f)
	}
	return out
}
