package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestUsage holds the exit status, the code and the one line of a command line
// that cannot be carried out.
func TestUsage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		".warden/project.yaml":   "version: 1\nproject: p\nbase_ref: main\nchecks: {fast: [\"true\"]}\nscopes: {code: [a], docs: [b]}\n",
		".warden/tasks/one.yaml": "version: 1\nid: one\ngoal: g\nscope: code\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-qm", "x"}} {
		if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v: %s", args[0], err, out)
		}
	}
	environ := append(os.Environ(), "HOME="+t.TempDir(), "WARDEN_STATE_DIR="+t.TempDir(), "WARDEN_CONFIG_HOME="+filepath.Join(t.TempDir(), "none"), "GITHUB_ACTIONS=")
	for line, c := range map[string]struct{ code, says string }{
		"frobnicate":                                         {"usage", `unknown command "frobnicate" (see warden --help)`},
		"statsu":                                             {"usage", "did you mean status?"},
		"version x":                                          {"usage", `unexpected argument "x"`},
		"run":                                                {"usage", "missing argument TASK"},
		"status a b":                                         {"usage", `unexpected argument "b"`},
		"validate --project DIR onee":                        {"usage", `did you mean "one"?`},
		"validate one --projct x":                            {"usage", "did you mean --project?"},
		"do a b":                                             {"usage", `unexpected argument "b" (put the goal in quotes)`},
		"do --scop code a":                                   {"usage", "unknown flag: --scop (did you mean --scope?)"},
		"do --zzzzzz a":                                      {"usage", "see warden do --help"},
		"do --project DIR --risk hih a":                      {"risk_unknown", "choose low, medium or high"},
		"do --project DIR --scope cod a":                     {"scope_unknown", `did you mean "code"? declared: code, docs`},
		"do --project DIR a":                                 {"scope_required", "name one with --scope: code, docs"},
		"do --project DIR/none a":                            {"project_not_found", "is no directory"},
		"do --project DIR --prepare on a":                    {"usage", "choose off, auto or always"},
		"do --project DIR --isolation x a":                   {"usage", "choose git"},
		"do --project DIR --run-id a/b a":                    {"usage", "run id"},
		"init --project DIR/none":                            {"project_not_found", "is no directory"},
		"demo --keep DIR":                                    {"usage", "is not empty"},
		"report --project DIR ../x":                          {"unsafe_run_id", "run id"},
		"role --project DIR writer one":                      {"usage", `no such role "writer" (allowed: implementer, reviewer, architect`},
		"role --project DIR reviewr one":                     {"usage", `did you mean "reviewer"?`},
		"approve --project DIR r":                            {"usage", "--decision is missing"},
		"verify --project DIR r --rev nothing":               {"usage", "nothing"},
		"verify --project DIR r --against f":                 {"usage", "no whole hash"},
		"verify --project DIR r --candidate f":               {"usage", "no whole hash"},
		"verify --project DIR r --against=":                  {"usage", "--against is given and says nothing"},
		"verify --project DIR r --candidate=":                {"usage", "--candidate is given and says nothing"},
		"verify --project DIR r --repository=":               {"usage", "--repository is given and says nothing"},
		"verify --project DIR r --issue 0":                   {"usage", "--issue is given and says nothing"},
		"verify --project DIR r --runs-dir=":                 {"usage", "--runs-dir is given and says nothing"},
		"verify --project DIR r --rev=":                      {"usage", "--rev is given and says nothing"},
		"approve --decision accept r --expected-updated-at=": {"usage", "--expected-updated-at is given and says nothing"},
		"run --project DIR one --continue=":                  {"usage", "--continue is given and says nothing"},
		"land --project DIR r --push --remote=":              {"usage", "--remote is given and says nothing"},
		"do --project DIR --task-id A a":                     {"usage", "not a task id (lower-case letters"},
		"nope":                                               {"usage", "see warden --help"},
		"help nope":                                          {"usage", `unknown command "nope"`},
		"completion bsh":                                     {"usage", "did you mean bash?"},
		"completion bash x":                                  {"usage", `unexpected argument "x"`},
		"clean x":                                            {"usage", `unexpected argument "x"`},
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			var out, errs bytes.Buffer
			status := run(t.Context(), split(strings.ReplaceAll(line, "DIR", dir)), environ, strings.NewReader(""), &out, &errs)
			var got struct {
				OK      bool
				Code    string
				Message string
			}
			if err := json.Unmarshal(out.Bytes(), &got); err != nil {
				t.Fatalf("stdout is no object: %v: %s", err, &out)
			}
			if status != exitUsage || got.OK || got.Code != c.code {
				t.Errorf("exit status %d, %+v, want %d and %s", status, got, exitUsage, c.code)
			}
			if !strings.Contains(got.Message, c.says) || errs.String() != "warden: "+got.Message+"\n" {
				t.Errorf("message %q, stderr %q, want %q in one line of both", got.Message, &errs, c.says)
			}
		})
	}
}

// A command that only others follow shows them on stderr: stdout is one object.
func TestUsageOfNone(t *testing.T) {
	t.Parallel()
	for line, says := range map[string]string{"": "name a command", "completion": "name a shell"} {
		var out, errs bytes.Buffer
		status := run(t.Context(), split(line), nil, strings.NewReader(""), &out, &errs)
		var got struct{ Code, Message string }
		if err := json.Unmarshal(out.Bytes(), &got); err != nil || status != exitUsage || got.Code != "usage" || got.Message != says {
			t.Errorf("%q: status %d, %v, stdout %s", line, status, err, &out)
		}
		if !strings.Contains(errs.String(), "Available Commands") || !strings.Contains(errs.String(), "warden: "+says+"\n") {
			t.Errorf("%q: stderr %s", line, &errs)
		}
	}
	for _, line := range []string{"help", "help verify", "help completion bash", "completion zsh"} {
		var out, errs bytes.Buffer
		if status := run(t.Context(), split(line), nil, strings.NewReader(""), &out, &errs); status != exitOK || out.Len() == 0 || errs.Len() != 0 {
			t.Errorf("%q: status %d, stderr %s", line, status, &errs)
		}
	}
}
