package contract

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
)

const richProject = `version: 1
project: shop
base_ref: main
checks:
  fast: [go vet ./..., go test ./...]
  health: [./health, go vet ./...]
  none: []
scopes:
  code: [src, test]
  docs: [docs]
  all: [<repository>]
`

const minimalTask = "version: 1\nid: t1\ngoal: do it\nscope: code\n"

func TestTaskDefaults(t *testing.T) {
	t.Parallel()
	p := project(t, richProject+"defaults: {risk: high, max_fix_attempts: 3, timeout_minutes: 5}\n")
	got, err := ParseTask("t", []byte(minimalTask), p)
	if err != nil {
		t.Fatal(err)
	}
	want := Task{
		ID: "t1", Goal: "do it", Risk: "high", Scope: []string{"src", "test"}, Acceptance: []string{"go vet ./...", "go test ./..."},
		Authority: Authority{WorkspaceWrite: true}, Assurance: Independent, MaxRoleRuns: 6, MaxCostUSD: 20, MaxFixAttempts: 3, Timeout: 5 * time.Minute,
		BaseRef: "main", Project: "shop",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("task (-want +got):\n%s", diff)
	}
}

func TestTaskCommands(t *testing.T) {
	t.Parallel()
	baseline := "defaults: {baseline_checks: health}\n"
	tests := []struct {
		name, project, task string
		baseline, want      []string
	}{
		{"default_set", "", "", nil, []string{"go vet ./...", "go test ./..."}},
		{"bare_set", "", "checks: health\n", nil, []string{"./health", "go vet ./..."}},
		{"list_mixes_names_and_commands", "", "checks: [health, make]\nacceptance: [./done]\n", nil, []string{"./health", "go vet ./...", "make", "./done"}},
		{"CI-10_baseline_first_and_once", baseline, "checks: fast\nacceptance: [./health]\n", []string{"./health", "go vet ./..."}, []string{"./health", "go vet ./...", "go test ./..."}},
		{"CI-10_narrow_task", baseline, "checks: [./only-b]\n", []string{"./health", "go vet ./..."}, []string{"./health", "go vet ./...", "./only-b"}},
		{"CI-10_no_own_checks", baseline, "checks: []\n", []string{"./health", "go vet ./..."}, []string{"./health", "go vet ./..."}},
		{"CF-12c_empty_set_with_scenarios", "", "checks: none\nvisual_qa: {required: true, scenarios: [no-console-errors]}\n", nil, nil},
		{"empty_set_with_acceptance", "", "checks: none\nacceptance: [./a]\n", nil, []string{"./a"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := ParseTask("t", []byte(minimalTask+tt.task), project(t, richProject+tt.project))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.baseline, got.Baseline); diff != "" {
				t.Errorf("baseline (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.want, got.Acceptance); diff != "" {
				t.Errorf("acceptance (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTaskFaults(t *testing.T) {
	t.Parallel()
	const m = minimalTask
	scope := func(s string) string { return "version: 1\nid: t1\ngoal: do it\nscope: " + s + "\n" }
	many := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "  - c%d\n", i)
		}
		return b.String()
	}
	tests := []struct {
		name, in string
		want     []string
	}{
		{"empty", "", []string{
			"t:1: version: the key is missing (the version of this file, 1)",
			"t:1: id: the key is missing (the name of the task, as in the name of its file)",
			"t:1: goal: the key is missing (what is wanted, in words)",
			"t:1: scope: the key is missing (the name of a scope, or a list of scopes and paths that may change)"}},
		{"id", strings.Replace(m, "t1", "T 1", 1), []string{"t:2: id: not a task id (lower-case letters, digits, dot, dash and underscore, at most 80, beginning with a letter or digit)"}},
		{"id_up", strings.Replace(m, "t1", "../x", 1), []string{"t:2: id: not a task id (lower-case letters, digits, dot, dash and underscore, at most 80, beginning with a letter or digit)"}},
		{"CF-09_bare_typo", scope("nope"), []string{`t:4: scope: no scope is named "nope" (declared: code, docs, all; for a path write a list: [nope])`}},
		{"CF-09_bare_near", scope("cdoe"), []string{`t:4: scope: no scope is named "cdoe" (did you mean "code"? for a path write a list: [cdoe])`}},
		{"CF-09_bare_path", scope("src"), []string{`t:4: scope: no scope is named "src" (declared: code, docs, all; for a path write a list: [src])`}},
		{"CF-09_bare_token", scope("<repository>"), []string{`t:4: scope: no scope is named "<repository>" (declared: code, docs, all; for a path write a list: [<repository>])`}},
		{"CF-11_list_unsafe", scope("[., '*', ../../etc, /etc, .warden]"), []string{
			`t:4: scope[1]: the path is the whole repository (write ["<repository>"] if every path may change)`,
			`t:4: scope[2]: the path is a pattern (name the directory itself: it admits all that is below it)`,
			`t:4: scope[3]: the path has an empty, . or .. part (write it without detours, relative to the repository)`,
			`t:4: scope[4]: the path is absolute (write it relative to the repository)`,
			`t:4: scope[5]: no task may change what is under .warden or .git (remove the entry)`}},
		{"CF-11_token_mixed", scope("[<repository>, src]"), []string{`t:4: scope: <repository> stands beside other entries (it means every path: make it the only entry, or remove it)`}},
		{"CF-11_token_mixed_by_name", scope("[all, docs]"), []string{`t:4: scope: <repository> stands beside other entries (it means every path: make it the only entry, or remove it)`}},
		{"CF-12b_empty_set", m + "checks: none\n", []string{`t:5: checks: nothing would be checked: the task has no command (add a command to checks or acceptance, or require a visual_qa scenario)`}},
		{"CF-12b_empty_list", m + "checks: []\n", []string{`t:5: checks: nothing would be checked: the task has no command (add a command to checks or acceptance, or require a visual_qa scenario)`}},
		{"CF-12b_scenarios_not_required", m + "checks: none\nvisual_qa: {scenarios: [x]}\n", []string{`t:5: checks: nothing would be checked: the task has no command (add a command to checks or acceptance, or require a visual_qa scenario)`}},
		{"CF-12c_required_without_scenarios", m + "visual_qa: {required: true}\n", []string{`t:5: visual_qa.required: visual_qa is required, and there is no scenario (add visual_qa.scenarios)`}},
		{"bare_checks_typo", m + "checks: fats\n", []string{`t:5: checks: no set of checks is named "fats" (did you mean "fast"? for a command write a list: [fats])`}},
		{"too_many_commands", m + "checks:\n" + many(21), []string{`t:5: checks: the task has 21 commands, the limit is 20 (gather them in a script)`}},
		{"long_command", m + "acceptance: [" + strings.Repeat("x", 2001) + "]\n", []string{`t:5: acceptance[1]: the text has 2001 characters, the limit is 2000 (a command is one line; put more into a script and call it)`}},
		{"two_line_command", m + "checks: [\"a\\nb\"]\n", []string{`t:5: checks[1]: the text has more than one line (a command is one line; put more into a script and call it)`}},
		{"land", m + "authority: {land: true}\n", []string{`t:5: authority.land: no task may land its own work (remove the key: a person lands an accepted candidate)`}},
		{"authority_text", m + "authority: {network: yes}\n", []string{`t:5: authority.network: expected true or false, found text "yes" (write true or false, without quotes)`}},
		{"budgets", m + "budgets: {max_role_runs: 0, max_cost_usd: 10001}\n", []string{
			`t:5: budgets.max_role_runs: 0 is out of range (1 to 50)`, `t:5: budgets.max_cost_usd: 10001 is out of range (0 to 10000)`}},
		{"url", m + "visual_qa: {url: 127.0.0.1}\n", []string{`t:5: visual_qa.url: not an address (write http:// or https:// and a host, without a user)`}},
		{"CF-08_later_keys", m + "use: {}\nbudgets: {gate_ttl_hours: 721}\n", []string{
			`t:5: use: unknown key "use" (this version of Warden does not have it; remove the key)`,
			`t:6: budgets.gate_ttl_hours: 721 is out of range (1 to 720)`}},
		{"CI-11_not_deciding", m + "reproduce: [make nothing]\n", []string{`t:5: reproduce[1]: the command "make nothing" is not one that decides (add it to checks or acceptance)`}},
		{"CI-11_empty", m + "reproduce: []\n", []string{`t:5: reproduce: the list is empty`}},
		{"BU-06_strict_without_a_ceiling", m + "budgets: {max_cost_usd: 0, cost_cap: strict}\n", []string{
			`t:5: budgets.cost_cap: a strict cap needs a ceiling, and max_cost_usd is 0 (set budgets.max_cost_usd, or remove cost_cap)`}},
		{"BU-14_elapsed", m + "budgets: {max_elapsed_minutes: 1441, cost_cap: hard}\n", []string{
			`t:5: budgets.max_elapsed_minutes: 1441 is out of range (1 to 1440)`, `t:5: budgets.cost_cap: unknown word "hard" (allowed: threshold, strict)`}},
		{"all_together", "version: 1\nid: t1\ngaol: x\nscope: nope\nrisk: hgih\ntimeout_minutes: 241\n", []string{
			`t:1: goal: the key is missing (what is wanted, in words)`,
			`t:3: gaol: unknown key "gaol" (did you mean "goal"?)`,
			`t:4: scope: no scope is named "nope" (declared: code, docs, all; for a path write a list: [nope])`,
			`t:5: risk: unknown word "hgih" (did you mean "high"?)`,
			`t:6: timeout_minutes: 241 is out of range (1 to 240)`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := ParseTask("t", []byte(tt.in), project(t, richProject))
			wantFaults(t, err, tt.want)
		})
	}
}

func TestInScope(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		scope []string
		path  string
		want  bool
	}{
		{"GF-09_prefix_of_a_name", []string{"sr"}, "src/value.txt", false},
		{"GF-09_below", []string{"src"}, "src/value.txt", true},
		{"GF-09_itself", []string{"src/value.txt"}, "src/value.txt", true},
		{"GF-09_sibling", []string{"src"}, "src2/value.txt", false},
		{"GF-09_longer_name", []string{"src/value"}, "src/value.txt", false},
		{"GF-09_parent", []string{"src/a"}, "src", false},
		{"GF-09_second_entry", []string{"docs", "src"}, "src/a", true},
		{"case", []string{"src"}, "SRC/a", false},
		{"repository", []string{Repository}, "anything/at/all", true},
		{"repository_not_warden", []string{Repository}, ".warden/tasks/t1.yaml", false},
		{"repository_not_warden_case", []string{Repository}, ".Warden/x", false},
		{"repository_not_git", []string{Repository}, ".git/config", false},
		{"warden_like_name", []string{Repository}, ".wardenrc", true},
		{"detour", []string{"src"}, "src/../etc", false},
		{"absolute", []string{Repository}, "/etc/passwd", false},
		{"empty", []string{Repository}, "", false},
		{"no_scope", nil, "a", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := (Task{Scope: tt.scope}).InScope(tt.path); got != tt.want {
				t.Errorf("InScope(%q) with %q = %v, want %v", tt.path, tt.scope, got, tt.want)
			}
		})
	}
}

