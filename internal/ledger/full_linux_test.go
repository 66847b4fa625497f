package ledger_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"github.com/tolboy/warden/internal/ledger"
)

// limitedDir names the directory in which the child process of TestFullDisk
// writes.
const limitedDir = "WARDEN_TEST_LIMITED_DIR"

// TestFullDisk appends against a limit on the size of files, which makes the
// system refuse the rest of a write as a full disk does.
func TestFullDisk(t *testing.T) {
	if dir := os.Getenv(limitedDir); dir != "" {
		appendUnderLimit(t, dir)
		return
	}
	t.Parallel()
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=^TestFullDisk$", "-test.v")
	cmd.Env = append(os.Environ(), limitedDir+"="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("--- PASS")) {
		t.Fatalf("child: %v\n%s", err, out)
	}
	r, err := ledger.Open(dir, "r1", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	play(t, r, sampleSteps()[7:])
	mustVerify(t, dir, "r1", r.Head())
}

func appendUnderLimit(t *testing.T, dir string) {
	signal.Ignore(syscall.SIGXFSZ)
	r := create(t, dir, "r1")
	play(t, r, sampleSteps()[:3])
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 2000, Max: 2000}); err != nil {
		t.Fatal(err)
	}
	before, c := r.Head(), newClock()
	long := ledger.Note{Text: strings.Repeat("long ", 1000)}
	if _, err := r.Append(ledger.TypeNote, c.tick(), long); !errors.Is(err, syscall.EFBIG) {
		t.Errorf("append: got %v, want EFBIG", err)
	}
	if _, err := r.WriteFile("r1--gates-0/machine-gate.json", []byte(long.Text)); !errors.Is(err, syscall.EFBIG) {
		t.Errorf("write: got %v, want EFBIG", err)
	}
	if r.Head() != before {
		t.Error("the head moved")
	}
	mustVerify(t, dir, "r1", before)
	if _, err := r.Append(ledger.TypeNote, c.tick(), ledger.Note{Text: "short"}); err != nil {
		t.Errorf("a short event afterwards: %v", err)
	}
	mustVerify(t, dir, "r1", r.Head())
}
