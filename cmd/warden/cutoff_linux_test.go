package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tolboy/warden/internal/ledger"
)

// cutOff is a checkout in which runs are killed in the middle of a vendor call.
type cutOff struct {
	t                          *testing.T
	program, home, repo, state string
}

// answer is what the commands of these tests print.
type answer struct {
	OK        bool   `json:"ok"`
	Code      string `json:"code"`
	Reason    string `json:"reason"`
	Detail    string `json:"detail"`
	Decisions []struct {
		RunID   string   `json:"run_id"`
		Kind    string   `json:"kind"`
		Options []string `json:"options"`
	} `json:"decisions"`
	Running []struct {
		RunID string `json:"run_id"`
		Alive *bool  `json:"alive"`
	} `json:"running"`
	Worktrees []struct {
		RunID string `json:"run_id"`
	} `json:"worktrees"`
	text string
}

func (c *cutOff) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(c.t.Context(), c.program, args...)
	cmd.Dir = c.repo
	cmd.Env = []string{"HOME=" + c.home, "PATH=" + filepath.Dir(c.program) + ":" + os.Getenv("PATH"), "USER=ann", "WARDEN_STATE_DIR=" + c.state}
	return cmd
}

func (c *cutOff) run(args ...string) answer {
	c.t.Helper()
	cmd := c.command(args...)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	note(c.t, out.Bytes())
	a := answer{text: out.String() + said.String()}
	if json.Unmarshal(out.Bytes(), &a) != nil || a.OK != (err == nil) {
		c.t.Fatalf("%v ended with %v:\n%s", args, err, a.text)
	}
	return a
}

func (c *cutOff) want(ok bool, what string, a answer) {
	c.t.Helper()
	if !ok {
		c.t.Fatalf("%s:\n%s", what, a.text)
	}
}

func (c *cutOff) vendor(script string) {
	c.t.Helper()
	if err := os.WriteFile(filepath.Join(c.home, "scripts", "scribe.json"), []byte(script), 0o644); err != nil {
		c.t.Fatal(err)
	}
}

