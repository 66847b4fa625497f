package durable_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"

	"github.com/tolboy/warden/internal/durable"
)

// limitedDir names the directory in which the child process of
// TestFullDiskSurfaces writes.
const limitedDir = "WARDEN_TEST_LIMITED_DIR"

// TestFullDiskSurfaces writes against a limit on the size of files, which makes
// the system refuse the rest of a write as a full disk does.
func TestFullDiskSurfaces(t *testing.T) {
	if dir := os.Getenv(limitedDir); dir != "" {
		writeUnderLimit(t, dir)
		return
	}
	t.Parallel()
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=^TestFullDiskSurfaces$", "-test.v")
	cmd.Env = append(os.Environ(), limitedDir+"="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("--- PASS")) {
		t.Fatalf("child: %v\n%s", err, out)
	}
	if got := names(t, dir); got != "a" {
		t.Errorf("left behind: %s", got)
	}
}

func writeUnderLimit(t *testing.T, dir string) {
	signal.Ignore(syscall.SIGXFSZ)
	d, err := durable.OpenDir(dir)
	must(t, err)
	start := bytes.Repeat([]byte("x"), 900)
	must(t, d.Create("a", start))
	must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 1000, Max: 1000}))
	more := bytes.Repeat([]byte("y"), 500)
	if err := d.Append("a", more, nil); !errors.Is(err, syscall.EFBIG) {
		t.Errorf("append: got %v, want EFBIG", err)
	}
	if got, err := d.Read("a", 5000); err != nil || !bytes.Equal(got, start) {
		t.Errorf("after the refused append: %d bytes, %v", len(got), err)
	}
	big := bytes.Repeat(more, 4)
	if err := d.Create("b", big); !errors.Is(err, syscall.EFBIG) {
		t.Errorf("create: got %v, want EFBIG", err)
	}
	if err := d.Replace("a", big); !errors.Is(err, syscall.EFBIG) {
		t.Errorf("replace: got %v, want EFBIG", err)
	}
	if got, _ := d.Read("a", 5000); !bytes.Equal(got, start) {
		t.Errorf("the old content is gone")
	}
}
