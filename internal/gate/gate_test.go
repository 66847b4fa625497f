package gate_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tolboy/warden/internal/gate"
	"github.com/tolboy/warden/internal/git"
	"github.com/tolboy/warden/internal/outcome"
)

func TestRun(t *testing.T) {
	t.Parallel()
	t.Run("green", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, contracted...)
		b.write("src/a.txt", "changed\n")
		req := b.request("echo one; echo two >&2", "test -f src/a.txt")
		var started []string
		req.Started = func(i, n int, command string) { started = append(started, command) }
		r := gates(t, req)
		if !r.OK || r.Code != outcome.Passed || r.Message != "" {
			t.Fatalf("verdict %+v", r.Verdict)
		}
		if c := r.Commands[0]; c.Stdout != "one\n" || c.Stderr != "two\n" || c.ExitCode != 0 || c.Index != 1 {
			t.Errorf("first command %+v", c)
		}
		if !slices.Equal(r.ChangedPaths, []string{"src/a.txt"}) || r.CandidateFingerprint == "" || r.CandidateFingerprint != r.After.Source {
			t.Errorf("changed %q, fingerprint %q", r.ChangedPaths, r.CandidateFingerprint)
		}
		if looks := req.Judge.(*counting).looks; looks != 3 {
			t.Errorf("looked at the tree %d times for 2 commands, want 3: once a boundary", looks)
		}
		if !slices.Equal(started, req.Task.Acceptance) {
			t.Errorf("told of %q", started)
		}
	})
	t.Run("red ends the run", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, contracted...)
		r := gates(t, b.request("true", "exit 3", "touch src/reached"))
		if r.OK || r.Code != outcome.CommandFailed || len(r.Commands) != 2 || r.Commands[1].ExitCode != 3 || !r.Fixable() {
			t.Errorf("verdict %+v after %d commands", r.Verdict, len(r.Commands))
		}
		if _, err := os.Stat(filepath.Join(b.dir, "src/reached")); err == nil {
			t.Error("the command after the red one ran")
		}
	})
	t.Run("CI-01_a command rewrites the commands after it", func(t *testing.T) {
		t.Parallel()
		for name, command := range map[string]string{
			"the task file":        "echo '# weaker' >> .warden/tasks/t1.yaml",
			"and puts the time":    "cp -p .warden/tasks/t1.yaml /tmp/x.$$; echo '# x' >> .warden/tasks/t1.yaml; touch -r /tmp/x.$$ .warden/tasks/t1.yaml; rm /tmp/x.$$",
			"a new file":           "touch .warden/tasks/t2.yaml",
			"removed":              "rm .warden/project.yaml",
			"a link in its place":  "cp -r .warden /tmp/w.$$; rm -r .warden; ln -s /tmp/w.$$ .warden",
			"a pipe in its place":  "rm .warden/tasks/t1.yaml; mkfifo .warden/tasks/t1.yaml",
			"a file made a link":   "mv .warden/tasks/t1.yaml src/t1.yaml; ln -s ../../src/t1.yaml .warden/tasks/t1.yaml",
			"a directory unlinked": "mv .warden/tasks src/tasks; ln -s ../src/tasks .warden/tasks",
			"and fails":            "rm -r .warden; exit 1",
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				b := newBench(t, contracted...)
				r := gates(t, b.request(command, "touch src/reached"))
				if r.OK || r.Code != outcome.ContractMutated || len(r.Commands) != 1 || len(r.ConfigurationChanged) == 0 || r.Fixable() {
					t.Errorf("verdict %+v after %d commands, changed %q", r.Verdict, len(r.Commands), r.ConfigurationChanged)
				}
			})
		}
	})
	t.Run("CI-03_a sibling contract edited between two stages", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, append([]string{".warden/tasks/t2.yaml", "version: 1\n"}, contracted...)...)
		req := b.request("touch src/reached")
		b.write(".warden/tasks/t2.yaml", "version: 2\n")
		r := gates(t, req)
		if r.Code != outcome.ContractMutated || !slices.Equal(r.ConfigurationChanged, []string{"tasks/t2.yaml modified"}) || len(r.Commands) != 0 {
			t.Errorf("verdict %+v, changed %q, %d commands", r.Verdict, r.ConfigurationChanged, len(r.Commands))
		}
	})
	t.Run("CI-05_an uncommitted contract tree is no violation", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, "src/a.txt", "a\n")
		b.write(contracted...)
		b.write(".warden/tasks/t2.yaml", "version: 1\n", ".warden/runs/r/evidence.jsonl", "{}\n")
		if b.run("ls-files", ".warden") != "" {
			t.Fatal(".warden is tracked, so this case proves nothing")
		}
		b.run("rm", "--cached", "--quiet", "--ignore-unmatch", "other.txt")
		if err := os.Remove(filepath.Join(b.dir, "other.txt")); err != nil {
			t.Fatal(err)
		}
		r := gates(t, b.request("echo x >> .warden/runs/r/evidence.jsonl"))
		if !r.OK || len(r.ChangedPaths) != 0 {
			t.Errorf("verdict %+v, changed %q", r.Verdict, r.ChangedPaths)
		}
	})
	t.Run("CI-10_the baseline stays in what decides", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, contracted...)
		req := b.request("test -f src/a.txt", "true") // baseline first, then the task's own check
		req.Task.Baseline = []string{"test -f src/a.txt"}
		if err := os.Remove(filepath.Join(b.dir, "src/a.txt")); err != nil {
			t.Fatal(err)
		}
		r := gates(t, req)
		if r.Code != outcome.CommandFailed || r.Commands[0].Command != "test -f src/a.txt" {
			t.Errorf("verdict %+v", r.Verdict)
		}
	})
	t.Run("a secret of the caller reaches no command", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, contracted...)
		req := b.request("env")
		req.Env = append(req.Env, "GITHUB_TOKEN=ghs_secret", "GITHUB_OUTPUT=/o", "ACTIONS_RUNTIME_TOKEN=t")
		r := gates(t, req)
		if out := r.Commands[0].Stdout; !strings.Contains(out, "PATH=") || strings.Contains(out, "GITHUB") || strings.Contains(out, "ACTIONS") {
			t.Errorf("environment is %s", out)
		}
	})
	t.Run("a program of the caller's PATH", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, contracted...)
		tools := t.TempDir()
		if err := os.WriteFile(filepath.Join(tools, "only-here"), []byte("#!/bin/sh\necho found\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		req := b.request("only-here; echo \"$# $PATH\"")
		path := tools + ":" + os.Getenv("PATH")
		req.Env = []string{"PATH=" + path}
		r := gates(t, req)
		if out := r.Commands[0].Stdout; !strings.HasPrefix(out, "found\n0 "+path+":") {
			t.Errorf("printed %q", out)
		}
	})
	t.Run("every key of a gate report", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, contracted...)
		text, err := json.Marshal(gates(t, b.request("true")))
		if err != nil {
			t.Fatal(err)
		}
		var keys map[string]any
		if err := json.Unmarshal(text, &keys); err != nil {
			t.Fatal(err)
		}
		for _, key := range strings.Fields("schema_version task_id project contract_sha256 base_ref merge_base scope_paths changed_paths violations commands worktree_fingerprint does_not_cover phase ok code finished_at") {
			if v, ok := keys[key]; !ok || v == nil {
				t.Errorf("key %q is missing or null in %s", key, text)
			}
		}
	})
}

