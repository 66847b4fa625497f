package metrics_test

import (
	"strings"
	"testing"

	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/metrics"
	"github.com/tolboy/warden/internal/outcome"
)

// A run that only drafted the task of another has neither passed nor failed, and what
// it cost is in the sums.
func TestPreparations(t *testing.T) {
	t.Parallel()
	planning := event{ledger.TypeRunReserved, ledger.RunReserved{Project: `a "preparation"`, Preparation: true}}
	ended := func(ok bool, code outcome.Code) event {
		return event{ledger.TypeStopped, ledger.Ending{OK: ok, Code: code}}
	}
	runs := t.TempDir()
	lay(t, runs, "drafted", planning, dispatch("planner", priced("a", 1, 1, 1, 1)), ended(true, outcome.Prepared))
	lay(t, runs, "refused", planning, dispatch("planner", priced("b", 2, 1, 1, 1)), ended(false, outcome.PlanRefused))
	lay(t, runs, "open", planning)
	lay(t, runs, "worked", start, dispatch("implementer", priced("c", 4, 1, 1, 1)), ready)
	lay(t, runs, "stopped", start, ended(false, outcome.GatesNotSatisfied))
	l, err := metrics.Read(runs)
	if err != nil {
		t.Fatal(err)
	}
	verdicts := map[string]string{}
	for _, r := range l.Runs {
		verdicts[r.RunID] = r.Verdict
	}
	same(t, "verdicts", map[string]string{"drafted": metrics.Prepared, "refused": metrics.NotPrepared, "open": metrics.Unfinished,
		"worked": metrics.Passed, "stopped": metrics.Failed}, verdicts)
	same(t, "counts", []int{5, 1, 1, 1, 1, 1}, []int{l.RunCount, l.Prepared, l.NotPrepared, l.Unfinished, l.Passed, l.Failed})
	same(t, "cost", known(3, 7), l.Metrics.Telemetry.CostUSD)
	if text := metrics.Text(l, func(s string) string { return s }); !strings.Contains(text, "drafts   prepared=1  not prepared=1\n") {
		t.Errorf("the text does not tell of them:\n%s", text)
	}
}
