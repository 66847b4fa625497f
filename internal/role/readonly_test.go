package role

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tolboy/warden/internal/git"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/policy"
	"github.com/tolboy/warden/internal/vendor"
)

// repository makes a repository with one commit and a judge over it.
func repository(t *testing.T) (root, head string, judge *git.Judge) {
	t.Helper()
	root = t.TempDir()
	run := func(args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
			"GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@t", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@t")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	run("init", "-q")
	if err := os.WriteFile(filepath.Join(root, "a.txt"), []byte("one\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	run("add", ".")
	run("commit", "-q", "-m", "first")
	head = run("rev-parse", "HEAD")
	g, err := git.New()
	if err != nil {
		t.Fatal(err)
	}
	judge, err = g.OpenJudge(t.Context(), git.JudgeConfig{Worktree: root, GitDir: filepath.Join(t.TempDir(), "judge.git"), Source: filepath.Join(root, ".git"), Base: head, Head: head})
	if err != nil {
		t.Fatal(err)
	}
	return root, head, judge
}

// stub installs a shell script as the program of a vendor.
func stub(t *testing.T, name, body string) (env []string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\ncat > /dev/null\n"+body+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return []string{"PATH=" + dir + ":/usr/bin:/bin", "HOME=" + dir}
}

// Everything here is real: the repository, its judge, the process, the ledger.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	print := "printf '%s\\n' '" + passReviewer + "'"
	for _, c := range []struct {
		name   string
		before map[string]string // uncommitted changes that were there
		args   []string
		body   string
		code   outcome.Code
	}{
		{"RI-11_untouched_tree_passes", nil, nil, print, outcome.OK},
		{"RI-11_reader_appends", nil, nil, "echo two >> a.txt\n" + print, outcome.RoleViolatedReadOnly},
		{"RI-11_reader_fails_after_writing", nil, nil, "echo two >> a.txt\nexit 1", outcome.RoleViolatedReadOnly},
		{"RI-11_reader_makes_a_file", nil, nil, "touch new\n" + print, outcome.RoleViolatedReadOnly},
		{"RI-11_reader_writes_the_contract", nil, nil, "mkdir -p .warden/tasks && echo x > .warden/tasks/t2.yaml\n" + print, outcome.RoleViolatedReadOnly},
		{"RI-11_reader_makes_a_nested_repository", nil, nil, "git init -q nested\n" + print, outcome.RoleViolatedReadOnly},
		{"RI-12_plan_mode_flag_does_not_hold", nil, []string{"--mode", "plan", "--sandbox"}, "echo two >> a.txt\n" + print, outcome.RoleViolatedReadOnly},
		{"GF-01_dirty_file_gets_another_line", map[string]string{"a.txt": "one\ndirty\n"}, nil, "echo two >> a.txt\n" + print, outcome.RoleViolatedReadOnly},
		{"GF-01_dirty_tree_left_alone", map[string]string{"a.txt": "one\ndirty\n", "b.txt": "b\n"}, nil, print, outcome.OK},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			root, head, judge := repository(t)
			for name, text := range c.before {
				if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			f := newFixture(t)
			f.reviewer()
			runs := t.TempDir()
			run, err := ledger.Create(runs, ledger.RunHead{RunID: "run-1", TaskID: "t1", ReservedAt: time.Now()}, nil)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := run.Close(); err != nil {
					t.Error(err)
				}
			})
			p := profile("rb", "reviewer", "b")
			p.Args = c.args
			f.Home.Profiles["rb"] = p
			f.Judge, f.Vendor, f.Evidence, f.RunsDir, f.Env = judge, vendor.New(), run, runs, stub(t, "b", c.body)
			req := f.req
			req.Root, req.Base, req.Writers, req.Changed = root, head, []string{"a"}, nil
			got, err := f.Dispatch(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			wantCode(t, got, c.code)
			_, statErr := os.Stat(filepath.Join(runs, "run-1--reviewer-0", "artifacts", "reviewer.json"))
			if (statErr == nil) != (c.code == outcome.OK) || (got.Artifact != nil) != (c.code == outcome.OK) {
				t.Errorf("artifact on disk %v, in the result %s", statErr, got.Artifact)
			}
			check := got.Record.ReadOnlyCheck
			if check == nil || check.Matched != (c.code == outcome.OK) || !strings.Contains(check.DoesNotCover, "ignored") {
				t.Errorf("check %+v", check)
			}
			report, err := os.ReadFile(filepath.Join(runs, got.ReportFile.Path))
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(report), "git-ignored paths are not covered") || !json.Valid(report) {
				t.Errorf("report:\n%s", report)
			}
			if _, err := run.Append(ledger.TypeRoleRun, time.Now(), got.Record, got.Files...); err != nil {
				t.Errorf("the ledger does not take the record: %v", err)
			}
		})
	}
}

// A writer is not held to the check, and what it left is in the result.
func TestWriterMayWrite(t *testing.T) {
	t.Parallel()
	root, head, judge := repository(t)
	f := newFixture(t)
	f.Judge, f.Vendor, f.Env = judge, vendor.New(), stub(t, "a", "echo two >> a.txt; printf '%s\\n' '"+doneImplementer+"'")
	req := f.req
	req.Root, req.Base = root, head
	got, err := f.Dispatch(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	wantCode(t, got, outcome.OK)
	if len(got.Before.Changes) != 0 || len(got.After.SourcePaths()) != 1 || got.Record.ReadOnlyCheck != nil {
		t.Errorf("before %v, after %v", got.Before.Changes, got.After.SourcePaths())
	}
}

func TestConfinement(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	reader, writer := profile("rb", "reviewer", "b"), profile("wa", "implementer", "a")
	c := Confinement{Backend: "bubblewrap", HomeDir: "/home/w"}
	for _, p := range []policy.Profile{reader, writer} {
		spec, err := c.spec(p, root)
		if err != nil || spec == nil {
			t.Fatalf("%s: %v, %v", p.Name, spec, err)
		}
		if spec.Writable != !p.ReadOnly || len(spec.Protect) != 2 || spec.Root != root || spec.Home != "/home/w" {
			t.Errorf("%s: %+v", p.Name, spec)
		}
	}
	for name, change := range map[string]func(*Confinement, *policy.Profile){
		"no backend":      func(c *Confinement, _ *policy.Profile) { c.Backend = "none" },
		"profile: none":   func(_ *Confinement, p *policy.Profile) { p.Sandbox = "none" },
		"profile: vendor": func(_ *Confinement, p *policy.Profile) { p.Sandbox = "vendor" },
	} {
		c, p := c, reader
		change(&c, &p)
		if spec, err := c.spec(p, root); err != nil || spec != nil {
			t.Errorf("%s: %v, %v", name, spec, err)
		}
		c.Required = true
		if spec, err := c.spec(p, root); err == nil {
			t.Errorf("%s: a run that requires a sandbox got %v", name, spec)
		}
	}
	c.Backend = "landlock"
	if spec, err := c.spec(writer, root); err != nil || spec == nil || spec.Backend != "landlock" {
		t.Errorf("landlock: %+v, %v", spec, err)
	}
	c.Required = true
	if spec, err := c.spec(writer, root); err == nil {
		t.Errorf("landlock where bubblewrap is required: %+v", spec)
	}
	f := newFixture(t)
	f.Confine.Required = true
	wantCode(t, f.dispatch(t), outcome.Unconfined)
	f.wantCalls(t)
}
