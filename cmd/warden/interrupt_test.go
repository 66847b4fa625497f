package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/tolboy/warden/internal/ledger"
)

// PR-18: a killer from outside that comes first still finds a report, a cost and
// a reason: TERM in the middle of a role ends the children, seals the ledger and
// prints the result.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	t.Run("PR-18 TERM in the middle of a role", func(t *testing.T) {
		program, dir := build(t), t.TempDir()
		home, repo := filepath.Join(dir, "home"), filepath.Join(dir, "repo")
		layOut(t, home, repo)
		hang := `{"envelope":"result","model":"m","turns":[{"role":"implementer","hang":true}]}`
		if err := os.WriteFile(filepath.Join(home, "scripts", "scribe.json"), []byte(hang), 0o644); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), program, "run", "greet", "--run-id", "i1")
		cmd.Dir = repo
		cmd.Env = []string{"HOME=" + home, "PATH=" + filepath.Dir(program) + ":" + os.Getenv("PATH"), "USER=ann", "WARDEN_STATE_DIR=" + filepath.Join(dir, "state")}
		var out bytes.Buffer
		cmd.Stdout = &out
		narration, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		said := bufio.NewScanner(narration)
		asked := false
		for said.Scan() {
			if strings.Contains(said.Text(), "dispatching") && !asked {
				asked = true
				if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
					t.Fatal(err)
				}
			}
		}
		err = cmd.Wait()
		var got struct {
			Reason string         `json:"reason"`
			Ending *ledger.Ending `json:"ending"`
			Report string         `json:"report_path"`
		}
		if !asked || json.Unmarshal(out.Bytes(), &got) != nil || err == nil {
			t.Fatalf("asked to end %v, ended with %v: %s", asked, err, out.String())
		}
		if got.Reason != "interrupted" || got.Ending == nil || got.Ending.RoleRuns != 1 {
			t.Errorf("ended with %q: %+v", got.Reason, got.Ending)
		}
		if _, err := os.Stat(got.Report); err != nil {
			t.Errorf("no report: %v", err)
		}
		v, err := ledger.Verify(filepath.Join(repo, ".warden", "runs"), "i1", "", ledger.VerifyOptions{})
		if err != nil || !v.OK || v.Sealed == "" {
			t.Errorf("the ledger: %+v, %v", v, err)
		}
	})
}

// layOut puts the home and the repository of the scripts where a test wants them.
func layOut(t *testing.T, home, repo string) {
	t.Helper()
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
