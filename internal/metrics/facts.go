package metrics

import (
	"fmt"

	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
)

// facts are what one run adds to the numbers.
type facts struct {
	calls     []call
	flying    []started
	settled   map[string]bool // ids of calls whose end is known
	ended     *ending
	drafts    bool // the run only drafted the task of another
	failovers int
	switched  int // dispatches that ended with another profile than they began with
	rounds    int
	failures  Failures
	asked     bool // a question is open
	answers   []answer
}

// read takes in the events of one run, in their order.
func read(events []ledger.Event) (*facts, error) {
	f := &facts{settled: map[string]bool{}}
	for i, e := range events {
		if err := f.event(e); err != nil {
			return nil, fmt.Errorf("%s %d of what is counted cannot be read: %w", e.Type, i+1, err)
		}
	}
	f.land()
	return f, nil
}

func (f *facts) event(e ledger.Event) error {
	switch e.Type {
	case ledger.TypeRunReserved:
		return take(e, func(r reserved) { f.drafts = r.Preparation })
	case ledger.TypeVendorCallStarted:
		return take(e, func(c started) { f.flying = append(f.flying, c) })
	case ledger.TypeInterrupted:
		return take(e, f.interrupted)
	case ledger.TypeRoleRun:
		return take(e, f.roleRun)
	case ledger.TypeRoleFailover:
		f.failovers++
	case ledger.TypeFixRound:
		f.rounds++
	case ledger.TypeBaselineGate:
		return take(e, func(g gateRun) { f.failures.Baseline += red(g) })
	case ledger.TypeMachineGate:
		return take(e, func(g gateRun) { f.failures.MachineGate += red(g) })
	case ledger.TypeReadyForHuman, ledger.TypeStopped:
		return take(e, f.ending)
	case ledger.TypeDecisionPending, ledger.TypeDecisionVoid:
		f.asked = true
	case ledger.TypeHumanDecision:
		f.asked = false
		return take(e, func(a answer) { f.answers = append(f.answers, a) })
	}
	return nil
}

func (f *facts) roleRun(r roleRun) {
	for _, c := range r.attempts() {
		f.settled[c.CallID] = true
		f.calls = append(f.calls, call{r.Role, c})
		if c.Code == outcome.RoleQuotaExhausted {
			f.failures.Quota++
		}
	}
	if r.DryRun || r.ReusedFrom != "" {
		return
	}
	if r.FailedOverFrom != "" {
		f.switched++
	}
	if r.Role == "visual_qa" && !r.OK {
		f.failures.VisualRole++
	}
	if misconfigured(r.Code) {
		f.failures.Configuration++
	}
}

// interrupted counts a call that nobody saw the end of. It was charged.
func (f *facts) interrupted(c started) {
	if c.CallID != "" && f.settled[c.CallID] {
		return
	}
	f.settled[c.CallID] = true
	f.calls = append(f.calls, call{c.Role, vendorCall{Profile: c.Profile, Vendor: c.Vendor, Model: c.Model, Code: outcome.Interrupted}})
}

// land counts the calls that were charged and of which the chain says no more.
func (f *facts) land() {
	for _, c := range f.flying {
		if !f.settled[c.CallID] {
			f.calls = append(f.calls, call{c.Role, vendorCall{Profile: c.Profile, Vendor: c.Vendor, Model: c.Model}})
		}
	}
}

// ending names a fault of the configuration where no dispatch was made that could
// have named it: what one has named is not counted twice.
func (f *facts) ending(e ending) {
	f.ended = &e
	if misconfigured(e.Code) && f.failures.Configuration == 0 {
		f.failures.Configuration++
	}
}

func red(g gateRun) int {
	if g.OK || g.ReusedFrom != "" {
		return 0
	}
	return 1
}
