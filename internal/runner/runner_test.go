package runner

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/decision"
	"github.com/tolboy/warden/internal/engine"
	"github.com/tolboy/warden/internal/gate"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/policy"
	"github.com/tolboy/warden/internal/sandbox"
	"github.com/tolboy/warden/internal/vendor"
	"github.com/tolboy/warden/internal/workflow"
)

// put writes a file and the directories above it.
func put(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// ordered is a machine without a sandbox and an order over a fresh repository,
// whose one writer is a real program at the path, with a prompt of the template.
func ordered(t *testing.T, program, template string) (*Machine, Order) {
	t.Helper()
	root, home, runs := t.TempDir(), t.TempDir(), t.TempDir()
	put(t, filepath.Join(root, ".warden", "project.yaml"), "version: 1\nproject: p\nchecks:\n  fast: [\"true\"]\nscopes:\n  code: [a.txt]\n")
	git := func(args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "HOME="+home, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@t", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@t")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "-q")
	git("add", ".")
	git("commit", "-q", "-m", "first")
	head := git("rev-parse", "HEAD")
	fsys, err := gate.OpenContract(root)
	if err != nil {
		t.Fatal(err)
	}
	pinned, err := contract.Take(fsys)
	if err != nil {
		t.Fatal(err)
	}
	if err := fsys.Close(); err != nil {
		t.Fatal(err)
	}
	m, err := NewMachine(t.Context(), []string{"PATH=" + filepath.Dir(program) + ":/usr/bin:/bin", "HOME=" + home}, home, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m.Sandbox = sandbox.Report{Backend: sandbox.None, Reason: "not for this test"}
	run, err := ledger.Create(runs, ledger.RunHead{RunID: "r1", TaskID: "t1", ReservedAt: time.Now()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := run.Close(); err != nil {
			t.Error(err)
		}
	})
	writer := policy.Profile{Name: "writer", Role: "implementer", Vendor: "v", Runner: "direct", Command: filepath.Base(program), PromptDelivery: "stdin",
		WallClock: time.Minute, PromptTemplate: "prompts/implementer.md", Verification: policy.Verification{VerifiedOn: "2026-01-01"}}
	return m, Order{
		Ledger: run, RunsDir: runs, Contract: pinned, Worktree: root, Source: filepath.Join(root, ".git"), Base: head, Head: head,
		Task: contract.Task{ID: "t1", Project: "p", Goal: strings.Repeat("g", 4096), Risk: "low", Scope: []string{"a.txt"}, Acceptance: []string{"true"},
			Authority: contract.Authority{WorkspaceWrite: true}, MaxRoleRuns: 4, MaxFixAttempts: 1, Timeout: time.Minute},
		Home: policy.Home{
			Dir: "/home/w/.warden", Profiles: map[string]policy.Profile{"writer": writer}, Problems: map[string]string{},
			FS: fstest.MapFS{"prompts/implementer.md": {Data: []byte(template)}},
			Policy: policy.Policy{Present: true, Failover: "confirm", Stages: workflow.BuiltIn(), Roles: map[string]policy.Roster{
				"implementer": {Role: "implementer", Profiles: []string{"writer"}, Strategy: "first"},
			}},
		},
	}
}

func (o Order) with(change func(*policy.Profile)) Order {
	p := o.Home.Profiles["writer"]
	change(&p)
	o.Home.Profiles["writer"] = p
	return o
}

func perform(t *testing.T, m *Machine, o Order) ledger.Ending {
	t.Helper()
	end, err := m.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if o.Ledger.Sealed() == "" {
		t.Error("the ledger is not sealed")
	}
	return end
}

// evidence counts the events of a type in the chain on disk.
func evidence(t *testing.T, o Order, kind string) int {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(o.RunsDir, "r1", "evidence.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(data), `"type":"`+kind+`"`)
}

// Everything here is real: the repository, the process, the ledger.
func TestWriterThatDoesNotListen(t *testing.T) {
	t.Parallel()
	t.Run("PR-01 eight megabytes that the child never reads", func(t *testing.T) {
		t.Parallel()
		m, o := ordered(t, put(t, filepath.Join(t.TempDir(), "deaf"), "#!/bin/sh\nexec sleep 300\n"), strings.Repeat("{{goal}}\n", 2048))
		o = o.with(func(p *policy.Profile) { p.WallClock = 300 * time.Millisecond })
		began := time.Now()
		end := perform(t, m, o)
		if took := time.Since(began); took > 60*time.Second {
			t.Errorf("the run took %s", took)
		}
		if end.OK || end.Code != outcome.RoleTimedOut || end.NextAction != engine.HumanEscalation || end.RoleRuns != 1 {
			t.Errorf("ending %+v", end)
		}
		prompt, err := os.Stat(filepath.Join(o.RunsDir, "r1--implementer-0", "prompts", "implementer.md"))
		if err != nil || prompt.Size() < 8<<20 {
			t.Errorf("prompt %v, %v", prompt, err)
		}
		data, err := os.ReadFile(filepath.Join(o.RunsDir, "r1--implementer-0", "role-implementer.json"))
		if err != nil {
			t.Fatal(err)
		}
		var report struct {
			OK    bool         `json:"ok"`
			Code  outcome.Code `json:"code"`
			Calls []struct {
				TimedOut bool `json:"timed_out"`
			} `json:"vendor_attempts"`
		}
		if err := json.Unmarshal(data, &report); err != nil {
			t.Fatal(err)
		}
		if report.OK || report.Code != outcome.RoleTimeout || len(report.Calls) != 1 || !report.Calls[0].TimedOut {
			t.Errorf("report %+v\n%s", report, data)
		}
		state, err := decision.Open(o.Ledger, decision.Question{Kind: decision.Failure, Reason: string(end.Code)}, time.Now())
		if err != nil || state.State != decision.Pending {
			t.Errorf("decision %+v, %v", state, err)
		}
		if evidence(t, o, ledger.TypeVendorCallStarted) != 1 || evidence(t, o, ledger.TypeStopped) != 1 || evidence(t, o, ledger.TypeFixRound) != 0 {
			t.Error("the chain does not hold one call, one ending and no repair")
		}
	})
}

// What a batch file would cut is refused before the call is counted, by the file
// that was found for the profile's word.
func TestBatchFileIsRefusedUnpaid(t *testing.T) {
	t.Parallel()
	const answer = `{"role":"implementer","task_id":"t1","status":"completed","summary":"did it","files_changed":["a.txt"]}`
	for _, c := range []struct {
		name, file, template string
		calls                int
	}{
		{"PR-05 several lines to a batch file", "vendor.cmd", "Task {{task_id}}\nGoal: {{goal}}\n", 0},
		{"PR-05 one line to a batch file", "vendor.cmd", "Task {{task_id}}", 1},
		{"PR-05 several lines to a program", "vendor.exe", "Task {{task_id}}\nGoal: {{goal}}\n", 1},
		{"PR-07 quotes to a batch file", "vendor.cmd", `say "{{task_id}} and"`, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			file := put(t, filepath.Join(t.TempDir(), c.file), "#!/bin/sh\necho new > a.txt\nprintf '%s\\n' '"+answer+"'\n")
			m, o := ordered(t, file, c.template)
			o = o.with(func(p *policy.Profile) {
				p.Command, p.PromptDelivery, p.Args = "vendor", "argv", []string{"-p", "{{prompt}}"}
			})
			v := vendor.New()
			v.GOOS, v.Find = "windows", func(string, []string, ...string) (string, error) { return file, nil }
			m.Vendor = v
			end := perform(t, m, o)
			if end.RoleRuns != c.calls || evidence(t, o, ledger.TypeVendorCallStarted) != c.calls {
				t.Errorf("%d calls counted, %d on disk, want %d", end.RoleRuns, evidence(t, o, ledger.TypeVendorCallStarted), c.calls)
			}
			if c.calls > 0 {
				if end.Code != outcome.ReadyForHuman {
					t.Errorf("ending %s: %s", end.Code, end.Detail)
				}
				return
			}
			if end.Code != outcome.PromptUndeliverable || !strings.Contains(end.Detail, "deliver argument 2 (") || !strings.Contains(end.Detail, `profile "writer"`) {
				t.Errorf("ending %s: %s", end.Code, end.Detail)
			}
		})
	}
}
