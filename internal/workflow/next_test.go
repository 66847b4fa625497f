package workflow_test

import (
	"fmt"
	"maps"
	"slices"
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
	gap := workflow.Event{OK: true, Tree: "t", Findings: []outcome.Finding{{ID: "A", Severity: outcome.P1, Category: outcome.ContractGap}}}
	objects := reads("t", map[string]outcome.Severity{"A": outcome.P1})
	moved := workflow.Event{OK: true, Tree: "u"}
	still := workflow.Event{OK: true, Tree: "t"}
	p1 := map[string]outcome.Severity{"A": outcome.P1}
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
		{"RI-13 a repair after review is gated and read again", 2, []workflow.Event{pass, pass, objects, moved, at("u"), reads("u", nil)},
			[]string{"stage:implement", "stage:gates", "stage:review", "fix:review", "stage:gates", "stage:review", "finish:true:ready_for_human"}},
		{"gates red inside a repair", 2, []workflow.Event{pass, pass, objects, moved, red},
			[]string{"stage:implement", "stage:gates", "stage:review", "fix:review", "stage:gates", "finish:false:gates_not_satisfied_after_fix"}},
		{"LP-09 a repair that moved no bytes", 2, []workflow.Event{pass, pass, objects, still},
			[]string{"stage:implement", "stage:gates", "stage:review", "fix:review", "finish:false:repair_made_no_progress"}},
		{"LP-01 a blocker relabelled on a moved tree", 2, []workflow.Event{pass, pass, objects, moved, at("u"), reads("u", map[string]outcome.Severity{"A": outcome.P2})},
			[]string{"stage:implement", "stage:gates", "stage:review", "fix:review", "stage:gates", "stage:review", "finish:true:ready_for_human"}},
		{"LP-09 a repair back to a tree that was refused", 3, []workflow.Event{pass, pass, objects, moved, at("u"), reads("u", p1), moves("t")},
			[]string{"stage:implement", "stage:gates", "stage:review", "fix:review", "stage:gates", "stage:review", "fix:review",
				"finish:false:repair_made_no_progress"}},
		{"LP-09 a check that undoes the repair", 2, []workflow.Event{pass, pass, objects, moved, pass},
			[]string{"stage:implement", "stage:gates", "stage:review", "fix:review", "stage:gates", "finish:false:repair_made_no_progress"}},
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
		{"a round that was paid for is used", 1, []workflow.Event{pass, red, {Denied: true, Paid: true, Code: outcome.BudgetExhausted}},
			[]string{"stage:implement", "stage:gates", "fix:gates", "finish:false:budget_exhausted"}},
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

// TestLP01SeverityIsNotEditedAway lets a later check's repair bring back a tree
// that the reader has refused: what it said of those bytes stands.
func TestLP01SeverityIsNotEditedAway(t *testing.T) {
	t.Parallel()
	p1, p2 := map[string]outcome.Severity{"A": outcome.P1}, map[string]outcome.Severity{"A": outcome.P2}
	red := workflow.Event{Code: outcome.CommandFailed, Tree: "u"}
	tests := []struct {
		name string
		back string // the tree that the second repair leaves
		last workflow.Event
		want string
	}{
		{"relabelled", "t", reads("t", p2), "finish:false:severity_downgraded_without_change"},
		{"dropped", "t", reads("t", nil), "finish:false:severity_downgraded_without_change"},
		{"another name for it", "t", reads("t", map[string]outcome.Severity{"B": outcome.P1}), "finish:false:severity_downgraded_without_change"},
		{"repeated", "t", reads("t", p1), "finish:false:blocking_findings_remain"},
		{"relabelled on a moved tree", "v", reads("v", p2), "stage:gates"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			chain := workflow.BuiltIn()
			chain[1], chain[2] = chain[2], chain[1]
			s := workflow.State{Steps: workflow.Resolve(chain, facts(true)), MaxFix: 2}
			got, _ := play(s, at("t"), reads("t", p1), moves("u"), reads("u", nil), red, moves(tt.back), tt.last)
			want := []string{"stage:implement", "stage:review", "fix:review", "stage:review", "stage:gates", "fix:gates", "stage:review", tt.want}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("actions:\n got %v\nwant %v", got, want)
			}
		})
	}
}

