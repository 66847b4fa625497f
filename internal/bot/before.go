package bot

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/reconcile"
	"github.com/tolboy/warden/internal/usage"
)

// past is what a run takes over from the one that it continues.
type past struct {
	base      string
	candidate string
	branch    string
	title     string
	body      string
	writers   []string
	failover  *ledger.Failover
	chain     ledger.Chain
}

// before reads the run that is continued. A person's rejection starts a new
// count of calls; a retry or a switch goes on with the old one.
func (b *Bot) before(o reconcile.Observed, id string) (past, error) {
	p := past{}
	for _, r := range o.Runs {
		if r.Branch != "" {
			p.branch = r.Branch // one branch for the issue, whichever run made it
		}
		if r.Candidate != "" && slices.Contains(r.Done, "branch:"+r.ID) {
			p.candidate = r.Candidate
		}
	}
	if id == "" {
		p.candidate = ""
		if o.Pull != nil && !o.Pull.Open {
			p.branch = ""
		}
		return p, nil
	}
	h, err := ledger.Read(b.RunsDir, id)
	if err != nil {
		return p, fmt.Errorf("read the run that is continued: %w", err)
	}
	p.base = h.Run.BaseCommit
	p.chain = h.Run.Chain
	for _, l := range h.Lines {
		payload, err := l.Payload()
		if err != nil {
			return p, err
		}
		p.fold(payload)
	}
	for _, r := range o.Runs {
		if r.ID == id && len(r.Decisions) > 0 && r.Decisions[len(r.Decisions)-1].Word == reconcile.Reject {
			p.chain = ledger.Chain{}
		}
	}
	return p, nil
}

func (p *past) fold(payload any) {
	switch v := payload.(type) {
	case *ledger.RunReserved:
		p.title, p.body, _ = strings.Cut(v.Goal, "\n\n")
	case *ledger.RoleRun:
		if v.Role == "implementer" && v.Vendor != "" && !slices.Contains(p.writers, v.Vendor) {
			p.writers = append(p.writers, v.Vendor)
		}
	case *ledger.Ending:
		p.failover = v.Failover
		p.chain.Runs++
		p.chain.RoleRuns += v.RoleRuns
		p.chain.FixAttempts += v.AttemptsUsed
		p.chain.Unpriced += v.Usage.Unpriced
		if c, known := v.Usage.CostUSD.Get(); known {
			sum, _ := p.chain.CostUSD.Get()
			p.chain.CostUSD = usage.Known(sum + c)
		}
	}
}
