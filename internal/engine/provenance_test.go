package engine_test

import (
	"testing"

	"github.com/tolboy/warden/internal/engine"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
)

// RI-06: changes that were there before anybody was asked are of unknown origin,
// unless a run that is continued left exactly them, and the person who is asked
// hears of it.
func TestUnexplainedChanges(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		start engine.Tree
		known []string
		label string // as the reader's record has it
		want  bool
		says  string
	}{
		{"RI-06 clean tree", engine.Tree{Source: "base"}, nil, "independent", false, ""},
		{"RI-06 somebody's edits", engine.Tree{Source: "edited", Changed: []string{"greeting.txt"}}, nil, "unproven", true, "unproven"},
		{"RI-06 edits after the run before", engine.Tree{Source: "edited", Changed: []string{"greeting.txt"}}, []string{"left"}, "unproven", true, "unproven"},
		{"RI-06 what the run before left", engine.Tree{Source: "left", Changed: []string{"greeting.txt"}}, []string{"earlier", "left"}, "independent", false, ""},
		{"RI-14 a coauthor", engine.Tree{Source: "base"}, nil, "coauthor", false, "coauthor"},
		{"RI-14 a label of another kind", engine.Tree{Source: "base"}, nil, "same_vendor_peer", false, "same_vendor_peer"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			reads := func(*world, engine.RoleCall) engine.RoleOutcome {
				return engine.RoleOutcome{RoleRun: ledger.RoleRun{OK: true, Code: outcome.OK, Independence: tt.label}}
			}
			w := &world{tree: tt.start, gate: []engine.GateOutcome{green}, role: turns{"implementer": {writes("a")}, "reviewer": {reads}}}
			end, err := drive(t, w, &journal{}, engine.Spec{Known: tt.known})
			if err != nil || !end.OK {
				t.Fatalf("ended with %s (%s), %v", end.Code, end.Detail, err)
			}
			for _, call := range w.calls {
				if call.Unexplained != tt.want {
					t.Errorf("the %s is told unexplained %t, want %t", call.Role, call.Unexplained, tt.want)
				}
			}
			if end.Unexplained != tt.want || end.Independence != tt.label {
				t.Errorf("the ending says unexplained %t and %q", end.Unexplained, end.Independence)
			}
			if tt.says == "" && end.SafeNextStep != "review the candidate and answer accept or reject" || !contains(end.SafeNextStep, tt.says) {
				t.Errorf("a person is told %q", end.SafeNextStep)
			}
		})
	}
}