func TestRunScope(t *testing.T) {
	t.Parallel()
	t.Run("GF-08_from the merge base, committed changes too", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, contracted...)
		b.write("src/a.txt", "committed\n")
		b.commit("work")
		b.run("checkout", "--quiet", "main")
		b.write("upstream.txt", "u\n")
		b.commit("upstream")
		b.run("checkout", "--quiet", "work")
		base, v, err := gate.PinBase(t.Context(), b.git, b.dir, "main")
		if err != nil || !v.OK || base.Commit == base.MergeBase {
			t.Fatalf("base %+v, verdict %+v, %v", base, v, err)
		}
		b.base = base.MergeBase
		if r := gates(t, b.request("true")); !r.OK || !slices.Equal(r.ChangedPaths, []string{"src/a.txt"}) {
			t.Errorf("verdict %+v, changed %q", r.Verdict, r.ChangedPaths)
		}
		b.write("other.txt", "committed outside\n")
		b.commit("outside")
		r := gates(t, b.request("true"))
		want := []gate.Violation{{Path: "other.txt", Why: "outside the scope"}}
		if r.Code != outcome.BlastRadiusBeforeCommand || !cmp.Equal(r.Violations, want) || !r.Fixable() || len(r.Commands) != 0 {
			t.Errorf("verdict %+v, violations %v", r.Verdict, r.Violations)
		}
	})
	t.Run("after a command", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, contracted...)
		r := gates(t, b.request("true", "echo x > other.txt", "true"))
		if r.Code != outcome.BlastRadiusAfterCommand || len(r.Commands) != 2 || !strings.Contains(r.Message, "command 2 of 3") || !strings.Contains(r.Message, "other.txt") {
			t.Errorf("verdict %+v after %d commands", r.Verdict, len(r.Commands))
		}
	})
	t.Run("GF-09_a scope is no string prefix", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, contracted...)
		b.write("src/value.txt", "x\n")
		req := b.request("true")
		req.Task.Scope = []string{"sr"}
		if r := gates(t, req); r.Code != outcome.BlastRadiusBeforeCommand {
			t.Errorf("scope sr: %+v", r.Verdict)
		}
		req.Task.Scope = []string{"src"}
		if r := gates(t, req); !r.OK {
			t.Errorf("scope src: %+v", r.Verdict)
		}
	})
	t.Run("what the judge refuses", func(t *testing.T) {
		t.Parallel()
		tree := git.Snapshot{
			Changes: []git.Change{{Path: "src/nested"}, {Path: "a.txt"}},
			Refused: []git.Refusal{{Path: "src/nested", Why: "a nested repository"}},
		}
		want := []gate.Violation{{Path: "a.txt", Why: "outside the scope"}, {Path: "src/nested", Why: "a nested repository"}}
		if diff := cmp.Diff(want, gate.Outside(task(), tree)); diff != "" {
			t.Errorf("violations (-want +got):\n%s", diff)
		}
	})
}

