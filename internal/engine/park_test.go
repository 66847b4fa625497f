package engine_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/tolboy/warden/internal/budget"
	"github.com/tolboy/warden/internal/engine"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
)

// commits is a forge's committer in memory.
type commits struct {
	made, parked int
	refuse       error
}

func (c *commits) Commit(context.Context, ledger.Ending, []string) (ledger.Candidate, error) {
	c.made++
	return ledger.Candidate{Commit: "c"}, c.refuse
}

func (c *commits) Park(context.Context, ledger.Ending) (*ledger.Parked, error) {
	c.parked++
	return &ledger.Parked{Commit: "p"}, c.refuse
}

// peer-13: work that was paid for is kept on every ending that is no candidate.
func TestPark(t *testing.T) {
	t.Parallel()
	turn := func(f func(*world, engine.RoleCall) engine.RoleOutcome) []func(*world, engine.RoleCall) engine.RoleOutcome {
		return []func(*world, engine.RoleCall) engine.RoleOutcome{f}
	}
	reads := turn(ends(outcome.OK))
	for _, tt := range []struct {
		name   string
		world  *world
		dry    bool
		refuse error
		reason outcome.Code
		made   int
		parked int
	}{
		{name: "a candidate is not parked too", world: &world{role: roles(turn(writes("b")), reads), gate: []engine.GateOutcome{green}}, reason: outcome.ReadyForHuman, made: 1},
		{name: "gates stay red", world: &world{role: roles(turn(writes("b")), reads), gate: []engine.GateOutcome{red}}, reason: outcome.GatesNotSatisfied, parked: 1},
		{name: "a person says stop", world: &world{role: roles(turn(writes("b")), reads), gate: []engine.GateOutcome{green}, stopAt: "review"}, reason: outcome.Stopped, parked: 1},
		{name: "the commit is refused", world: &world{role: roles(turn(writes("b")), reads), gate: []engine.GateOutcome{green}}, refuse: errors.New("a workflow file"), reason: outcome.CandidateUnpublishable, made: 1, parked: 1},
		{name: "nobody wrote", world: &world{role: roles(turn(writes("b")), reads), gate: []engine.GateOutcome{green}, stopAt: "implement"}, reason: outcome.Stopped},
		{name: "a dry run", world: &world{role: roles(turn(writes("b")), reads), gate: []engine.GateOutcome{green}}, dry: true, reason: outcome.DryRun},
	} {
		t.Run("peer-13 "+tt.name, func(t *testing.T) {
			t.Parallel()
			c, w := &commits{refuse: tt.refuse}, tt.world
			w.tree.Source = "a"
			e := &engine.Engine{Journal: &journal{}, Eyes: w, Roles: w, Gates: w, Boundary: w, Committer: c, Now: func() time.Time { return time.Unix(1, 0) }}
			got, err := e.Run(t.Context(), engine.Spec{RunID: "r1", Steps: steps(t), Task: task(), DryRun: tt.dry,
				Limits: budget.Limits{Calls: 6, Reserve: budget.Full}})
			if err != nil || got.Code != tt.reason || c.made != tt.made || c.parked != tt.parked {
				t.Fatalf("%v: %s (%s), %d made, %d parked", err, got.Code, got.Detail, c.made, c.parked)
			}
			switch {
			case tt.parked == 0 && got.Parked != nil:
				t.Errorf("parked %+v", got.Parked)
			case tt.parked > 0 && tt.refuse == nil && got.Parked.Commit != "p":
				t.Errorf("parked %+v", got.Parked)
			case tt.parked > 0 && tt.refuse != nil && got.Parked.Problem != tt.refuse.Error():
				t.Errorf("the reason why nothing is kept: %+v", got.Parked)
			}
		})
	}
}

func roles(writer, reader []func(*world, engine.RoleCall) engine.RoleOutcome) map[string][]func(*world, engine.RoleCall) engine.RoleOutcome {
	return map[string][]func(*world, engine.RoleCall) engine.RoleOutcome{"implementer": writer, "reviewer": reader}
}
