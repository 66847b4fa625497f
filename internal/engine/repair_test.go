package engine_test

import (
	"strings"
	"testing"
	"time"

	"github.com/tolboy/warden/internal/budget"
	"github.com/tolboy/warden/internal/engine"
	"github.com/tolboy/warden/internal/outcome"
)

// LP-12: whatever the stage is called, gates that never pass end the run under one
// name, and each repair was told what failed and to mend that.
func TestUnfixableGate_LP12(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"gates", "Prove it!", "review"} {
		t.Run("LP-12 called "+name, func(t *testing.T) {
			t.Parallel()
			chain := steps(t)
			chain[1].Name = name
			if name == "review" {
				chain[2].Name = "gates"
			}
			again := red
			again.Failure = "check.sh says no again"
			w := &world{gate: []engine.GateOutcome{red, again}, role: turns{"implementer": {writes("a"), writes("b"), writes("c")}}}
			j := &journal{}
			e := &engine.Engine{Journal: j, Eyes: w, Roles: w, Gates: w, Now: func() time.Time { return time.Unix(1, 0) }}
			end, err := e.Run(t.Context(), engine.Spec{RunID: "r1", Task: task(), Steps: chain, Limits: budget.Limits{Calls: 9, Reserve: budget.Full}})
			if err != nil || end.OK || end.Code != outcome.GatesNotSatisfied || len(w.calls) != 3 || end.AttemptsUsed != 2 || end.Stage != name {
				t.Fatalf("ended with %s at %q after %d calls and %d rounds, %v", end.Code, end.Stage, len(w.calls), end.AttemptsUsed, err)
			}
			for i, failure := range []string{"check.sh says no\n", "check.sh says no again\n"} {
				repair := string(w.calls[i+1].Context)
				for _, words := range []string{`stage "` + name + `" sends the work back`, failure, "Fix the cause, not the check."} {
					if strings.Count(repair, words) != 1 {
						t.Errorf("repair %d does not read %q once:\n%s", i+1, words, repair)
					}
				}
			}
		})
	}
}
