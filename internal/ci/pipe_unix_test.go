//go:build unix

package ci_test

import (
	"crypto/rand"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/tolboy/warden/internal/ci"
)

// A pipe in the place of the output file is refused, not waited for.
func TestOutputsIntoAPipe(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := ci.WriteOutputs(pipe, ci.Outputs{Outcome: "nothing"}, rand.Reader); err == nil {
		t.Error("nobody reads, and it went through")
	}
}
