package runner

import (
	"testing"

	"github.com/tolboy/warden/internal/git"
)

// A look serves one child. What that child leaves is nobody's until it is seen.
func TestLookServesOneChild(t *testing.T) {
	t.Parallel()
	var e eyes
	if e.take() != nil {
		t.Error("a look that nobody took")
	}
	e.saw(git.Snapshot{Full: "a"})
	e.saw(git.Snapshot{Full: "b"})
	if got := e.take(); got == nil || got.Full != "b" {
		t.Errorf("took %v, want the last look", got)
	}
	if got := e.take(); got != nil {
		t.Errorf("took %v a second time", got)
	}
}
