package runner

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/draft"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/policy"
)

const fitting = `{"role":"planner","task_id":"t1","status":"completed","summary":"s","operator_goal":"goal","task_kind":"fix","deliverable":"d","non_goals":[],` +
	`"subtasks":[],"acceptance":[{"check":"fast","covers":"c"}],"target":"local","required_access":{"workspace_write":true,"network":false,"land":false},` +
	`"risk":"medium","scope":"code","estimate":{"rationale":"r","role_runs":1,"cost_usd":0},"stop_conditions":[]}`

// planned is an order whose planner is a shell script, which nothing confines.
func planned(t *testing.T, script string) (*Machine, Order, draft.Ask) {
	t.Helper()
	m, o := ordered(t, put(t, filepath.Join(t.TempDir(), "mapper"), "#!/bin/sh\ncat > /dev/null\n"+script), "")
	o.Home.FS = fstest.MapFS{"prompts/planner.md": {Data: []byte("{{operator_goal}} {{named_checks}} {{named_scopes}} {{context}}")}}
	p := o.Home.Profiles["writer"]
	p.Name, p.Role, p.ReadOnly, p.PromptTemplate = "mapper", "planner", true, "prompts/planner.md"
	o.Home.Profiles = map[string]policy.Profile{"mapper": p}
	o.Home.Policy.Roles = map[string]policy.Roster{"planner": {Role: "planner", Profiles: []string{"mapper"}, Strategy: "first"}}
	o.Task.Goal = "goal"
	project, err := contract.ParseProject("project.yaml", []byte("version: 1\nproject: p\nchecks: {fast: [\"true\"]}\nscopes: {code: [a.txt]}\n"))
	if err != nil {
		t.Fatal(err)
	}
	o.Project = project
	return m, o, draft.Ask{ID: "t1", Goal: "goal", Authority: contract.Authority{WorkspaceWrite: true}}
}

func prepare(t *testing.T, m *Machine, o Order, ask draft.Ask) Prepared {
	t.Helper()
	got, err := m.Prepare(t.Context(), o, ask)
	if err != nil {
		t.Fatal(err)
	}
	if sealed := o.Ledger.Sealed() != ""; sealed == (got.Ending.Code == outcome.Prepared) {
		t.Errorf("ended with %s, sealed %v", got.Ending.Code, sealed)
	}
	return got
}

func TestPrepare(t *testing.T) {
	t.Parallel()
	t.Run("PL-03 a draft that fits", func(t *testing.T) {
		t.Parallel()
		m, o, ask := planned(t, "echo '"+fitting+"'\n")
		got := prepare(t, m, o, ask)
		if got.Ending.Code != outcome.Prepared || got.Ending.RoleRuns != 1 || !strings.Contains(string(got.Task.YAML), `goal: "goal"`) || got.Artifact == "" {
			t.Errorf("prepared %+v\n%s", got.Ending, got.Task.YAML)
		}
		prompt, err := os.ReadFile(filepath.Join(o.RunsDir, "r1--planner-0", "prompts", "planner.md"))
		if err != nil || !strings.Contains(string(prompt), "- `fast`: `true`") || !strings.Contains(string(prompt), "- `code`: `a.txt`") {
			t.Errorf("prompt %s, %v", prompt, err)
		}
	})
	t.Run("PL-03 the schema holds although the profile names none", func(t *testing.T) {
		t.Parallel()
		m, o, ask := planned(t, "echo '"+strings.Replace(fitting, `"estimate":{"rationale":"r","role_runs":1,"cost_usd":0},`, "", 1)+"'\n")
		got := prepare(t, m, o, ask)
		if got.Ending.Code != outcome.PlanRefused || got.Ending.RoleRuns != 2 || !strings.Contains(got.Ending.Detail, "estimate") || got.Task.YAML != nil {
			t.Errorf("ended with %+v", got.Ending)
		}
	})
	t.Run("PL-01 what it wrote is gone, each time", func(t *testing.T) {
		t.Parallel()
		m, o, ask := planned(t, "echo theirs > a.txt; echo theirs > mine.txt; echo '"+fitting+"'\n")
		put(t, filepath.Join(o.Worktree, "mine.txt"), "mine")
		got := prepare(t, m, o, ask)
		if got.Ending.Code != outcome.PlannerFailed || got.Ending.RoleRuns != 2 || evidence(t, o, ledger.TypeRoleRun) != 2 {
			t.Errorf("ended with %+v", got.Ending)
		}
		mine, err := os.ReadFile(filepath.Join(o.Worktree, "mine.txt"))
		if _, left := os.Lstat(filepath.Join(o.Worktree, "a.txt")); string(mine) != "mine" || err != nil || left == nil {
			t.Errorf("mine.txt holds %q, %v; a.txt: %v", mine, err, left)
		}
	})
	t.Run("PL-01 a tree that cannot be put back ends it", func(t *testing.T) {
		t.Parallel()
		m, o, ask := planned(t, "git init -q nested; echo '"+fitting+"'\n")
		got := prepare(t, m, o, ask)
		if got.Ending.OK || got.Ending.RoleRuns != 1 || !strings.Contains(got.Ending.Detail, "restore the worktree") {
			t.Errorf("ended with %+v", got.Ending)
		}
	})
	t.Run("the second draft needs a call too", func(t *testing.T) {
		t.Parallel()
		m, o, ask := planned(t, "echo '"+strings.Replace(fitting, `"scope":"code"`, `"scope":"all"`, 1)+"'\n")
		o.Task.MaxRoleRuns = 1
		got := prepare(t, m, o, ask)
		if got.Ending.Code != outcome.BudgetExhausted || got.Ending.RoleRuns != 1 || evidence(t, o, ledger.TypeVendorCallStarted) != 1 {
			t.Errorf("ended with %+v", got.Ending)
		}
	})
	t.Run("nobody is paid where the tree could not be put back", func(t *testing.T) {
		t.Parallel()
		m, o, ask := planned(t, "echo '"+fitting+"'\n")
		f, err := os.Create(filepath.Join(o.Worktree, "big"))
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Truncate(65 << 20); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		got := prepare(t, m, o, ask)
		if got.Ending.Code != outcome.RunPreflightFailed || got.Ending.RoleRuns != 0 || evidence(t, o, ledger.TypeVendorCallStarted) != 0 {
			t.Errorf("ended with %+v", got.Ending)
		}
	})
	t.Run("a dry run renders and pays nobody", func(t *testing.T) {
		t.Parallel()
		m, o, ask := planned(t, "exit 1\n")
		o.DryRun = true
		got := prepare(t, m, o, ask)
		if got.Ending.Code != outcome.DryRun || got.Ending.RoleRuns != 0 || evidence(t, o, ledger.TypeVendorCallStarted) != 0 {
			t.Errorf("ended with %+v", got.Ending)
		}
	})
}
