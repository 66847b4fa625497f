package workflow_test

import (
	"testing"

	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/workflow"
)

// LP-12: a policy may call its stages what it likes; how a run ends is named by
// what the stage does.
func TestReasonsIgnoreTheName_LP12(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name             string
		stage            workflow.Stage
		failed, findings outcome.Code
	}{
		{"gates", workflow.Stage{Run: workflow.RunGates}, outcome.GatesNotSatisfied, ""},
		{"implementer", workflow.Stage{Run: workflow.RunRole, Role: workflow.Implementer}, outcome.ImplementerFailed, ""},
		{"reviewer", workflow.Stage{Run: workflow.RunRole, Role: workflow.Reviewer}, outcome.ReviewerFailed, outcome.BlockingFindingsRemain},
		{"browser", workflow.Stage{Run: workflow.RunBrowser}, outcome.VisualFailed, ""},
		{"visual_qa", workflow.Stage{Run: workflow.RunRole, Role: workflow.VisualQA}, outcome.VisualRoleFailed, outcome.VisualFindingsRemain},
		{"architect", workflow.Stage{Run: workflow.RunRole, Role: "architect"}, outcome.ArchitectFailed, "architect_findings_remain"},
	} {
		t.Run("LP-12 "+tt.name, func(t *testing.T) {
			t.Parallel()
			for _, name := range []string{"implement", "gates", "review", "browser", "look", "the third one", ""} {
				s := tt.stage
				s.Name = name
				if got := s.FailureReason(); got != tt.failed {
					t.Errorf("called %q: failure is %s, want %s", name, got, tt.failed)
				}
				if got := workflow.Reason(s, outcome.CommandFailed); got != tt.failed {
					t.Errorf("called %q: reason is %s, want %s", name, got, tt.failed)
				}
				if got := s.FindingsReason(); tt.findings != "" && got != tt.findings {
					t.Errorf("called %q: findings are %s, want %s", name, got, tt.findings)
				}
			}
		})
	}
}
