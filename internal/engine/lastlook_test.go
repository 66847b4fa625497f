package engine_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/tolboy/warden/internal/budget"
	"github.com/tolboy/warden/internal/engine"
	"github.com/tolboy/warden/internal/outcome"
)

// late shows another tree from the second look on: what moves after the last
// judge has spoken, only the last look can see.
type late struct {
	*world
	looks int
	then  func(engine.Tree) engine.Tree
}

func (l *late) Look(context.Context) (engine.Tree, error) {
	if l.looks++; l.looks > 1 {
		return l.then(l.tree), nil
	}
	return l.tree, nil
}

func TestLastLook(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		then func(engine.Tree) engine.Tree
		want outcome.Code
	}{
		{"as_judged", func(tree engine.Tree) engine.Tree { return tree }, outcome.ReadyForHuman},
		{"contract", func(tree engine.Tree) engine.Tree {
			tree.Contract = []string{"tasks/t1.yaml modified"}
			return tree
		}, outcome.ContractMutated},
		{"refused", func(tree engine.Tree) engine.Tree {
			tree.Refused = []string{"sub: a repository inside the repository"}
			return tree
		}, outcome.CandidateUnpublishable},
		{"outside", func(tree engine.Tree) engine.Tree {
			tree.Outside = []string{"other.txt"}
			return tree
		}, outcome.GatesNotSatisfied},
		{"moved", func(tree engine.Tree) engine.Tree {
			tree.Source = "moved"
			return tree
		}, outcome.UnexpectedError},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := &world{gate: []engine.GateOutcome{green}, role: turns{"implementer": {writes("a")}, "reviewer": {ends(outcome.OK)}}}
			eyes := &late{world: w, then: tt.then}
			e := &engine.Engine{Journal: &journal{}, Eyes: eyes, Roles: w, Gates: w, Now: func() time.Time { return time.Unix(1, 0) }}
			got, err := e.Run(t.Context(), engine.Spec{RunID: "r1", Steps: steps(t), Task: task(), Limits: budget.Limits{Calls: 6, Reserve: budget.Full}})
			if err != nil {
				t.Fatal(err)
			}
			if got.Code != tt.want || got.OK != (tt.want == outcome.ReadyForHuman) || (got.Candidate != nil) != got.OK {
				t.Errorf("ended with %s (%s), ok %v, candidate %v; want %s", got.Code, got.Detail, got.OK, got.Candidate, tt.want)
			}
			if tt.name == "moved" && !strings.HasPrefix(got.Detail, "the tree changed after it was judged") {
				t.Errorf("the end is %q, and does not name the tree", got.Detail)
			}
			if eyes.looks != 2 {
				t.Errorf("%d looks, want one before and one after", eyes.looks)
			}
		})
	}
}
