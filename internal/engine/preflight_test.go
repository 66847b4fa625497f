package engine_test

import (
	"slices"
	"testing"

	"github.com/tolboy/warden/internal/engine"
	"github.com/tolboy/warden/internal/outcome"
)

// GF-11: who left what stands outside the scope decides what a person is told.
func TestOutsideBeforeTheRun(t *testing.T) {
	t.Parallel()
	const lock, stray, module = "package-lock.json (outside the scope)", "stray.txt (outside the scope)", "lib (a repository inside the repository)"
	const byHand, bySetup = "commit, stash or revert", "choose commands that leave it alone"
	for _, tt := range []struct {
		name   string
		tree   engine.Tree
		detail string
		advice []string
	}{
		{"GF-11 by hand", engine.Tree{Outside: []string{stray}}, "changed before the run began: " + stray, []string{byHand}},
		{"GF-11 by setup", engine.Tree{Outside: []string{lock}, BySetup: []string{lock}}, "changed by a setup command: " + lock, []string{bySetup}},
		{"GF-11 by both", engine.Tree{Outside: []string{lock, stray}, Refused: []string{module}, BySetup: []string{module, lock}},
			"changed before the run began: " + stray + "; changed by a setup command: " + module + ", " + lock, []string{byHand, bySetup}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w, j := &world{tree: tt.tree}, &journal{}
			end, err := drive(t, w, j, engine.Spec{})
			if err != nil || end.Code != outcome.PreflightOutsideScope || end.RoleRuns != 0 || len(w.calls) != 0 || end.AttemptsUsed != 0 {
				t.Fatalf("run: %+v, %v", end, err)
			}
			if end.Detail != tt.detail {
				t.Errorf("detail %q, want %q", end.Detail, tt.detail)
			}
			for _, words := range []string{byHand, bySetup} {
				if contains(end.SafeNextStep, words) != slices.Contains(tt.advice, words) {
					t.Errorf("%q is in the next step, or is missing: %s", words, end.SafeNextStep)
				}
			}
			if want := slices.Concat(tt.tree.Outside, tt.tree.Refused); !slices.Equal(end.Violations, want) {
				t.Errorf("violations %v, want %v", end.Violations, want)
			}
		})
	}
}
