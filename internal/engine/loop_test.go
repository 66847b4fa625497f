package engine_test

import (
	"context"
	"maps"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/tolboy/warden/internal/engine"
	"github.com/tolboy/warden/internal/outcome"
)

// endings are the reasons with which the loop ends a run that began.
func endings() []outcome.Code {
	return []outcome.Code{
		outcome.ReadyForHuman, outcome.PreflightOutsideScope, outcome.BaselineFailed, outcome.ReproductionPassed, outcome.ReproductionInconclusive, outcome.ImplementerFailed, outcome.ReviewerFailed, outcome.ArchitectFailed,
		outcome.FixAttemptFailed, outcome.GatesNotSatisfied, outcome.GatesNotSatisfiedAfterFix, outcome.BlockingFindingsRemain, "architect_findings_remain",
		outcome.ContractMutated, outcome.QuotaExhausted, outcome.FailoverNeedsConfirmation, outcome.TurnCeilingReached, outcome.BudgetExhausted,
		outcome.BudgetInsufficient, outcome.CostCapUnenforceable, outcome.UnexpectedError, outcome.IndependentReviewMissing, outcome.RateLimited,
		outcome.VendorCredentialRejected, outcome.RoleTimedOut, outcome.VendorCallFailed, outcome.VendorProtocolFailed, outcome.PromptUndeliverable,
		outcome.RepairMadeNoProgress, outcome.SeverityDowngraded, outcome.FindingProtocolFailure, outcome.Interrupted, outcome.Stopped, outcome.LedgerAltered,
		outcome.Unconfined, outcome.CandidateUnpublishable, outcome.NothingChanged, outcome.GateInterrupted, outcome.GateInternalError, outcome.BaseRefUnresolvable,
	}
}

const sequences = 100_000

// TestLoopHoldsInEverySequence drives the loop through random chains, budgets, pasts
// and outcomes. Whatever happens: it ends within its bound; nobody is paid past a limit,
// or after a reader broke the rules of findings; what is unknown stays unknown; and
// nothing is ready for a human past an unsatisfied gate, a blocking finding, a changed
// contract, or a tree that was not read. Each ending occurs at least a hundred times.
func TestLoopHoldsInEverySequence(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	if given, err := strconv.ParseUint(os.Getenv("WARDEN_TEST_SEED"), 10, 64); err == nil {
		seed = given
	}
	t.Logf("WARDEN_TEST_SEED=%d", seed)
	workers := runtime.GOMAXPROCS(0)
	counts := make([]map[outcome.Code]int, workers)
	var group sync.WaitGroup
	for n := range workers {
		group.Go(func() {
			counts[n] = map[outcome.Code]int{}
			for i := n; i < sequences && !t.Failed(); i += workers {
				code, problem := live(seed, uint64(i))
				counts[n][code]++
				if problem != "" {
					t.Errorf("sequence %d, which ended with %s: %s", i, code, problem)
				}
			}
		})
	}
	group.Wait()
	if t.Failed() {
		return
	}
	total := map[outcome.Code]int{}
	for _, c := range counts {
		for code, n := range c {
			total[code] += n
		}
	}
	for _, code := range endings() {
		if total[code] < 100 {
			t.Errorf("%d of %d sequences ended with %s, too few to say anything of it", total[code], sequences, code)
		}
	}
	for _, code := range slices.Sorted(maps.Keys(total)) {
		t.Logf("%6d  %s", total[code], code)
		if !slices.Contains(endings(), code) {
			t.Errorf("%s is no ending of the loop", code)
		}
	}
}

// live runs one sequence to its end.
func live(seed, number uint64) (outcome.Code, string) {
	c, spec := newChance(seed, number)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c.cancel = cancel
	e := &engine.Engine{Journal: c, Eyes: c, Roles: c, Gates: c, Boundary: c, Now: c.Now}
	if c.one(3) {
		e.Committer = c
	}
	end, err := e.Run(ctx, spec)
	if err != nil {
		return "", "the run could not be sealed: " + err.Error()
	}
	c.ended(end)
	return end.Code, c.problem
}
