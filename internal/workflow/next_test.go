package workflow_test

import (
	"fmt"
	"testing"

	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/workflow"
)

func facts(review bool) workflow.Facts {
	return workflow.Facts{Risk: "medium", ReviewRequired: review, Configured: func(string) bool { return true }}
}

func start(maxFix int, review bool) workflow.State {
	return workflow.State{Steps: workflow.Resolve(workflow.BuiltIn(), facts(review)), MaxFix: maxFix}
}

var pass = workflow.Event{OK: true, Code: outcome.Passed, Tree: "t"}

// play folds events in and returns the trail of actions with the last one.
func play(s workflow.State, events ...workflow.Event) ([]string, workflow.Action) {
	s, a := workflow.Begin(s)
	trail := []string{label(s, a)}
	for _, e := range events {
		s, a = workflow.Next(s, e)
		trail = append(trail, label(s, a))
	}
	return trail, a
}

func label(s workflow.State, a workflow.Action) string {
	if a.Kind == workflow.DoFinish {
		return fmt.Sprintf("finish:%v:%s", a.OK, a.Reason)
	}
	return string(a.Kind) + ":" + s.Steps[a.Stage].Name
}

func TestNext(t *testing.T) {
	t.Parallel()
	red := workflow.Event{Code: outcome.CommandFailed, Tree: "t"}
	gap := workflow.Event{OK: true, Blocking: 1, Tree: "t"}
	objects := workflow.Event{OK: true, Blocking: 1, Mendable: 1, Tree: "t", Reading: workflow.Reading{Tree: "t", Severity: map[string]outcome.Severity{"A": outcome.P1}}}
	moved := workflow.Event{OK: true, Tree: "u", Moved: true}
	still := workflow.Event{OK: true, Tree: "t"}
	softened := workflow.Event{OK: true, Tree: "t", Reading: workflow.Reading{Tree: "t", Severity: map[string]outcome.Severity{"A": outcome.P2}}}
	tests := []struct {
		name   string
		maxFix int
		events []workflow.Event
		want   []string
	}{
		{"clean pass", 2, []workflow.Event{pass, pass, pass},
			[]string{"stage:implement", "stage:gates", "stage:review", "finish:true:ready_for_human"}},
		{"red gate is repaired", 2, []workflow.Event{pass, red, moved, pass, pass},
			[]string{"stage:implement", "stage:gates", "fix:gates", "stage:gates", "stage:review", "finish:true:ready_for_human"}},
		{"LP-12 a gate that never passes", 2, []workflow.Event{pass, red, still, red, still, red},
			[]string{"stage:implement", "stage:gates", "fix:gates", "stage:gates", "fix:gates", "stage:gates", "finish:false:gates_not_satisfied"}},
		{"RI-13 a repair after review is gated and read again", 2, []workflow.Event{pass, pass, objects, moved, pass, pass},
			[]string{"stage:implement", "stage:gates", "stage:review", "fix:review", "stage:gates", "stage:review", "finish:true:ready_for_human"}},
		{"gates red inside a repair", 2, []workflow.Event{pass, pass, objects, moved, red},
			[]string{"stage:implement", "stage:gates", "stage:review", "fix:review", "stage:gates", "finish:false:gates_not_satisfied_after_fix"}},
		{"LP-09 a repair that moved no bytes", 2, []workflow.Event{pass, pass, objects, still},
			[]string{"stage:implement", "stage:gates", "stage:review", "fix:review", "finish:false:repair_made_no_progress"}},
		{"LP-01 a blocker relabelled on the same tree", 2, []workflow.Event{pass, pass, objects, moved, pass, softened},
			[]string{"stage:implement", "stage:gates", "stage:review", "fix:review", "stage:gates", "stage:review", "finish:false:severity_downgraded_without_change"}},
		{"LP-10 a blocker that is not the writer's to fix", 2, []workflow.Event{pass, pass, gap},
			[]string{"stage:implement", "stage:gates", "stage:review", "finish:false:blocking_findings_remain"}},
		{"no rounds left", 0, []workflow.Event{pass, pass, objects},
			[]string{"stage:implement", "stage:gates", "stage:review", "finish:false:blocking_findings_remain"}},
		{"LP-05 a blocked writer is no success", 2, []workflow.Event{{Code: outcome.RoleReportedBlocked}},
			[]string{"stage:implement", "finish:false:implementer_failed"}},
		{"QF-17 a spent plan keeps its name", 2, []workflow.Event{{Code: outcome.RoleQuotaExhausted}},
			[]string{"stage:implement", "finish:false:quota_exhausted"}},
		{"QF-18 a turn ceiling keeps its name", 2, []workflow.Event{pass, pass, {Code: outcome.RoleTurnsExhausted}},
			[]string{"stage:implement", "stage:gates", "stage:review", "finish:false:turn_ceiling_reached"}},
		{"CI-01 a moved contract is never repaired", 2, []workflow.Event{pass, {Code: outcome.ContractMutated}},
			[]string{"stage:implement", "stage:gates", "finish:false:contract_mutated"}},
		{"a refused round is not used", 2, []workflow.Event{pass, red, {Denied: true, Code: outcome.BudgetInsufficient}},
			[]string{"stage:implement", "stage:gates", "fix:gates", "finish:false:budget_insufficient_to_finish"}},
		{"a failed writer in a repair", 2, []workflow.Event{pass, red, {Code: outcome.RoleReportedBlocked}},
			[]string{"stage:implement", "stage:gates", "fix:gates", "finish:false:fix_attempt_failed"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, _ := play(start(tt.maxFix, true), tt.events...)
			if fmt.Sprint(got) != fmt.Sprint(tt.want) {
				t.Errorf("actions:\n got %v\nwant %v", got, tt.want)
			}
		})
	}
}