func TestOutsideProtected(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		scope string
		path  string
		held  bool // out of scope
	}{
		{"<repository>", "src/a", false},
		{"<repository>", ".github/workflows/ci.yml", true},
		{"<repository>", ".github/actions/x/action.yml", true},
		{"<repository>", ".github/warden/policy.yaml", true},
		{"<repository>", ".gitlab-ci.yml", true},
		{"<repository>", "CODEOWNERS", true},
		{"<repository>", "docs/CODEOWNERS", true},
		{"<repository>", ".GitHub/Workflows/ci.yml", true},
		{"<repository>", ".github/workflows-notes.md", false},
		{".github", ".github/workflows/ci.yml", true},
		{".github", ".github/dependabot.yml", false},
		{".github/workflows", ".github/workflows/ci.yml", false},
		{".github/workflows/ci.yml", ".github/workflows/ci.yml", false},
		{".github/workflows/ci.yml", ".github/workflows/other.yml", true},
		{"CODEOWNERS", "CODEOWNERS", false},
		{"src", "docs/a", true},
	} {
		task := task()
		task.Scope = []string{c.scope}
		got := gate.Outside(task, git.Snapshot{Changes: []git.Change{{Path: c.path}}})
		if held := len(got) > 0; held != c.held {
			t.Errorf("peer-13: with scope %s, %s is held back: %v, want %v (%v)", c.scope, c.path, held, c.held, got)
		}
	}
}

func TestPeer13(t *testing.T) {
	t.Parallel()
	b := newBench(t, contracted...)
	b.write("src/a.txt", "x\n", ".github/workflows/ci.yml", "on: push\n")
	r := gates(t, b.request("true"))
	if r.OK || !r.Fixable() || !strings.Contains(r.Message, ".github/workflows/ci.yml") {
		t.Errorf("peer-13: out of scope: %+v", r.Verdict)
	}
	req := b.request("true")
	req.Task.Scope = []string{"src", ".github/workflows"}
	r = gates(t, req)
	if !r.OK || !slices.Equal(r.UnpublishablePaths, []string{".github/workflows/ci.yml"}) {
		t.Errorf("peer-13: in scope: %+v, unpublishable %q", r.Verdict, r.UnpublishablePaths)
	}
}

func TestRunBaseline(t *testing.T) {
	t.Parallel()
	b := newBench(t, contracted...)
	baseline := func(commands ...string) gate.Request {
		req := b.request("exit 9")
		req.Task.Baseline, req.Phase = commands, gate.Baseline
		return req
	}
	if r := gates(t, baseline("true")); !r.OK || r.Phase != "baseline" || len(r.Commands) != 1 {
		t.Errorf("CI-09: green: %+v", r.Verdict)
	}
	if r := gates(t, baseline("false")); r.Code != outcome.CommandFailed || r.Phase != "baseline" {
		t.Errorf("CI-09: red: %+v in phase %q", r.Verdict, r.Phase)
	}
	r := gates(t, baseline("true", "echo generated > src/gen.txt", "true"))
	if r.Code != outcome.BaselineMutatedSource || r.Fixable() || !slices.Equal(r.SourceChanged, []string{"src/gen.txt"}) || !strings.Contains(r.Message, "command 2 of 3") {
		t.Errorf("CI-09: mutated: %+v, changed %q", r.Verdict, r.SourceChanged)
	}
	if r, err := gate.Run(t.Context(), baseline()); err == nil || r.Code != outcome.GateInternalError || r.FinishedAt.IsZero() {
		t.Errorf("a baseline without commands: %+v, %v", r.Verdict, err)
	}
}

