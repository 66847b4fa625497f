package forgecases

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/tolboy/warden/forge"
	"github.com/tolboy/warden/forge/forgetest"
	"github.com/tolboy/warden/internal/demo"
)

// sample is how many points of a phase are taken when not all are.
func sample() int {
	if n, err := strconv.Atoi(os.Getenv("WARDEN_TEST_POINTS")); err == nil && n > 0 {
		return n
	}
	return 2
}

// phase is one event whose handling is killed, what came before it, and how all
// must end whatever was killed.
type phase struct {
	name    string
	set     func() setting
	prepare func(w *world) forgetest.Delivery
	end     func(w *world, p printed)
}

// slow is a first run with everything in it: red gates, a fix round, green gates
// and a reviewer.
func slow() setting {
	return setting{
		project: func(yaml string) string { return strings.ReplaceAll(yaml, "risk: low", "risk: medium") },
		writer: []demo.Turn{
			{Role: "implementer", When: []string{"Repair round"}, Write: map[string]string{"greeting.txt": greeting}, Answer: done("A capital H.", "greeting.txt"), Cost: 0.01},
			{Role: "implementer", Write: map[string]string{"greeting.txt": "hello\n"}, Answer: done("Wrote it.", "greeting.txt"), Cost: 0.01},
		},
	}
}

// plain is a first run that is right at once.
func plain() setting { return setting{} }

func phases() []phase {
	return []phase{
		{"label", slow, func(w *world) forgetest.Delivery { w.open(); return w.label() }, func(w *world, p printed) {
			w.want(p.Pull.Draft && !strings.Contains(p.words(), "accept"), "the end: %s", p)
			w.want(w.check(p.Pull.Head) == "waiting", "the gate is %q", w.check(p.Pull.Head))
		}},
		{"rejection", plain, func(w *world) forgetest.Delivery {
			w.candidate()
			w.review(mona, forge.ChangesRequested, "Greet twice.")
			return w.woken()
		}, func(w *world, p printed) {
			w.want(p.Pull.Draft && strings.Count(p.words(), "reject") == 1 && len(p.Runs) >= 2, "the end: %s", p)
			w.want(w.check(p.Pull.Head) == "waiting" && w.check(p.Runs[0].Candidate) == "failure", "the gates are %q and %q", w.check(p.Pull.Head), w.check(p.Runs[0].Candidate))
		}},
		{"approval", plain, func(w *world) forgetest.Delivery {
			w.candidate()
			w.review(mona, forge.Approved, "")
			return w.woken()
		}, func(w *world, p printed) {
			w.want(!p.Pull.Draft && p.words() == "accept" && len(p.Runs) == 1, "the end: %s", p)
			w.want(w.check(p.Pull.Head) == "success", "the gate is %q", w.check(p.Pull.Head))
		}},
	}
}

// point is where the program is killed.
type point struct {
	phase phase
	way   string // "before", "after", "line" or "vendor"
	n     int
	lost  bool // whether the state directory dies with the process
}

func (p point) String() string {
	s := fmt.Sprintf("%s %s %d", p.phase.name, p.way, p.n)
	if p.lost {
		s += ", state lost"
	}
	return s
}

// TestKill kills the program at every request that it makes of the forge, before
// it is answered and after; at every line of the ledger; and in every vendor call.
func TestKill(t *testing.T) {
	t.Parallel()
	dice := chance(t)
	coins := newDice(dice.Uint64()) // apart, so that what is sampled changes nothing here
	coin := func() bool { return coins.IntN(2) == 0 }
	var points []point
	for _, ph := range phases() {
		w := newWorld(t, ph.set())
		d := ph.prepare(w)
		calls, lines := w.model.made(), countLines(w.runs())
		w.gate.arm(0, false, nil)
		p := w.act(d)
		ph.end(w, p)
		requests := w.gate.counted()
		calls, lines = w.model.made()-calls, countLines(w.runs())-lines
		var here []point
		for n := 1; n <= requests; n++ {
			here = append(here, point{ph, "before", n, coin()}, point{ph, "after", n, coin()})
		}
		for n := 1; n <= lines; n++ {
			here = append(here, point{ph, "line", n, coin()})
		}
		for n := 1; n <= calls; n++ {
			here = append(here, point{ph, "vendor", n, coin()})
		}
		t.Logf("%s: %d requests, %d lines, %d vendor calls", ph.name, requests, lines, calls)
		if !all() {
			dice.Shuffle(len(here), func(i, j int) { here[i], here[j] = here[j], here[i] })
			here = here[:min(len(here), sample())]
			if line := sealed(w); ph.name == "label" && line > 0 {
				// The seal is on disk, and nothing of it anywhere else yet.
				here = append(here, point{ph, "line", line, false})
			}
		}
		points = append(points, here...)
	}
	var killed, tried atomic.Int64 // -run may ask for some of the points only
	t.Cleanup(func() {
		t.Logf("killed at %d of %d points", killed.Load(), tried.Load())
		if killed.Load() != tried.Load() && !t.Failed() {
			t.Errorf("it was not killed at %d points", tried.Load()-killed.Load())
		}
	})
	for _, pt := range points {
		t.Run(pt.String(), func(t *testing.T) {
			t.Parallel()
			tried.Add(1)
			w := newWorld(t, pt.phase.set())
			d := pt.phase.prepare(w)
			if w.killAt(d, pt) {
				killed.Add(1)
			}
			p := w.recover(pt)
			pt.phase.end(w, p)
			w.charged(p)
			last := p.Runs[len(p.Runs)-1]
			w.reachable("refs/warden/runs/"+last.RunID, last.Candidate)
		})
	}
}