// TestNextAlwaysEnds walks every history of a small alphabet and holds three
// properties of the loop: it ends within its bound, it spends no more rounds
// than allowed, and nothing reaches the human past a judge whose last word was
// no.
func TestNextAlwaysEnds(t *testing.T) {
	t.Parallel()
	const maxFix = 2
	bound := (maxFix + 1) * 6
	histories, ready := 0, 0
	var walk func(s workflow.State, a workflow.Action, depth int, word map[string]bool)
	walk = func(s workflow.State, a workflow.Action, depth int, word map[string]bool) {
		if depth > bound {
			t.Fatalf("a run of %d actions has not ended", depth)
		}
		if s.Attempt > maxFix {
			t.Fatalf("%d fix rounds begun, %d allowed", s.Attempt, maxFix)
		}
		if a.Kind == workflow.DoFinish {
			histories++
			if !a.OK {
				return
			}
			ready++
			for _, judge := range []string{"gates", "review"} {
				if !word[judge] {
					t.Fatalf("ready for a human, but the last word of %s was no", judge)
				}
			}
			return
		}
		for _, e := range alphabet(depth) {
			next := map[string]bool{}
			for k, v := range word {
				next[k] = v
			}
			if a.Kind == workflow.DoStage {
				step := s.Steps[a.Stage]
				next[step.Name] = e.OK && (e.Blocking == 0 || step.OnFindings == workflow.RouteNone)
			} else if e.Moved {
				// A repair that moved the tree voids what was said of the old one.
				next = map[string]bool{}
			}
			s2, a2 := workflow.Next(s, e)
			walk(s2, a2, depth+1, next)
		}
	}
	s, a := workflow.Begin(start(maxFix, true))
	walk(s, a, 0, map[string]bool{})
	if ready == 0 || ready == histories {
		t.Fatalf("%d of %d histories were ready for a human: the walk shows nothing", ready, histories)
	}
}

func alphabet(depth int) []workflow.Event {
	tree := fmt.Sprint(depth)
	return []workflow.Event{
		{OK: true, Tree: tree, Moved: true},
		{OK: true, Tree: tree, Blocking: 1, Mendable: 1, Moved: true, Reading: workflow.Reading{Tree: tree, Severity: map[string]outcome.Severity{"A": outcome.P1}}},
		{Code: outcome.CommandFailed, Tree: tree},
		{Code: outcome.RoleTimeout, Tree: tree},
	}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	steps := workflow.Resolve(workflow.BuiltIn(), workflow.Facts{
		Risk: "low", Configured: func(role string) bool { return role == workflow.Implementer },
	})
	got := map[string]string{}
	for _, s := range steps {
		got[s.Name] = s.Skip
	}
	want := map[string]string{"implement": "", "gates": "", "review": "condition_not_met:review_required",
		"browser": "condition_not_met:visual_qa_required", "look": "condition_not_met:visual_qa_required"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("skips:\n got %v\nwant %v", got, want)
	}
	if workflow.Condition("on_tuesdays").Known() {
		t.Error("CF-01: an unknown condition is known")
	}
}
