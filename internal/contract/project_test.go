package contract

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tolboy/warden/internal/strict"
)

const minimalProject = "version: 1\nproject: shop\nchecks:\n  fast: [go test ./...]\n"

func project(t *testing.T, text string) Project {
	t.Helper()
	p, err := ParseProject(".warden/project.yaml", []byte(text))
	if err != nil {
		t.Fatalf("parse project: %v", err)
	}
	return p
}

func TestProjectDefaults(t *testing.T) {
	t.Parallel()
	want := Project{
		Name: "shop", BaseRef: "origin/main",
		CheckSets: []CheckSet{{"fast", []string{"go test ./..."}}},
		Defaults:  Defaults{Checks: "fast", Risk: "medium", MaxFixAttempts: 2, Timeout: 30 * time.Minute},
		Forge: ForgeKeys{Label: "warden", BranchPrefix: "warden/", Decide: Decide{Permission: "write", SelfAccept: true, Approvals: 1},
			Publish: Publish{Screenshots: true}},
	}
	if diff := cmp.Diff(want, project(t, minimalProject)); diff != "" {
		t.Errorf("project (-want +got):\n%s", diff)
	}
}

func TestProjectFaults(t *testing.T) {
	t.Parallel()
	const m = minimalProject
	tests := []struct {
		name, in string
		want     []string
	}{
		{"empty", "", []string{
			"p:1: version: the key is missing (the version of this file, 1)",
			"p:1: project: the key is missing (the name of the project)",
			"p:1: checks: the key is missing (named lists of check commands, at least one; a list may be empty)"}},
		{"CF-18_version_2", strings.Replace(m, "version: 1", "version: 2", 1), []string{"p:1: version: 2 is out of range (write 1)"}},
		{"CF-12a_no_checks_block", "version: 1\nproject: x\n", []string{"p:1: checks: the key is missing (named lists of check commands, at least one; a list may be empty)"}},
		{"CF-12a_empty_checks_block", "version: 1\nproject: x\nchecks: {}\n", []string{"p:3: checks: nothing is declared here"}},
		{"CF-12d_empty_baseline", m + "  none: []\ndefaults:\n  baseline_checks: none\n", []string{
			`p:7: defaults.baseline_checks: the set "none" is empty: nothing would be checked (name a set that has a command, or remove the key)`}},
		{"unknown_baseline", m + "defaults: {baseline_checks: fsat}\n", []string{`p:5: defaults.baseline_checks: no set of checks is named "fsat" (did you mean "fast"?)`}},
		{"unknown_default_checks", m + "defaults: {checks: slow}\n", []string{`p:5: defaults.checks: no set of checks is named "slow" (allowed: fast)`}},
		{"CF-08_land_note", m + "land: {note: x}\n", []string{`p:5: land.note: unknown key "note" (allowed: remote, base, pull_request)`}},
		{"CF-11_dot", m + "scopes:\n  all: [.]\n", []string{`p:6: scopes.all[1]: the path is the whole repository (write ["<repository>"] if every path may change)`}},
		{"CF-11_star", m + "scopes:\n  all: [\"*\"]\n", []string{`p:6: scopes.all[1]: the path is a pattern (name the directory itself: it admits all that is below it)`}},
		{"CF-11_up", m + "scopes:\n  all: [../../etc]\n", []string{`p:6: scopes.all[1]: the path has an empty, . or .. part (write it without detours, relative to the repository)`}},
		{"CF-11_up_backslash", m + "scopes:\n  all: ['src\\..\\..\\etc']\n", []string{`p:6: scopes.all[1]: the path has an empty, . or .. part (write it without detours, relative to the repository)`}},
		{"CF-11_absolute", m + "scopes:\n  all: [/etc]\n", []string{`p:6: scopes.all[1]: the path is absolute (write it relative to the repository)`}},
		{"CF-11_drive", m + "scopes:\n  all: ['C:\\x']\n", []string{`p:6: scopes.all[1]: the path is absolute (write it relative to the repository)`}},
		{"CF-11_slash_only", m + "scopes:\n  all: [/]\n", []string{`p:6: scopes.all[1]: the path is absolute (write it relative to the repository)`}},
		{"CF-11_inner_empty", m + "scopes:\n  all: [a//b]\n", []string{`p:6: scopes.all[1]: the path has an empty, . or .. part (write it without detours, relative to the repository)`}},
		{"CF-11_reserved", m + "scopes:\n  all: [.warden/tasks, .GIT]\n", []string{
			`p:6: scopes.all[1]: no task may change what is under .warden or .git (remove the entry)`,
			`p:6: scopes.all[2]: no task may change what is under .warden or .git (remove the entry)`}},
		{"CF-11_token_mixed", m + "scopes:\n  all:\n    - src\n    - <repository>\n", []string{
			`p:8: scopes.all[2]: <repository> stands beside other entries (it means every path: make it the only entry, or remove it)`}},
		{"CF-11_base_ref_up", m + "base_ref: a/../b\n", []string{`p:5: base_ref: not a safe revision name (a branch such as origin/main, or a commit id)`}},
		{"CF-11_base_ref_option", m + "base_ref: --upload-pack=x\n", []string{`p:5: base_ref: not a safe revision name (a branch such as origin/main, or a commit id)`}},
		{"CF-11_base_ref_slashes", m + "base_ref: a//b\n", []string{`p:5: base_ref: not a safe revision name (a branch such as origin/main, or a commit id)`}},
		{"empty_scope", m + "scopes: {a: []}\n", []string{`p:5: scopes.a: the list is empty`}},
		{"scope_named_repository", m + "scopes: {<repository>: [a]}\n", []string{`p:5: scopes.<repository>: <repository> is a reserved word (give the set another name)`}},
		{"bare_command", "version: 1\nproject: x\nchecks: {fast: go test}\n", []string{`p:3: checks.fast: expected a list, found text "go test" (write a list: [go test])`}},
		{"true_as_command", "version: 1\nproject: x\nchecks: {fast: [true]}\n", []string{`p:3: checks.fast[1]: expected text, found true (if it is text, put it in quotes: "true")`}},
		{"two_line_command", "version: 1\nproject: x\nchecks:\n  fast:\n    - |\n      a\n      b\n", []string{
			`p:5: checks.fast[1]: the text has more than one line (a command is one line; put more into a script and call it)`}},
		{"control_in_command", m + "setup: [\"a\\e[31m\"]\n", []string{`p:5: setup[1]: the text holds a control character (a command is one line; put more into a script and call it)`}},
		{"long_command", m + "setup: [" + strings.Repeat("я", 2001) + "]\n", []string{
			`p:5: setup[1]: the text has 2001 characters, the limit is 2000 (a command is one line; put more into a script and call it)`}},
		{"ranges", m + "defaults: {max_fix_attempts: 11, timeout_minutes: 0, risk: hi}\n", []string{
			`p:5: defaults.max_fix_attempts: 11 is out of range (0 to 10)`,
			`p:5: defaults.timeout_minutes: 0 is out of range (1 to 240)`,
			`p:5: defaults.risk: unknown word "hi" (allowed: low, medium, high)`}},
		{"land", m + "land: {remote: --x, base: '-b', pull_request: [gh, '{{titel}}']}\n", []string{
			`p:5: land.remote: not the name of a remote (a name such as origin)`,
			`p:5: land.base: not a safe revision name (a branch such as origin/main, or a commit id)`,
			`p:5: land.pull_request[2]: unknown placeholder {{titel}} (did you mean "title"?)`}},
		{"forge_scope", m + "forge: {scope: nope}\n", []string{`p:5: forge.scope: no scope is named "nope"`}},
		{"forge_permission", m + "forge: {decide: {permission: read}}\n", []string{`p:5: forge.decide.permission: unknown word "read" (allowed: triage, write, maintain, admin)`}},
		{"forge_prefix", m + "forge: {branch_prefix: main}\n", []string{`p:5: forge.branch_prefix: not a branch prefix (a beginning of branch names that ends in / or -, such as warden/)`}},
		{"forge_prefix_ref", m + "forge: {branch_prefix: refs/heads/}\n", []string{`p:5: forge.branch_prefix: not a branch prefix (a beginning of branch names that ends in / or -, such as warden/)`}},
		{"forge_prefix_lock", m + "forge: {branch_prefix: a.lock/}\n", []string{`p:5: forge.branch_prefix: not a branch prefix (a beginning of branch names that ends in / or -, such as warden/)`}},
		{"forge_label", m + "forge: {label: 'a,b'}\n", []string{`p:5: forge.label: not a label (no comma, and no space at either end)`}},
		{"forge_approvals", m + "forge: {decide: {approvals: 0, self_acept: true}}\n", []string{
			`p:5: forge.decide.approvals: 0 is out of range (1 to 10)`,
			`p:5: forge.decide.self_acept: unknown key "self_acept" (did you mean "self_accept"?)`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := ParseProject("p", []byte(tt.in))
			wantFaults(t, err, tt.want)
		})
	}
}

