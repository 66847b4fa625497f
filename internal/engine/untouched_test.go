package engine_test

import (
	"slices"
	"testing"

	"github.com/tolboy/warden/internal/engine"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
)

// CI-11: what passes before anything was changed would let an empty change through,
// so nobody is paid. What was changed already proves nothing either way.
func TestReproduction(t *testing.T) {
	t.Parallel()
	gate := func(code outcome.Code) engine.GateOutcome {
		return engine.GateOutcome{GateRun: ledger.GateRun{OK: code == outcome.Reproduced, Code: code}}
	}
	for _, tt := range []struct {
		name    string
		tree    engine.Tree
		code    outcome.Code // of the reproduction
		reason  outcome.Code
		calls   int
		checked bool
	}{
		{"CI-11 green already", engine.Tree{}, outcome.ReproductionPassed, outcome.ReproductionPassed, 0, true},
		{"CI-11 not to be told", engine.Tree{}, outcome.ReproductionInconclusive, outcome.ReproductionInconclusive, 0, true},
		{"CI-11 the contract moved", engine.Tree{}, outcome.ContractMutated, outcome.ContractMutated, 0, true},
		{"CI-11 red as it should be", engine.Tree{}, outcome.Reproduced, outcome.ReadyForHuman, 2, true},
		{"CI-11 a candidate is there", engine.Tree{Source: "z", Changed: []string{"greeting.txt"}}, "", outcome.ReadyForHuman, 2, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := &world{tree: tt.tree, role: turns{"implementer": {writes("a")}, "reviewer": {ends(outcome.OK)}}}
			if tt.checked {
				w.gate = append(w.gate, gate(tt.code))
			}
			w.gate = append(w.gate, green)
			task := task()
			task.Reproduce = task.Acceptance
			j := &journal{}
			got, err := drive(t, w, j, engine.Spec{Task: task})
			if err != nil {
				t.Fatal(err)
			}
			if got.Code != tt.reason || len(w.calls) != tt.calls {
				t.Errorf("ended with %s (%s) after %d calls, want %s after %d", got.Code, got.Detail, len(w.calls), tt.reason, tt.calls)
			}
			if slices.Contains(j.kinds, ledger.TypeReproductionGate) != tt.checked || slices.Contains(j.kinds, ledger.TypeNote) == tt.checked {
				t.Errorf("the chain has %q", j.kinds)
			}
		})
	}
}
