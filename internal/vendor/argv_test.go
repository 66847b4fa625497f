package vendor

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/policy"
	"github.com/tolboy/warden/internal/proc"
	"github.com/tolboy/warden/internal/sandbox"
)

func TestPreview(t *testing.T) {
	t.Parallel()
	p := stubProfile()
	p.PromptDelivery, p.Model, p.Effort = "argv", "m-1", "high"
	p.Args = []string{"-p", "{{prompt}}", "-m", "{{ model }}", "--effort={{effort}}", "--schema", "{{schema_json}}", "{{schema_file}}", "{{prompt_file}}", "{{repo_root}}", "{{run_id}}/{{task_id}}"}
	c := Call{Profile: p, Env: program(t, "stub"), Prompt: []byte("secret plan {{model}}"), PromptFile: "/p.md", Values: map[string]string{
		"schema_json": `{"a":1}`, "schema_file": "/s.json", "repo_root": "/r", "run_id": "run", "task_id": "t1",
	}}
	got, err := New().Preview(c)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"stub", "-p", "<prompt>", "-m", "m-1", "--effort=high", "--schema", `{"a":1}`, "/s.json", "/p.md", "/r", "run/t1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	prep, err := prepare(c)
	if err != nil {
		t.Fatal(err)
	}
	if got := prep.command.run[2]; got != "secret plan {{model}}" {
		t.Errorf("the prompt was looked at again: %q", got)
	}
}

func TestPreviewRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]Call{
		"unknown placeholder":            {Profile: profileWith("stdin", "{{modle}}")},
		"placeholder without a value":    {Profile: profileWith("stdin", "{{run_id}}")},
		"prompt that reaches nobody":     {Profile: profileWith("argv", "--fast")},
		"prompt larger than an argument": {Profile: profileWith("argv", "{{prompt}}"), Prompt: []byte(strings.Repeat("x", 200<<10))},
		"zero byte":                      {Profile: profileWith("argv", "{{prompt}}"), Prompt: []byte("a\x00b")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if argv, err := New().Preview(c); err == nil {
				t.Errorf("got %q", argv)
			}
			got, err := New().Call(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			wantCode(t, got, outcome.RolePromptUndeliverable)
		})
	}
}

