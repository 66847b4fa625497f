package ledger_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/tolboy/warden/internal/ledger"
)

// appendDir names the directory in which the child process of TestKilled writes.
const appendDir = "WARDEN_TEST_APPEND_DIR"

// TestKilled kills a writer after each of its events, while it is somewhere in
// the next one, and goes on from what it left.
func TestKilled(t *testing.T) {
	if dir := os.Getenv(appendDir); dir != "" {
		childAppends(t, dir)
		return
	}
	t.Parallel()
	steps := sampleSteps()
	kills := 0
	for round := range 2 {
		for k := 0; k <= len(steps); k++ {
			dir := t.TempDir()
			killAfter(t, dir, k)
			kills++
			r, err := ledger.Open(dir, "r1", nil)
			if err != nil {
				t.Fatalf("round %d, killed after %d: %v", round, k, err)
			}
			mustVerify(t, dir, "r1", "")
			done := written(r)
			if done < k {
				t.Errorf("%d events were acknowledged, %d are there", k, done)
			}
			play(t, r, steps[done:])
			mustVerify(t, dir, "r1", r.Head())
			if got := written(r); got != len(steps) {
				t.Errorf("%d events at the end, want %d", got, len(steps))
			}
			r.Close()
		}
	}
	t.Logf("%d kills", kills)
}

// written counts the events of the sample, without those of recovery.
func written(r *ledger.Run) int {
	n := 0
	for _, l := range r.History().Lines {
		if l.Type != ledger.TypeRecovered {
			n++
		}
	}
	return n
}

func killAfter(t *testing.T, dir string, k int) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestKilled$")
	cmd.Env = append(os.Environ(), appendDir+"="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if lines.Text() == fmt.Sprintf("done %d", k) {
			break
		}
	}
	if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Fatal(err)
	}
	// The child ends only by the kill: after its last event it waits for it.
	if err := cmd.Wait(); err == nil {
		t.Fatal("the child ended by itself")
	}
}

func childAppends(t *testing.T, dir string) {
	r := create(t, dir, "r1")
	fmt.Println("done 0")
	c := newClock()
	for i, s := range sampleSteps() {
		appendStep(t, r, c, s)
		fmt.Println("done", i+1)
	}
	select {
	case <-time.After(time.Minute): // the parent is gone
		t.Fatal("nobody killed it")
	}
}

// TestTornAnywhere cuts the chain at every byte of its last line, and at every
// thirteenth before.
func TestTornAnywhere(t *testing.T) {
	t.Parallel()
	l := finished(t, "r1")
	name := filepath.Join(l.dir, "r1/evidence.jsonl")
	last := len(l.evidence) - len(l.lines[len(l.lines)-1])
	for cut := 0; cut <= len(l.evidence); cut++ {
		if cut < last && cut%13 != 0 {
			continue
		}
		writeFile(t, l.evidence[:cut], name)
		torn := cut > 0 && l.evidence[cut-1] != '\n'
		before := verify(t, l.dir, "r1", "", ledger.VerifyOptions{})
		if before.OK == torn || torn && before.Code != ledger.CodeTorn {
			t.Fatalf("cut at %d: %+v", cut, before)
		}
		r, err := ledger.Open(l.dir, "r1", nil)
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		lines := r.History().Lines
		if torn {
			last := lines[len(lines)-1]
			var got ledger.Recovered
			if err := last.Decode(&got); err != nil || last.Type != ledger.TypeRecovered || got.DroppedBytes != before.Torn {
				t.Fatalf("cut at %d: last line %+v", cut, last)
			}
		}
		r.Close()
		mustVerify(t, l.dir, "r1", "")
	}
}
