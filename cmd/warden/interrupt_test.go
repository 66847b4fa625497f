package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/provoked"
)

// PR-18: a killer from outside that comes first still finds a report, a cost and
// a reason: a signal to end in the middle of a role ends the children, seals the
// ledger and prints the result. HUP comes again with every line that follows.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	program := build(t)
	for _, tc := range []struct {
		name  string
		sig   syscall.Signal
		times int
	}{
		{"PR-18 TERM in the middle of a role", syscall.SIGTERM, 1},
		{"HUP, and again", syscall.SIGHUP, 10},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if signal.Ignored(tc.sig) {
				t.Skip("the signal is ignored here, and by children too")
			}
			cmd, repo := hanging(t, program, "run", "greet", "--run-id", "i1")
			var out bytes.Buffer
			cmd.Stdout = &out
			asked, err := signalled(t, cmd, tc.sig, tc.times)
			var got struct {
				Reason string         `json:"reason"`
				Ending *ledger.Ending `json:"ending"`
				Report string         `json:"report_path"`
			}
			if asked == 0 || json.Unmarshal(out.Bytes(), &got) != nil || err == nil {
				t.Fatalf("asked to end %d times, ended with %v: %s", asked, err, out.String())
			}
			if got.Reason != "interrupted" || got.Ending == nil || got.Ending.RoleRuns != 1 {
				t.Errorf("ended with %q: %+v", got.Reason, got.Ending)
			}
			if _, err := os.Stat(got.Report); err != nil {
				t.Errorf("no report: %v", err)
			}
			sealed(t, repo, "i1")
		})
	}
}

// Under nohup a terminal that goes away has no effect.
func TestNoHangup(t *testing.T) {
	t.Parallel()
	cmd, repo := prepared(t, build(t), "run", "greet", "--run-id", "i1")
	cmd.Args = append([]string{"sh", "-c", `trap "" HUP; exec "$@"`, "sh"}, cmd.Args...)
	cmd.Path = "/bin/sh"
	if asked, err := signalled(t, cmd, syscall.SIGHUP, 1); asked == 0 || err != nil {
		t.Fatalf("told %d times, ended with %v", asked, err)
	}
	sealed(t, repo, "i1")
}

// A reader that goes away ends no run: narration is lost, a result that cannot be
// written is an error, and the ledger is sealed either way.
func TestReaderGoesAway(t *testing.T) {
	t.Parallel()
	program := build(t)
	for _, tc := range []struct {
		name   string
		stream func(*exec.Cmd, *os.File)
		status int
	}{
		{"narration", func(c *exec.Cmd, w *os.File) { c.Stderr = w }, 0},
		{"result", func(c *exec.Cmd, w *os.File) { c.Stdout = w }, 1},
		{"both", func(c *exec.Cmd, w *os.File) { c.Stdout, c.Stderr = w, w }, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			cmd, repo := prepared(t, program, "do", "--in-place", "--scope", "sign", "--run-id", "p1", "Put a greeting into greeting.txt")
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			_ = r.Close()
			tc.stream(cmd, w)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			_ = w.Close()
			_ = cmd.Wait()
			if got := cmd.ProcessState.ExitCode(); got != tc.status {
				t.Errorf("ended with %v, want exit status %d", cmd.ProcessState, tc.status)
			}
			sealed(t, repo, "p1")
		})
	}
}

// prepared is a command of the real program in a repository of its own.
func prepared(t *testing.T, program string, args ...string) (*exec.Cmd, string) {
	t.Helper()
	dir := t.TempDir()
	home, repo := filepath.Join(dir, "home"), filepath.Join(dir, "repo")
	layOut(t, home, repo)
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir = repo
	cmd.Env = []string{"HOME=" + home, "PATH=" + filepath.Dir(program) + ":" + os.Getenv("PATH"), "USER=ann", "WARDEN_STATE_DIR=" + filepath.Join(dir, "state")}
	return cmd, repo
}

// hanging is the same with a writer that never ends.
func hanging(t *testing.T, program string, args ...string) (*exec.Cmd, string) {
	t.Helper()
	cmd, repo := prepared(t, program, args...)
	hang := `{"envelope":"result","model":"m","turns":[{"role":"implementer","hang":true}]}`
	if err := os.WriteFile(filepath.Join(filepath.Dir(repo), "home", "scripts", "scribe.json"), []byte(hang), 0o644); err != nil {
		t.Fatal(err)
	}
	return cmd, repo
}

// signalled runs the command and signals it from the first call of a vendor on,
// once a line of narration. It returns how often it did, and how the command ended.
func signalled(t *testing.T, cmd *exec.Cmd, sig syscall.Signal, times int) (int, error) {
	t.Helper()
	narration, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	asked := 0
	for said := bufio.NewScanner(narration); said.Scan(); {
		if asked < times && (asked > 0 || strings.Contains(said.Text(), "dispatching")) {
			asked++
			if err := cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
		}
	}
	return asked, cmd.Wait()
}

// sealed checks that the run left a whole ledger with an ending.
func sealed(t *testing.T, repo, id string) {
	t.Helper()
	v, err := ledger.Verify(filepath.Join(repo, ".warden", "runs"), id, "", ledger.VerifyOptions{})
	if err != nil || !v.OK || v.Sealed == "" {
		t.Errorf("the ledger: %+v, %v", v, err)
	}
}

// layOut puts the home and the repository of the scripts where a test wants them.
func layOut(t *testing.T, home, repo string) {
	t.Helper()
	t.Cleanup(func() {
		if err := provoked.Tree(filepath.Dir(repo)); err != nil {
			t.Error(err)
		}
	})
	for from, to := range map[string]string{"testdata/home": home, "testdata/repo": repo} {
		if err := copyTree(from, to); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"},
		{"-c", "user.name=Ann", "-c", "user.email=ann@example.com", "commit", "-qm", "the project"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = repo, []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1"}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
}