func TestScopeResolution(t *testing.T) {
	t.Parallel()
	for in, want := range map[string][]string{
		"docs":                       {"docs"},
		"[docs, ./lib/, 'lib', src]": {"docs", "lib", "src"},
		"[code, docs]":               {"src", "test", "docs"},
		"[<repository>]":             {Repository},
		"all":                        {Repository},
		"[all]":                      {Repository},
	} {
		got, err := ParseTask("t", []byte("version: 1\nid: t1\ngoal: g\nscope: "+in+"\n"), project(t, richProject))
		if err != nil {
			t.Errorf("%s: %v", in, err)
		}
		if diff := cmp.Diff(want, got.Scope); diff != "" {
			t.Errorf("%s (-want +got):\n%s", in, diff)
		}
	}
}

func TestLoadTaskBySelector(t *testing.T) {
	t.Parallel()
	fsys := fstest.MapFS{
		"tasks/t1.yaml":     {Data: []byte(minimalTask)},
		"tasks/sub/t2.yaml": {Data: []byte(minimalTask)},
		"notes.yaml":        {Data: []byte(minimalTask)},
	}
	p := project(t, richProject)
	for _, selector := range []string{"t1", "t1.yaml", "tasks/t1.yaml", ".warden/tasks/t1.yaml", "./.warden/tasks/t1.yaml", `.warden\tasks\t1.yaml`} {
		got, err := LoadTask(fsys, selector, p)
		if err != nil || got.ID != "t1" || got.Path != "tasks/t1.yaml" {
			t.Errorf("LoadTask(%q) = %q at %q, %v", selector, got.ID, got.Path, err)
		}
	}
	if got, err := LoadTask(fsys, "sub/t2", p); err != nil || got.Path != "tasks/sub/t2.yaml" {
		t.Errorf("LoadTask(sub/t2) at %q, %v", got.Path, err)
	}
	for _, selector := range []string{"t2", "", ".", "..", "../tasks/t1", "/etc/passwd", "notes.yaml", ".warden/notes.yaml", "tasks", "tasks/../notes.yaml", "a\x00b"} {
		_, err := LoadTask(fsys, selector, p)
		var missing *TaskNotFoundError
		if !errors.As(err, &missing) {
			t.Errorf("LoadTask(%q): got %v, want a TaskNotFoundError", selector, err)
		}
	}
	_, err := LoadTask(fsys, "t3", p)
	if want := `find task "t3": no such task (did you mean "t1"?)`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestReproduceIsNoBaseline(t *testing.T) {
	t.Parallel()
	p := project(t, richProject+"defaults: {baseline_checks: health}\n")
	_, err := ParseTask("t", []byte(minimalTask+"reproduce: [health, go test ./...]\n"), p)
	const want = `t:5: reproduce[1]: the command "./health" must be green before anyone writes, and red to reproduce (take it out of one of the two)`
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("CI-11: got %v, want %s", err, want)
	}
	task, err := ParseTask("t", []byte(minimalTask+"reproduce: [go test ./...]\n"), p)
	if err != nil || !cmp.Equal(task.Reproduce, []string{"go test ./..."}) {
		t.Errorf("CI-11: %q, %v", task.Reproduce, err)
	}
}
