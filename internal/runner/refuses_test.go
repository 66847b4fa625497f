package runner

import (
	"strings"
	"testing"

	"github.com/tolboy/warden/internal/outcome"
)

// TestRefuses holds that what a run would refuse is found without one.
func TestRefuses(t *testing.T) {
	t.Parallel()
	program := put(t, t.TempDir()+"/stub", "#!/bin/sh\nexit 97\n")
	m, o := ordered(t, program, "Task {{task_id}}")
	if no := m.Refuses(t.Context(), o.Home, o.Task, o.Worktree); no != nil {
		t.Errorf("a sound home: %+v", no)
	}
	writer := o.Home.Profiles["writer"]
	writer.PromptTemplate = "prompts/none.md"
	o.Home.Profiles["writer"] = writer
	no := m.Refuses(t.Context(), o.Home, o.Task, o.Worktree)
	if no == nil || no.Code != outcome.PromptUndeliverable || !strings.Contains(no.Detail, "prompts/none.md") {
		t.Errorf("a prompt that is not there: %+v", no)
	}
}