// CI-11: what should show a fault is red on the unchanged tree, for a reason of its
// own, or nobody is paid.
func TestRunReproduction(t *testing.T) {
	t.Parallel()
	b := newBench(t, contracted...)
	for _, tt := range []struct {
		name     string
		commands []string
		ok       bool
		code     outcome.Code
		ran      int
	}{
		{"CI-11 red as it should be", []string{"false", "exit 3"}, true, outcome.Reproduced, 2},
		{"CI-11 one of them is green", []string{"false", "true", "false"}, false, outcome.ReproductionPassed, 2},
		{"CI-11 a program that is not there", []string{"no-such-program-here"}, false, outcome.ReproductionInconclusive, 1},
		{"CI-11 a file that cannot be started", []string{"./src"}, false, outcome.ReproductionInconclusive, 1},
		{"CI-11 ended by a signal", []string{"kill -9 $$"}, false, outcome.ReproductionInconclusive, 1},
		{"CI-11 it changes the source", []string{"echo x > src/gen.txt; false"}, false, outcome.ReproductionInconclusive, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			req := b.request("exit 9")
			req.Task.Reproduce, req.Phase = tt.commands, gate.Reproduction
			r := gates(t, req)
			if r.OK != tt.ok || r.Code != tt.code || len(r.Commands) != tt.ran || r.Phase != "reproduction" || r.Fixable() {
				t.Errorf("%+v after %d commands in phase %q", r.Verdict, len(r.Commands), r.Phase)
			}
		})
	}
	req := b.request("true")
	req.Task.Reproduce, req.Phase, req.Limit = []string{"tail -f /dev/null"}, gate.Reproduction, 50*time.Millisecond
	if r := gates(t, req); r.Code != outcome.ReproductionInconclusive || !r.Commands[0].TimedOut {
		t.Errorf("CI-11 no end: %+v", r.Verdict)
	}
}

func TestRunTime(t *testing.T) {
	t.Parallel()
	t.Run("BU-16_names the command that ate the shared limit", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, contracted...)
		req := b.request("true", "sleep 100 & sleep 100", "touch src/reached")
		req.Limit = 4 * time.Second
		r := gates(t, req)
		if r.Code != outcome.CommandTimeout || len(r.Commands) != 2 || !r.Commands[1].TimedOut {
			t.Fatalf("verdict %+v after %d commands", r.Verdict, len(r.Commands))
		}
		for _, want := range []string{`command 2 of 3 ("sleep 100 & sleep 100")`, "4s that all commands of a gate run share", "most of it", "timeout_minutes"} {
			if !strings.Contains(r.Message, want) {
				t.Errorf("message %q has no %q", r.Message, want)
			}
		}
	})
	t.Run("BU-16_no time left", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, contracted...)
		req := b.request("true", "true")
		req.Limit = time.Nanosecond
		r, err := gate.Run(t.Context(), req)
		if err != nil || r.OK || r.Code != outcome.CommandTimeout && r.Code != outcome.GateTimeout || !strings.Contains(r.Message, "share") {
			t.Errorf("verdict %+v, %v", r.Verdict, err)
		}
	})
	t.Run("cancelled", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, contracted...)
		ctx, cancel := context.WithCancel(t.Context())
		req := b.request("sleep 100")
		req.Started = func(int, int, string) { cancel() }
		r, err := gate.Run(ctx, req)
		if !errors.Is(err, context.Canceled) || r.Code != outcome.GateInterrupted || r.OK || r.Fixable() || r.FinishedAt.IsZero() {
			t.Errorf("verdict %+v, error %v", r.Verdict, err)
		}
	})
	t.Run("a judge that cannot look", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, contracted...)
		req := b.request("true")
		req.Judge = blind{}
		r, err := gate.Run(t.Context(), req)
		if err == nil || r.OK || r.Code != outcome.GateInternalError {
			t.Errorf("verdict %+v, error %v", r.Verdict, err)
		}
	})
}

type blind struct{}

func (blind) Snapshot(context.Context) (git.Snapshot, error) {
	return git.Snapshot{}, errors.New("git does not answer")
}
