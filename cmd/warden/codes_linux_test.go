package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/tolboy/warden/internal/fakemodel"
)

// PR-18: gates that are cut off in the middle of a command say so, keep their
// report and leave nothing running.
func TestGatesCutOff(t *testing.T) {
	t.Parallel()
	cmd, repo := prepared(t, build(t), "gates", "greet", "--run-id", "g1")
	if err := os.WriteFile(filepath.Join(repo, "check.sh"), []byte("tail -f /dev/null\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	commit := exec.Command("git", "-c", "user.name=Ann", "-c", "user.email=ann@example.com", "commit", "-qam", "a check without an end")
	commit.Dir = repo
	if out, err := commit.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var out bytes.Buffer
	cmd.Stdout = &out
	narration, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	asked := false
	for said := bufio.NewScanner(narration); said.Scan(); {
		if strings.Contains(said.Text(), "1/1 sh check.sh") {
			asked = true
			if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
		}
	}
	err = cmd.Wait()
	note(t, out.Bytes())
	var got struct {
		Code, Message, Report string
		OK                    bool
	}
	if !asked || err == nil || json.Unmarshal(out.Bytes(), &got) != nil || got.OK || got.Code != "gate_interrupted" || got.Message == "" {
		t.Fatalf("asked %v, ended with %v: %s", asked, err, out.String())
	}
	var kept struct {
		Code     string
		Commands []struct{ Command string }
	}
	data, err := os.ReadFile(got.Report)
	if err != nil || json.Unmarshal(data, &kept) != nil || kept.Code != got.Code || len(kept.Commands) != 1 {
		t.Errorf("the report: %v\n%s", err, data)
	}
	if left, err := fakemodel.Running(filepath.Dir(repo)); err != nil || len(left) != 0 {
		t.Errorf("left running: %+v, %v", left, err)
	}
}

// A command may end in time and leave none for the next: somebody else still holds
// its output, which is waited for. A minute is the shortest limit there is.
func TestGatesOutOfTime(t *testing.T) {
	t.Parallel()
	cmd, repo := prepared(t, build(t), "gates", "late", "--run-id", "g1")
	task := "version: 1\nid: late\ngoal: Greet.\nscope: sign\ntimeout_minutes: 1\nchecks: [sleep 58.2417]\nacceptance: [\"true\"]\n"
	if err := os.WriteFile(filepath.Join(repo, ".warden", "tasks", "late.yaml"), []byte(task), 0o644); err != nil {
		t.Fatal(err)
	}
	commit := exec.Command("sh", "-c", "git add -A && git -c user.name=Ann -c user.email=ann@example.com commit -qm 'a task that takes its time'")
	commit.Dir = repo
	if out, err := commit.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := os.Create(filepath.Join(t.TempDir(), "out.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	cmd.Stdout = out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { defer close(ended); _ = cmd.Wait() }() // its status is read below
	held := hold(t, ended, "sleep\x0058.2417\x00")
	<-ended
	if err := held.Close(); err != nil {
		t.Error(err)
	}
	data, err := os.ReadFile(out.Name())
	if err != nil {
		t.Fatal(err)
	}
	note(t, data)
	var got struct{ Code, Message string }
	if json.Unmarshal(data, &got) != nil || cmd.ProcessState.ExitCode() != 1 || got.Code != "gate_timeout" ||
		!strings.Contains(got.Message, "no time was left for command 2 of 2") || !strings.Contains(got.Message, "went to command 1") {
		t.Errorf("ended with %v: %s", cmd.ProcessState, data)
	}
}

// hold opens the output of the one process with this command line, once it is there.
func hold(t *testing.T, ended <-chan struct{}, line string) *os.File {
	t.Helper()
	for {
		select {
		case <-ended:
			t.Fatalf("nobody started %q", line)
		default:
		}
		names, err := filepath.Glob("/proc/[0-9]*/cmdline")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if said, err := os.ReadFile(name); err != nil || string(said) != line {
				continue // another one, or gone by now
			}
			f, err := os.OpenFile(filepath.Join(filepath.Dir(name), "fd", "1"), os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			return f
		}
		runtime.Gosched()
	}
}

// A ledger that records no contract to have judged its candidate by, as one that
// another program wrote could: nobody can tell what an accept would be of.
func TestUnverifiable(t *testing.T) {
	t.Parallel()
	cmd, repo := prepared(t, build(t), "run", "greet", "--run-id", "u1", "--quiet")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	dir := filepath.Join(repo, ".warden", "runs", "u1")
	forget(t, dir, "contract_sha256")
	c := &cutOff{t: t, program: cmd.Path, home: filepath.Join(filepath.Dir(repo), "home"), repo: repo, state: filepath.Join(filepath.Dir(repo), "state")}
	a := c.run("status") // the question is put again, from the ledger as it is now
	c.want(len(a.Decisions) == 1 && a.Decisions[0].RunID == "u1" && a.Decisions[0].Kind == "success", "the question", a)
	a = c.run("approve", "u1", "--decision", "accept")
	c.want(a.Code == "candidate_unverifiable" && strings.Contains(a.text, "the run recorded no contract"), "accept", a)
	a = c.run("approve", "u1", "--decision", "reject", "--note", "run it again")
	c.want(a.Code == "decision_recorded", "a refusal permits nothing", a)
}

// forget takes a key out of the head of a run and makes the chain follow from what
// then stands there, up to the seal.
func forget(t *testing.T, dir, key string) {
	t.Helper()
	var head map[string]any
	path := filepath.Join(dir, "run.json")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &head); err != nil || head[key] == nil {
		t.Fatalf("run.json has no %s: %v", key, err)
	}
	head[key] = ""
	changed, err := json.Marshal(head)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := os.ReadFile(filepath.Join(dir, "evidence.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	was, is := sum(data), sum(changed)
	var chain []byte
	for line := range bytes.Lines(lines) {
		next := bytes.Replace(line, []byte(was), []byte(is), 1)
		was, is = sum(bytes.TrimSuffix(line, []byte("\n"))), sum(bytes.TrimSuffix(next, []byte("\n")))
		chain = append(chain, next...)
		if bytes.Contains(line, []byte(`"type":"ready_for_human"`)) {
			break
		}
	}
	for name, text := range map[string][]byte{"run.json": changed, "evidence.jsonl": chain} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"task-run.json", "report.json", "decision.json"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
}

func sum(text []byte) string {
	digest := sha256.Sum256(text)
	return hex.EncodeToString(digest[:])
}
