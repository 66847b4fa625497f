package engine_test

import (
	"strings"
	"testing"

	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/engine"
	"github.com/tolboy/warden/internal/outcome"
)

// What no browser could run, or what would prove nothing, stops a run before anybody
// is asked, and before it is said what this version lacks.
func TestScenariosBeforeTheRun(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		visual   contract.Visual
		code     outcome.Code
		detail   string
		harmless bool
	}{
		{"BR-04 only a pause", contract.Visual{Required: true, Scenarios: []string{"1280x720: wait 8"}}, outcome.VisualContractInvalid, "a pause proves nothing", false},
		{"BR-07 wait-for that ends in click", contract.Visual{Required: true, Scenarios: []string{"wait-for=css=.hearth click"}}, outcome.VisualContractInvalid, `cannot end in "click"`, false},
		{"BR-11 text alone", contract.Visual{Required: true, Scenarios: []string{"no-console-errors", "text=Save visible"}}, outcome.VisualContractInvalid, "visual_qa.scenarios[2]", false},
		{"more than are told", contract.Visual{Required: true, Scenarios: strings.Split("a b c d e f g", " ")}, outcome.VisualContractInvalid, "and 2 more, which warden validate shows", false},
		{"BR-11 control", contract.Visual{Required: true, Scenarios: []string{"testid=save click -> text=Saved visible"}}, "", "", true},
		{"prose for an agent", contract.Visual{Required: true, Evidence: contract.EvidenceAgent, Scenarios: []string{"It looks right."}}, "", "", true},
		{"not required", contract.Visual{Scenarios: []string{"wait 8"}}, "", "", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			task := contract.Task{ID: "t1", Goal: "do it", Path: "tasks/t1.yaml", Visual: tt.visual}
			w, j := &world{}, &journal{}
			end, err := drive(t, w, j, engine.Spec{Task: task})
			if err != nil {
				t.Fatal(err)
			}
			if tt.harmless != (end.Code != outcome.VisualContractInvalid) {
				t.Errorf("ended %s: %s", end.Code, end.Detail)
			}
			if tt.harmless {
				return
			}
			if !contains(end.Detail, tt.detail) || strings.Contains(end.Detail, "\n") || end.RoleRuns != 0 || len(w.calls) != 0 || !contains(end.SafeNextStep, "warden validate") {
				t.Errorf("run: %+v", end)
			}
		})
	}
}
