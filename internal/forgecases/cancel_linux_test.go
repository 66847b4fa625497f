package forgecases

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/tolboy/warden/internal/fakemodel"
)

// TestCancel ends the job as a runner does, in the middle of a vendor call: a
// signal, and a few seconds. What was paid for shows at once, from the ledger on
// this machine, and nothing is left running.
func TestCancel(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		set    func() setting
		signal syscall.Signal
		call   int
		cost   string // of the calls before it; that of the one that was cut off is unknown
		gone   bool   // whether the forge answers nothing any more
	}{
		{"PR-18 TERM in the first call", plain, syscall.SIGTERM, 1, "", false},
		{"PR-18 INT in the first call", plain, syscall.SIGINT, 1, "", false},
		{"PR-18 TERM in the second call", slow, syscall.SIGTERM, 2, "0.01", false},
		{"PR-18 INT, and the forge is gone", slow, syscall.SIGINT, 2, "0.01", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, c.set())
			w.open()
			pid, ended, early := make(chan int, 1), make(chan struct{}), false
			w.model.during(c.call, func() {
				if c.gone {
					w.gate.arm(1, false, func() { early = exists(w.path("outputs.txt")) && exists(w.path("summary.md")) })
				}
				if err := syscall.Kill(<-pid, c.signal); err != nil {
					t.Error(err)
				}
				<-ended // the call is in flight until the program has ended it
			})
			j, err := w.start(w.label(), "state")
			if err != nil {
				t.Fatal(err)
			}
			pid <- j.cmd.Process.Pid
			p, err := j.wait()
			close(ended)
			if err != nil {
				t.Fatal(err)
			}
			if asked := w.gate.disarm(); c.gone {
				w.want(early, "the forge was asked (%s) before the job was told: %s", asked, p)
			}
			left, err := fakemodel.Running(w.dir)
			w.want(err == nil && len(left) == 0, "left running: %+v, %v", left, err)
			w.want(p.status == 1 && !p.OK && p.Outcome == "interrupted", "the outcome: %s", p)
			w.want(len(p.Runs) == 1 && p.Runs[0].RunID == "issue-1-1" && p.Runs[0].Reason == "interrupted" && p.Runs[0].LedgerHead != "", "the run: %s", p)
			run := p.Runs[0]
			w.want(run.RoleRuns == c.call && run.Unpriced == 1, "the calls: %s", p)
			told := map[string]string{"outcome": "interrupted", "run-id": run.RunID, "ledger-head": run.LedgerHead, "cost-usd": c.cost, "unpriced-calls": "1"}
			shown := "cost ?"
			if c.cost != "" {
				shown = "cost $0.0100 + ?"
				w.want(run.CostUSD != nil && fmt.Sprint(*run.CostUSD) == c.cost, "the cost: %s", p)
			} else {
				w.want(run.CostUSD == nil, "a cost was made up: %s", p)
			}
			outputs := w.outputs()
			for name, want := range told {
				w.want(outputs[name] == want, "the output %s is %q, not %q: %s", name, outputs[name], want, p)
			}
			summary := w.read(w.path("summary.md"))
			for _, want := range []string{run.RunID, "interrupted", shown, run.LedgerHead[:12]} {
				w.want(strings.Contains(summary, want), "%q is not in the summary:\n%s", want, summary)
			}
			// What the job could not show is shown by the next one.
			w.schedule()
			w.want(w.said("interrupted") == 1, "the status comment is not there")
			w.settled()
		})
	}
	t.Run("PR-18 TERM before anything is reconciled", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, setting{})
		w.open()
		d := w.label()
		pid := make(chan int, 1)
		w.gate.arm(1, false, func() { _ = syscall.Kill(<-pid, syscall.SIGTERM) }) // its status shows whether it came
		j, err := w.start(d, "state")
		if err != nil {
			t.Fatal(err)
		}
		pid <- j.cmd.Process.Pid
		p, err := j.wait()
		if err != nil {
			t.Fatal(err)
		}
		w.gate.disarm()
		w.want(p.status == 1 && p.Code == "interrupted", "the code: %s", p)
		w.want(w.outputs()["outcome"] == "interrupted" && strings.Contains(w.read(w.path("summary.md")), "interrupted"), "nothing is told: %v", w.outputs())
		p = w.schedule()
		w.want(len(p.Runs) == 1 && p.Runs[0].Reason == "ready_for_human", "the label was lost: %s", p)
	})
}

// A job that could end before a run of its own is warned of while it is not.
func TestJobLimit(t *testing.T) {
	t.Parallel()
	for limit, warned := range map[string]int{"": 0, "3": 1, "1000": 0, "soon": 1, "2": 3} {
		t.Run("PR-18 WARDEN_JOB_MINUTES="+limit, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, setting{})
			w.open()
			p := w.try(w.server.Schedule(), "state", "WARDEN_JOB_MINUTES="+limit)
			w.want(p.status == 0 && len(p.Warnings) == warned, "%d warnings: %s", len(p.Warnings), p)
			w.want(strings.Count(p.stderr, "::warning title=time limits::") == warned, "the annotations: %s", p)
			if warned > 0 {
				summary := w.read(w.path("summary.md"))
				w.want(strings.Count(summary, "- Warning: ") == warned, "the summary:\n%s", summary)
			}
		})
	}
}

// outputs reads what the last job left for its later steps.
func (w *world) outputs() map[string]string {
	w.t.Helper()
	out := map[string]string{}
	lines := strings.Split(w.read(w.path("outputs.txt")), "\n")
	for i := 0; i+2 < len(lines); i += 3 { // name<<delimiter, value, delimiter
		name, _, _ := strings.Cut(lines[i], "<<")
		out[name] = lines[i+1]
	}
	return out
}