// Preview refuses what Call refuses, under the same code: whoever asks before
// paying learns it all.
func TestPreviewFindsTheProgram(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	file := func(dir, name string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("#!/bin/sh\nexit 97\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	batch, exe := file(t.TempDir(), "stub.cmd"), file(t.TempDir(), "stub.exe")
	file(root, "opencode.json")
	open := profileWith("stdin")
	open.Vendor = "opencode"
	home, large := t.TempDir(), profileWith("stdin")
	large.HomeShare = []string{"login"}
	if err := os.WriteFile(filepath.Join(home, "login"), make([]byte, maxLogin+1), 0o600); err != nil {
		t.Fatal(err)
	}
	several, single := []byte("one\ntwo"), []byte("one line")
	for name, c := range map[string]struct {
		call Call
		goos string
		path string // "" looks on PATH
		code outcome.Code
		says string
	}{
		"PR-05_batch_file":            {Call{Profile: profileWith("argv", "-p", "{{prompt}}"), Prompt: several}, "windows", batch, outcome.RolePromptUndeliverable, `argument 2 ("one`},
		"PR-05_one_line":              {Call{Profile: profileWith("argv", "-p", "{{prompt}}"), Prompt: single}, "windows", batch, outcome.OK, ""},
		"PR-05_program":               {Call{Profile: profileWith("argv", "-p", "{{prompt}}"), Prompt: several}, "windows", exe, outcome.OK, ""},
		"PR-05_elsewhere":             {Call{Profile: profileWith("argv", "-p", "{{prompt}}"), Prompt: several}, "linux", batch, outcome.OK, ""},
		"PR-16_nothing_on_path":       {Call{Profile: profileWith("stdin")}, "linux", "", outcome.RoleCommandFailed, "stub"},
		"program_of_the_candidate":    {Call{Profile: profileWith("stdin")}, "linux", file(root, "stub"), outcome.RoleCommandFailed, "tree under work"},
		"code_of_the_candidate":       {Call{Profile: open}, "linux", exe, outcome.Unconfined, "opencode.json"},
		"login_that_cannot_be_shared": {Call{Profile: large, Sandbox: &sandbox.Spec{}, HomeDir: home}, "linux", exe, outcome.RoleCommandFailed, `share "login"`},
		"login_that_is_not_shared":    {Call{Profile: large, HomeDir: home}, "linux", exe, outcome.OK, ""},
		"code_of_the_candidate_out":   {Call{Profile: open, Sandbox: &sandbox.Spec{}}, "linux", exe, outcome.OK, ""},
		"code_under_landlock":         {Call{Profile: open, Sandbox: &sandbox.Spec{Backend: sandbox.Landlock}}, "linux", exe, outcome.Unconfined, "without bubblewrap"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := New()
			r.GOOS = c.goos
			if c.path != "" {
				r.Find = func(string, []string, ...string) (string, error) { return c.path, nil }
			}
			c.call.Dir, c.call.Env = root, []string{"PATH=/nowhere"}
			argv, err := r.Preview(c.call)
			var no *Refusal
			switch {
			case c.code == outcome.OK && (err != nil || argv[0] != "stub"):
				t.Errorf("got %q, %v", argv, err)
			case c.code == outcome.OK:
			case !errors.As(err, &no) || no.Code != c.code || !strings.Contains(no.Detail, c.says):
				t.Errorf("got %q, %v; want %s with %s", argv, err, c.code, c.says)
			default:
				r.run = func(context.Context, proc.Command) (proc.Result, error) {
					t.Error("the program was started")
					return proc.Result{}, nil
				}
				got, err := r.Call(t.Context(), c.call)
				if err != nil || got.Detail != no.Detail {
					t.Errorf("the call says %q, %v; the preview %q", got.Detail, err, no.Detail)
				}
				wantCode(t, got, c.code)
			}
		})
	}
}

func TestEnvironmentOfAChild(t *testing.T) {
	t.Parallel()
	p := stubProfile()
	p.APIKeyEnv = []string{"VENDOR_KEY", "UNSET_KEY"}
	p.Env = map[string]string{"RETRIES": "3", "ROOT": "{{repo_root}}"}
	prep, err := prepare(Call{Profile: p, Values: map[string]string{"repo_root": "/r"}, Env: []string{
		"VENDOR_KEY=k1", "OTHER_KEY=k2", "GITHUB_TOKEN=g", "PATH=/usr/bin",
	}})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"VENDOR_KEY": "k1", "RETRIES": "3", "ROOT": "/r"}
	if diff := cmp.Diff(want, prep.extra); diff != "" {
		t.Error(diff)
	}
	for _, name := range []string{"GITHUB_TOKEN", "GH_TOKEN", "GITLAB_TOKEN", "CI_JOB_TOKEN", "ACTIONS_RUNTIME_TOKEN", "SSH_AUTH_SOCK", "GIT_SSH_COMMAND", "LD_PRELOAD", "WARDEN_CONFIG_HOME"} {
		bad := stubProfile()
		bad.APIKeyEnv = []string{name}
		if _, err := prepare(Call{Profile: bad, Env: []string{name + "=x"}}); err == nil {
			t.Errorf("%s was given to a vendor as its key", name)
		}
		bad.APIKeyEnv, bad.Env = nil, map[string]string{name: "x"}
		if _, err := prepare(Call{Profile: bad}); err == nil {
			t.Errorf("%s was given to a vendor as a setting", name)
		}
	}
	bad := stubProfile()
	bad.Env = map[string]string{"P": "{{prompt}}"}
	if _, err := prepare(Call{Profile: bad}); err == nil {
		t.Error("the prompt went into the environment")
	}
}

func TestModelPassed(t *testing.T) {
	t.Parallel()
	p := stubProfile()
	p.Model = "m-1"
	for name, c := range map[string]struct {
		args []string
		env  map[string]string
		want bool
	}{
		"PM-06_by_argument":    {[]string{"-m", "{{model}}"}, nil, true},
		"PM-06_by_environment": {nil, map[string]string{"MODEL": "{{model}}"}, true},
		"PM-06_nowhere":        {[]string{"--fast"}, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := p
			q.Args, q.Env = c.args, c.env
			got := settleReply(t, q, reply{stdout: reviewerAnswer})
			if got.ModelPassed != c.want {
				t.Errorf("model passed %t, want %t: %q", got.ModelPassed, c.want, got.Argv)
			}
		})
	}
}

func TestPlaceholdersAreSorted(t *testing.T) {
	t.Parallel()
	if !slices.IsSorted(Placeholders()) {
		t.Error(Placeholders())
	}
}

func profileWith(delivery string, args ...string) (p policy.Profile) {
	p = stubProfile()
	p.PromptDelivery, p.Args = delivery, args
	return p
}
