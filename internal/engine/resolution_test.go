package engine_test

import (
	"slices"
	"testing"

	"github.com/tolboy/warden/internal/engine"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
)

// found is a turn of the reviewer with a blocking finding of each category, in
// their order.
func found(categories ...string) func(*world, engine.RoleCall) engine.RoleOutcome {
	return func(*world, engine.RoleCall) engine.RoleOutcome {
		run := ledger.RoleRun{OK: true, Code: outcome.OK, Verdict: "fail", Summary: "not yet"}
		for _, c := range categories {
			run.Findings = append(run.Findings, outcome.Finding{ID: "id-" + c, Severity: outcome.P1, Category: c, Path: "greeting.txt",
				Message: "message of " + c, Suggestion: "suggestion of\n" + c})
		}
		return engine.RoleOutcome{RoleRun: run}
	}
}

// LP-10: what the writer cannot mend buys no repair, whatever its category, and
// the next step holds what a person needs for it.
func TestFindingsForPeople(t *testing.T) {
	t.Parallel()
	const verdicts = "an edit of the contract ends every verdict given under it"
	says := map[string][]string{
		outcome.ContractGap:         {".warden/tasks/t1.yaml", "sh check.sh && sh second.sh", "suggestion of contract_gap", verdicts},
		outcome.EvidenceGap:         {"the evidence", "suggestion of investigation_evidence_gap"},
		outcome.AccessRequired:      {"the access", "suggestion of access_required"},
		outcome.ToolingFailure:      {"the tool", "suggestion of tooling_failure"},
		outcome.PlanSpent:           {"the provider", "suggestion of quota_exhausted"},
		outcome.ProviderUnavailable: {"the provider", "suggestion of provider_unavailable"},
		outcome.ReviewDisagreement:  {"the readers", "suggestion of review_disagreement"},
	}
	review := func(t *testing.T, said ...func(*world, engine.RoleCall) engine.RoleOutcome) (*world, *journal, ledger.Ending) {
		t.Helper()
		w := &world{gate: []engine.GateOutcome{green}, role: turns{"implementer": {writes("a"), writes("b")}, "reviewer": said}}
		spec := engine.Spec{Task: task()}
		spec.Task.Path, spec.Task.Acceptance = "tasks/t1.yaml", []string{"sh check.sh", "sh second.sh"}
		j := &journal{}
		end, err := drive(t, w, j, spec)
		if err != nil {
			t.Fatal(err)
		}
		return w, j, end
	}
	for _, category := range outcome.Categories() {
		t.Run("LP-10 "+category, func(t *testing.T) {
			t.Parallel()
			w, j, end := review(t, found(category), ends(outcome.OK))
			if category == outcome.ProductDefect {
				if !end.OK || len(w.calls) != 4 || !has(j.kinds, ledger.TypeFixRound) || end.Resolution != "" {
					t.Errorf("a defect: %s after %d calls, %v", end.Code, len(w.calls), j.kinds)
				}
				return
			}
			if end.OK || end.Code != outcome.BlockingFindingsRemain || len(w.calls) != 2 || has(j.kinds, ledger.TypeFixRound) {
				t.Errorf("ended with %s after %d calls: %v", end.Code, len(w.calls), j.kinds)
			}
			if len(says[category]) == 0 {
				t.Fatal("nobody says what its next step is")
			}
			for _, words := range says[category] {
				if !contains(end.SafeNextStep, words) {
					t.Errorf("the next step lacks %q: %s", words, end.SafeNextStep)
				}
			}
			if contains(end.SafeNextStep, "sh check.sh") != (category == outcome.ContractGap) {
				t.Errorf("the contract is blamed, or is not: %s", end.SafeNextStep)
			}
		})
	}
	t.Run("LP-10 mixed", func(t *testing.T) {
		t.Parallel()
		w, j, end := review(t, found(outcome.ContractGap, outcome.ProductDefect), found(outcome.ContractGap))
		rounds := slices.DeleteFunc(slices.Clone(j.kinds), func(kind string) bool { return kind != ledger.TypeFixRound })
		if end.Code != outcome.BlockingFindingsRemain || len(w.calls) != 4 || len(rounds) != 1 {
			t.Fatalf("ended with %s after %d calls and %d rounds; want one repair", end.Code, len(w.calls), len(rounds))
		}
		if repair := string(w.calls[2].Context); !contains(repair, "message of product_defect") || contains(repair, "message of contract_gap") {
			t.Errorf("the writer is not handed the defect alone:\n%s", repair)
		}
		if !contains(end.SafeNextStep, ".warden/tasks/t1.yaml") || contains(end.SafeNextStep, "suggestion of product_defect") {
			t.Errorf("next step: %s", end.SafeNextStep)
		}
	})
	t.Run("LP-10 no round left", func(t *testing.T) {
		t.Parallel()
		both := found(outcome.ContractGap, outcome.ProductDefect)
		spec := engine.Spec{Task: task()}
		spec.Task.MaxFixAttempts = 0
		w := &world{gate: []engine.GateOutcome{green}, role: turns{"implementer": {writes("a")}, "reviewer": {both}}}
		end, err := drive(t, w, &journal{}, spec)
		if err != nil || end.Code != outcome.BlockingFindingsRemain || len(w.calls) != 2 {
			t.Fatalf("run: %+v, %v", end, err)
		}
		for _, words := range []string{"the writer's", ".warden/project.yaml", "suggestion of contract_gap"} {
			if !contains(end.SafeNextStep, words) {
				t.Errorf("the next step lacks %q: %s", words, end.SafeNextStep)
			}
		}
	})
	t.Run("LP-10 a cured gap is not advised on", func(t *testing.T) {
		t.Parallel()
		_, _, end := review(t, found(outcome.ContractGap, outcome.ProductDefect), ends(outcome.OK))
		if !end.OK || end.Resolution != "" || contains(end.SafeNextStep, "contract") {
			t.Errorf("ended with %s: %s", end.Code, end.SafeNextStep)
		}
	})
}
