package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/gate"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/runner"
	"github.com/tolboy/warden/internal/usage"
)

// PL-08: the run that goes on from a preparation keeps what was reckoned before there
// was a contract. What the planner used is counted with the runs before it.
func TestCarryPlan_PL08(t *testing.T) {
	t.Parallel()
	no := false
	made := &ledger.RunPrepared{TaskSHA256: "same", Forecast: ledger.Forecast{AtReservation: "guess", Matched: &no}}
	end := ledger.Ending{RoleRuns: 2, Usage: usage.Total{Calls: 2, CostUSD: usage.Known(0.5), Unpriced: 1}}
	h := ledger.History{Run: ledger.RunHead{RunID: "r-plan", TaskID: "t1", Chain: ledger.Chain{Runs: 1, RoleRuns: 1}}}
	order := runner.Order{Task: contract.Task{ID: "t1"}}
	if _, err := carryPlan(h, end, made, &order, "same"); err != nil {
		t.Fatal(err)
	}
	if order.Reserved.PreparedBy != "r-plan" || order.Reserved.AtReservation != "guess" || order.Reserved.Matched != &no {
		t.Errorf("reserved %+v", order.Reserved.Forecast)
	}
	t.Run("PL-08 a contract that was edited since has no such estimate", func(t *testing.T) {
		t.Parallel()
		order := runner.Order{Task: contract.Task{ID: "t1"}}
		if _, err := carryPlan(h, end, made, &order, "edited"); err != nil || order.Reserved.Matched != nil {
			t.Errorf("reserved %+v, %v", order.Reserved.Forecast, err)
		}
	})
	t.Run("another task", func(t *testing.T) {
		t.Parallel()
		if _, err := carryPlan(h, end, made, &runner.Order{Task: contract.Task{ID: "t2"}}, "same"); err == nil {
			t.Error("carried")
		}
	})
}

func TestPlanBrief(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	answer := []byte(`{"summary":"a"}`)
	if err := os.WriteFile(filepath.Join(dir, "planner.json"), answer, 0o600); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(answer)
	said := &ledger.RoleRun{Artifact: "planner.json", ArtifactSHA256: hex.EncodeToString(sum[:]), Profile: "mapper"}
	got, err := planBrief(dir, said)
	if err != nil || len(got) != 1 || string(got[0].Answer) != string(answer) || got[0].Role != "planner" {
		t.Errorf("brief %+v, %v", got, err)
	}
	said.ArtifactSHA256 = hex.EncodeToString(make([]byte, 32))
	if got, err := planBrief(dir, said); err == nil {
		t.Errorf("a plan that was altered briefs %+v", got)
	}
	if got, err := planBrief(dir, nil); err != nil || got != nil {
		t.Errorf("no plan gives %+v, %v", got, err)
	}
}

// A worktree that this process has just cut is trusted with its index, and no
// longer once a planner has been in it.
func TestVisitedTree(t *testing.T) {
	t.Parallel()
	dir, home := t.TempDir(), t.TempDir()
	environ := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_CONFIG_NOSYSTEM=1", "WARDEN_STATE_DIR=" + t.TempDir()}
	for _, args := range [][]string{{"init", "-q"}, {"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = dir, environ
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	a := &app{environ: environ, now: time.Now}
	m, err := a.machine(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, visited := range []bool{false, true} {
		o := runOptions{id: "r", isolated: true, fresh: true, visited: visited}
		order, err := a.order(t.Context(), m, &local{root: dir, runsDir: filepath.Join(dir, "runs")}, contract.Task{}, o, gate.Base{})
		if err != nil || order.Fresh == visited {
			t.Errorf("visited %v: fresh %v, %v", visited, order.Fresh, err)
		}
	}
}