// kill starts a run, waits until a vendor was called, and kills the program as a
// machine would that lost its power. meanwhile is called before that.
func (c *cutOff) kill(id string, meanwhile func()) {
	c.t.Helper()
	cmd := c.command("run", "greet", "--run-id", id)
	narration, err := cmd.StderrPipe()
	if err != nil {
		c.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	called := false
	for said := bufio.NewScanner(narration); said.Scan(); {
		if strings.Contains(said.Text(), "dispatching") && !called {
			called = true
			meanwhile()
			if err := cmd.Process.Kill(); err != nil {
				c.t.Fatal(err)
			}
		}
	}
	if err := cmd.Wait(); !called || err == nil {
		c.t.Fatalf("a vendor was called %v, ended with %v", called, err)
	}
}

// left lists what the run kept beside its ledger.
func (c *cutOff) left(id string) []string {
	var out []string
	for _, name := range []string{filepath.Join(c.state, "judge", id+".git"), filepath.Join(c.state, "home", id)} {
		if _, err := os.Lstat(name); err == nil {
			out = append(out, name)
		}
	}
	return out
}

// TestCutOff kills runs in the middle of a vendor call. Whatever a person types
// next ends them, with the call counted, and asks.
func TestCutOff(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := &cutOff{t: t, program: build(t), home: filepath.Join(dir, "home"), repo: filepath.Join(dir, "repo"), state: filepath.Join(dir, "state")}
	layOut(t, c.home, c.repo)
	works, err := os.ReadFile(filepath.Join(c.home, "scripts", "scribe.json"))
	if err != nil {
		t.Fatal(err)
	}
	c.vendor(`{"envelope":"result","model":"m","turns":[{"role":"implementer","hang":true}]}`)

	c.kill("k1", func() {
		a := c.run("status")
		c.want(len(a.Running) == 1 && a.Running[0].RunID == "k1" && *a.Running[0].Alive && len(a.Decisions) == 0, "status of a run at work", a)
		a = c.run("status", "--worktrees")
		c.want(len(a.Running) == 1 && len(a.Worktrees) == 0, "status of the worktrees", a)
		a = c.run("status", "k1")
		c.want(len(a.Running) == 1, "status of this run", a)
		a = c.run("approve", "k1", "--decision", "abort")
		c.want(a.Code == "run_in_progress", "an answer before there is a question", a)
		a = c.run("run", "greet", "--continue", "k1", "--run-id", "early")
		c.want(a.Code == "worktree_busy", "a run that goes on from one at work", a)
		a = c.run("verify", "k1")
		c.want(a.Code == "unsealed", "verify of a run at work", a)
	})
	a := c.run("verify", "k1")
	c.want(a.Code == "unsealed" && len(c.left("k1")) > 0, "verify of a run that was cut off", a)

	a = c.run("status")
	c.want(len(a.Running) == 0 && len(a.Decisions) == 1 && a.Decisions[0].RunID == "k1" && a.Decisions[0].Kind == "failure" &&
		slices.Equal(a.Decisions[0].Options, []string{"retry", "abort"}), "status", a)
	c.ended("k1")
	again := c.run("status")
	c.want(len(again.Decisions) == 1 && !strings.Contains(again.text, "was cut off"), "status once more", again)

	// The end is on the disk and the question is not, as when the disk was full.
	c.forget("k1")
	a = c.run("status")
	c.want(len(a.Decisions) == 1 && a.Decisions[0].RunID == "k1", "status of a run that was not asked about", a)
	c.ended("k1")

	c.kill("k2", func() {})
	a = c.run("status", "--worktrees")
	c.want(len(a.Worktrees) == 2 && len(a.Running) == 0, "status of the worktrees", a)
	c.ended("k2")

	c.kill("k3", func() {})
	a = c.run("run", "greet", "--continue", "k3", "--run-id", "k4")
	c.want(a.Reason == "run_preflight_failed" && strings.Contains(a.Detail, "nobody has decided"), "a run that goes on without an answer", a)
	c.ended("k3")

	c.kill("k5", func() {})
	a = c.run("approve", "k5", "--decision", "retry")
	c.want(a.Code == "decision_recorded", "the answer at once", a)
	c.ended("k5")
	c.vendor(string(works))
	a = c.run("run", "greet", "--continue", "k5", "--run-id", "k6")
	c.want(a.Reason == "ready_for_human", "the run after it", a)
}

// ended holds a run that was cut off to the evidence that it must have.
func (c *cutOff) ended(id string) {
	c.t.Helper()
	a := c.run("verify", id)
	c.want(a.Code == "verified", "verify "+id, a)
	if left := c.left(id); len(left) > 0 {
		c.t.Errorf("%v are left of %s", left, id)
	}
	h, err := ledger.Read(filepath.Join(c.repo, ".warden", "runs"), id)
	if err != nil {
		c.t.Fatal(err)
	}
	line, _ := h.Sealed()
	var end ledger.Ending
	if err := line.Decode(&end); err != nil {
		c.t.Fatal(err)
	}
	if _, known := end.Usage.CostUSD.Get(); end.Code != "interrupted" || end.RoleRuns != 1 || end.Usage.Calls != 1 || end.Usage.Unpriced != 1 || known {
		c.t.Errorf("%s ended with %+v", id, end)
	}
	if !slices.ContainsFunc(h.Lines, func(l ledger.Line) bool { return l.Type == ledger.TypeInterrupted }) {
		c.t.Errorf("%s does not say which call was in flight", id)
	}
	for _, name := range []string{"decision.json", "report.json", "task-run.json"} {
		if _, err := os.Stat(filepath.Join(c.repo, ".warden", "runs", id, name)); err != nil {
			c.t.Error(err)
		}
	}
}

// forget takes back everything that came after the end of a run.
func (c *cutOff) forget(id string) {
	c.t.Helper()
	run := filepath.Join(c.repo, ".warden", "runs", id)
	evidence, err := os.ReadFile(filepath.Join(run, "evidence.jsonl"))
	if err != nil {
		c.t.Fatal(err)
	}
	var kept []byte
	for line := range bytes.Lines(evidence) {
		kept = append(kept, line...)
		if bytes.Contains(line, []byte(`"type":"stopped"`)) {
			break
		}
	}
	if len(kept) == len(evidence) {
		c.t.Fatal("nothing came after the end")
	}
	if err := os.WriteFile(filepath.Join(run, "evidence.jsonl"), kept, 0o644); err != nil {
		c.t.Fatal(err)
	}
	for _, name := range []string{"decision.json", "report.json", "task-run.json"} {
		if err := os.Remove(filepath.Join(run, name)); err != nil {
			c.t.Fatal(err)
		}
	}
}