func wantFaults(t *testing.T, err error, want []string) {
	t.Helper()
	var faults strict.Faults
	if !errors.As(err, &faults) {
		t.Fatalf("got %v, want faults", err)
	}
	if diff := cmp.Diff(strings.Join(want, "\n"), faults.Error()); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}

func TestLoadProjectReadErrors(t *testing.T) {
	t.Parallel()
	_, err := LoadProject(fstest.MapFS{})
	if !errors.Is(err, fs.ErrNotExist) || !strings.HasPrefix(err.Error(), "read .warden/project.yaml: ") {
		t.Errorf("no file: got %v", err)
	}
	_, err = LoadProject(fstest.MapFS{"project.yaml": {Data: []byte("project.real"), Mode: fs.ModeSymlink}, "project.real": {Data: []byte(minimalProject)}})
	if err == nil || !strings.Contains(err.Error(), "symbolic link") {
		t.Errorf("link: got %v", err)
	}
	_, err = LoadProject(fstest.MapFS{"project.yaml": {Data: []byte(strings.Repeat("#", strict.MaxYAMLBytes+2))}})
	if err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("too large: got %v", err)
	}
	_, err = LoadProject(fstest.MapFS{"project.yaml": {Data: []byte("version: 3\n" + strings.TrimPrefix(minimalProject, "version: 1\n"))}})
	wantFaults(t, err, []string{".warden/project.yaml:1: version: 3 is out of range (write 1)"})
}

func TestDefaultScope(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		minimalProject: "",
		minimalProject + "scopes: {code: [src]}\n":                                        "code",
		minimalProject + "scopes: {code: [src], docs: [docs]}\n":                          "",
		minimalProject + "scopes: {code: [src], docs: [docs]}\nforge: {scope: docs}\n":    "docs",
		minimalProject + "scopes: {code: [./src/, 'src', 'a\\b']}\nforge: {label: x y}\n": "code",
	} {
		if got := project(t, in).DefaultScope(); got != want {
			t.Errorf("%s: default scope %q, want %q", in, got, want)
		}
	}
	paths, _ := project(t, minimalProject+"scopes: {code: [./src/, src, 'a\\b', ././c]}\n").ScopePaths("code")
	if diff := cmp.Diff([]string{"src", "a/b", "c"}, paths); diff != "" {
		t.Errorf("paths (-want +got):\n%s", diff)
	}
}
