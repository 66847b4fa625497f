package gate_test

import (
	"testing"

	"github.com/tolboy/warden/internal/git"
	"github.com/tolboy/warden/internal/outcome"
)

// The look of the caller stands for the one before the first command, and for no other.
func TestCallerHasJustLooked(t *testing.T) {
	t.Parallel()
	b := newBench(t, contracted...)
	req := b.request("touch elsewhere")
	req.Before = &git.Snapshot{Changes: []git.Change{{Path: "other.txt", Kind: 'A'}}}
	r := gates(t, req)
	if r.Code != outcome.BlastRadiusBeforeCommand || len(r.Commands) != 0 || req.Judge.(*counting).looks != 0 {
		t.Errorf("%s after %d commands and %d looks", r.Code, len(r.Commands), req.Judge.(*counting).looks)
	}
	req = b.request("touch elsewhere.txt")
	req.Before = &git.Snapshot{}
	if r = gates(t, req); r.Code != outcome.BlastRadiusAfterCommand || req.Judge.(*counting).looks != 1 {
		t.Errorf("%s after %d looks", r.Code, req.Judge.(*counting).looks)
	}
}
