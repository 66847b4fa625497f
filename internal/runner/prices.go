package runner

import (
	"github.com/tolboy/warden/internal/budget"
	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/engine"
	"github.com/tolboy/warden/internal/policy"
	"github.com/tolboy/warden/internal/workflow"
)

// Prices lists every profile that a run of the task may ask, in the roles of its
// chain and of the repairs, with what a call of it can cost at most. A profile that
// was never proven is not asked.
func Prices(h policy.Home, t contract.Task) []budget.Price {
	steps := Steps(h, t)
	return pricesOf(h, append(asked(steps), repairing(steps, t)...))
}

func pricesOf(h policy.Home, roles []string) []budget.Price {
	var out []budget.Price
	listed := map[string]bool{}
	for _, role := range roles {
		for _, name := range h.Policy.Roles[role].Profiles {
			p, ok := h.Profiles[name]
			if !ok || p.Role != role || !p.Verified() || listed[name] {
				continue
			}
			listed[name] = true
			out = append(out, budget.Price{Role: role, Profile: name, AtMost: budget.AtMost(p.MaxCostUSD)})
		}
	}
	return out
}

// Forecast is the arithmetic of a run before its first call.
func Forecast(o Order) budget.Forecast {
	return budget.Plan(Steps(o.Home, o.Task), Limits(o.Home, o.Task), budget.Terms{
		Rounds: max(o.Task.MaxFixAttempts-o.Chain.FixAttempts, 0), Prior: engine.Spent(o.Chain), Prices: Prices(o.Home, o.Task),
	})
}

func asked(steps []workflow.Step) []string {
	var out []string
	for _, s := range steps {
		if s.Skip == "" && s.Run == workflow.RunRole {
			out = append(out, s.Role)
		}
	}
	return out
}

func repairing(steps []workflow.Step, t contract.Task) []string {
	var out []string
	for _, s := range steps {
		if s.Skip == "" && t.MaxFixAttempts > 0 && (s.OnFail == workflow.RouteFix || s.OnFindings == workflow.RouteFix) {
			out = append(out, s.FixWith)
		}
	}
	return out
}
