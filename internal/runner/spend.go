package runner

import (
	"fmt"

	"github.com/tolboy/warden/internal/engine"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/usage"
)

// charge counts a call of the planner before it is made, if one is left.
func (p *preparation) charge(c ledger.VendorCallStarted) *engine.Refusal {
	if stop := p.limits.AllowCall(p.spent); stop != nil {
		return &engine.Refusal{Code: stop.Code, Detail: stop.Text, Limit: stop.Limit}
	}
	p.spent.Calls++
	c.RoleRuns = p.spent.Calls - p.order.Prior.Calls
	c.CallID, c.Stage, c.Role = fmt.Sprintf("%s#%d", p.order.Ledger.ID(), c.RoleRuns), PlanStep().Name, PlanStep().Role
	if _, err := p.order.Ledger.Append(ledger.TypeVendorCallStarted, p.machine.Now(), c); err != nil {
		return &engine.Refusal{Code: outcome.LedgerAltered, Detail: err.Error()}
	}
	p.charged = append(p.charged, c.CallID)
	return nil
}

func (p *preparation) settle(u usage.Call) {
	p.spent.Total = p.spent.Total.Add(u)
	p.out.Ending.Usage = p.out.Ending.Usage.Add(u)
}

func (p *preparation) notice(n engine.Notice) {
	if p.order.Notice != nil {
		p.order.Notice(n)
	}
}
