package runner

import (
	"fmt"
	"time"

	"github.com/tolboy/warden/internal/budget"
	"github.com/tolboy/warden/internal/engine"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/usage"
)

// charge counts a call of a preparation before it is made, if one is left.
func (p *preparation) charge(c ledger.VendorCallStarted) *engine.Refusal {
	p.promised = budget.AtMost(c.MaxCostUSD)
	if stop := p.limits.AllowCall(p.used(), p.promised); stop != nil {
		p.out.Ending.BudgetLimitHit = stop.Limit
		return &engine.Refusal{Code: stop.Code, Detail: stop.Text, Limit: stop.Limit}
	}
	p.spent.Calls++
	c.RoleRuns = p.spent.Calls - p.prior.Calls
	c.CallID, c.Stage, c.Role = fmt.Sprintf("%s#%d", p.order.Ledger.ID(), c.RoleRuns), p.step.Name, p.step.Role
	if _, err := p.order.Ledger.Append(ledger.TypeVendorCallStarted, p.machine.Now(), c); err != nil {
		return &engine.Refusal{Code: outcome.LedgerAltered, Detail: err.Error()}
	}
	p.charged = append(p.charged, c.CallID)
	return nil
}

func (p *preparation) settle(u usage.Call) {
	p.spent = p.spent.Settle(u, p.promised)
	p.out.Ending.Usage = p.out.Ending.Usage.Add(u)
}

// used is what has been spent until now, by the runs before too.
func (p *preparation) used() budget.Spent {
	s := p.spent
	s.Elapsed = p.prior.Elapsed + max(p.machine.Now().Sub(p.order.Ledger.History().Run.ReservedAt), 0)
	return s
}

// left is the time that a call may take; 0 sets no limit.
func (p *preparation) left() time.Duration {
	left, limited := p.limits.Left(p.used())
	if !limited {
		return 0
	}
	return max(left, time.Second)
}

// enforceable refuses a strict cap that could not be held, before the first call.
func (p *preparation) enforceable() *budget.Stop {
	if !p.limits.Strict {
		return nil
	}
	return p.limits.Enforceable(p.prior, p.prices)
}

func (p *preparation) costCap() string {
	if p.limits.Strict {
		return "strict"
	}
	return ""
}

func (p *preparation) notice(n engine.Notice) {
	if p.order.Notice != nil {
		p.order.Notice(n)
	}
}