// at is a check that passed on a tree.
func at(tree string) workflow.Event {
	return workflow.Event{OK: true, Code: outcome.Passed, Tree: tree}
}

// moves is a repair that left a tree.
func moves(tree string) workflow.Event { return workflow.Event{OK: true, Tree: tree} }

// reads is what a judging stage says of a tree.
func reads(tree string, severity map[string]outcome.Severity) workflow.Event {
	e := workflow.Event{OK: true, Tree: tree}
	for _, id := range slices.Sorted(maps.Keys(severity)) {
		e.Findings = append(e.Findings, outcome.Finding{ID: id, Severity: severity[id]})
	}
	return e
}

// TestNextAlwaysEnds walks every history of a small alphabet and holds the
// properties of the loop: it ends within its bound, it spends no more rounds than
// allowed, and nothing reaches the human past a judge whose last word was no, nor
// on a tree that a judge has ever refused. A repair may bring back an old tree.
func TestNextAlwaysEnds(t *testing.T) {
	t.Parallel()
	w := walk{t: t, maxFix: 2}
	s, a := workflow.Begin(start(w.maxFix, true))
	w.from(s, a, history{tree: "0"})
	if w.ready == 0 || w.ready == w.ended {
		t.Fatalf("%d of %d histories were ready for a human: the walk shows nothing", w.ready, w.ended)
	}
}

type walk struct {
	t            *testing.T
	maxFix       int
	ended, ready int
}

// history is what has happened on the way to a state.
type history struct {
	depth   int
	tree    string
	word    []string // judges whose last word on this tree was yes
	refused []string // trees that the reader objected to
}

func (w *walk) from(s workflow.State, a workflow.Action, h history) {
	if h.depth > (w.maxFix+1)*6 {
		w.t.Fatalf("a run of %d actions has not ended", h.depth)
	}
	if s.Attempt > w.maxFix {
		w.t.Fatalf("%d fix rounds begun, %d allowed", s.Attempt, w.maxFix)
	}
	if a.Kind == workflow.DoFinish {
		w.ended++
		if !a.OK {
			return
		}
		w.ready++
		for _, judge := range []string{"gates", "review"} {
			if !slices.Contains(h.word, judge) {
				w.t.Fatalf("ready for a human, but the last word of %s was no", judge)
			}
		}
		if slices.Contains(h.refused, h.tree) {
			w.t.Fatalf("ready for a human with a tree that was refused")
		}
		return
	}
	for _, e := range alphabet(s, a, h) {
		next := history{depth: h.depth + 1, tree: e.Tree, refused: h.refused}
		name := s.Steps[a.Stage].Name
		switch {
		case a.Kind == workflow.DoFix && e.OK && e.Tree != h.tree:
			// What was said of the old tree is void.
		case a.Kind == workflow.DoStage && e.OK && len(e.Findings) == 0:
			next.word = append(slices.Clone(h.word), name)
		default:
			next.word = slices.DeleteFunc(slices.Clone(h.word), func(n string) bool { return n == name })
		}
		if e.OK && len(e.Findings) > 0 {
			next.refused = append(slices.Clone(h.refused), e.Tree)
		}
		s2, a2 := workflow.Next(s, e)
		w.from(s2, a2, next)
	}
}

// alphabet is what may happen next.
func alphabet(s workflow.State, a workflow.Action, h history) []workflow.Event {
	events := []workflow.Event{
		{Code: outcome.CommandFailed, Tree: h.tree},
		{Code: outcome.RoleTimeout, Tree: h.tree},
	}
	switch {
	case a.Kind == workflow.DoFix:
		events = append(events, moves(fmt.Sprint(h.depth)), at(h.tree))
		if h.tree != "0" {
			events = append(events, moves("0"))
		}
	case s.Steps[a.Stage].OnFindings != workflow.RouteNone:
		events = append(events, reads(h.tree, nil), reads(h.tree, map[string]outcome.Severity{"A": outcome.P1}))
	default:
		events = append(events, at(h.tree))
	}
	return events
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