// TestKilledAndStopped kills the program in a vendor call, and a person takes the
// label off before anybody looks: the run is ended and nothing is tried again.
func TestKilledAndStopped(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setting{})
	w.open()
	w.killAt(w.label(), point{phase: phase{name: "label"}, way: "vendor", n: 1})
	p := w.act(w.sent(w.server.RemoveLabel(mona, w.issue, "warden")))
	w.want(p.did("continue_run", "stopped_run_left") && len(p.Runs) == 1 && p.Runs[0].Reason == "interrupted", "it was not ended: %s", p)
	w.want(w.said("interrupted") == 1, "the status comment does not say so")
	w.charged(p)
	p = w.settled()
	w.want(w.model.made() == 1, "%d vendor calls: %s", w.model.made(), p)
}

// sealed is the number of the line that seals the first run, 0 for none.
func sealed(w *world) int {
	w.t.Helper()
	n := 0
	for line := range strings.Lines(w.read(w.runs("issue-1-1", "evidence.jsonl"))) {
		n++
		if strings.Contains(line, `"type":"ready_for_human"`) {
			return n
		}
	}
	return 0
}

// killAt runs the program on a delivery and kills it at the point. It reports
// whether the program really died of that.
func (w *world) killAt(d forgetest.Delivery, pt point) bool {
	w.t.Helper()
	// The hooks fire only after the process was started: it is what calls them.
	pid := make(chan int, 1)
	kill := func() {
		p := <-pid
		pid <- p
		_ = syscall.Kill(p, syscall.SIGKILL) // one that is gone already shows in its status
	}
	switch pt.way {
	case "before", "after":
		w.gate.arm(pt.n, pt.way == "after", kill)
	case "vendor":
		w.model.during(pt.n, func() { w.gate.close(); kill() })
	case "line":
		watch := watchLines(w.t, w.runs(), countLines(w.runs())+pt.n, func(int) { w.gate.close(); kill() })
		defer watch.Close()
	}
	j, err := w.start(d, "state")
	if err != nil {
		w.t.Fatal(err)
	}
	pid <- j.cmd.Process.Pid
	p, err := j.wait()
	if err != nil {
		w.t.Fatal(err)
	}
	struck := w.gate.disarm()
	status, isUnix := j.cmd.ProcessState.Sys().(syscall.WaitStatus)
	dead := isUnix && status.Signaled() && status.Signal() == syscall.SIGKILL
	w.t.Logf("%s: killed %v %s", pt, dead, struck)
	if !dead {
		w.t.Errorf("%s: it lived: %s", pt, p)
	}
	return dead
}

// recover lets a timer's events, and a person's retry where a run ended as a
// failure, bring the history to its end.
func (w *world) recover(pt point) printed {
	w.t.Helper()
	if pt.lost {
		if err := os.RemoveAll(w.path("state")); err != nil {
			w.t.Fatal(err)
		}
	}
	var told []string
	for range 8 {
		p := w.schedule()
		w.verify()
		told = append(told, p.stdout+p.stderr)
		owed := false
		for _, a := range p.Actions {
			owed = owed || a.Kind != "nothing" && a.Kind != "ignore"
		}
		if owed || len(p.Runs) == 0 {
			continue
		}
		last := p.Runs[len(p.Runs)-1]
		if last.Reason == "ready_for_human" {
			return p
		}
		w.want(last.NextAction == "human_escalation", "a run is stuck: %s", p)
		w.comment(mona, w.issue, "/warden retry")
	}
	w.t.Fatalf("%s: not settled:\n%s", pt, strings.Join(told, "\n"))
	return printed{}
}

// charged holds the calls that the ledgers count against those that were made.
func (w *world) charged(p printed) {
	w.t.Helper()
	n := 0
	for _, r := range p.Runs {
		n += r.RoleRuns
	}
	w.want(n >= w.model.made(), "%d vendor calls were made and %d charged: %s", w.model.made(), n, p)
}
