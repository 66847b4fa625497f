package runner

import (
	"context"
	"fmt"
	"slices"

	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/engine"
	"github.com/tolboy/warden/internal/gate"
	"github.com/tolboy/warden/internal/git"
)

// eyes looks at tree and contract at a boundary.
type eyes struct {
	judge    *git.Judge
	task     contract.Task
	worktree string
	contract contract.Snapshot
	setup    []string // what the setup commands changed

	last *git.Snapshot // since which no child has run; nil when nobody can tell
}

// saw keeps a look that was taken when the last child had ended.
func (e *eyes) saw(snap git.Snapshot) { e.last = &snap }

// take hands the last look to the one who starts the next child. It is gone then: a
// child that ended badly leaves a tree that nobody has seen.
func (e *eyes) take() *git.Snapshot {
	snap := e.last
	e.last = nil
	return snap
}

// Look implements engine.Eyes.
func (e *eyes) Look(ctx context.Context) (engine.Tree, error) {
	snap, err := e.judge.Snapshot(ctx)
	if err != nil {
		return engine.Tree{}, fmt.Errorf("look at the worktree: %w", err)
	}
	e.saw(snap)
	return e.tree(snap)
}

// tree reads a snapshot that was taken already, so that a boundary costs one.
func (e *eyes) tree(snap git.Snapshot) (engine.Tree, error) {
	t := engine.Tree{Source: snap.Source, Changed: append([]string{}, snap.SourcePaths()...)}
	refused := map[string]bool{}
	for _, r := range snap.Refused {
		refused[r.Path] = true
		t.Refused = append(t.Refused, e.fault(&t, r.Path, r.Why))
	}
	for _, v := range gate.Outside(e.task, snap) {
		if !refused[v.Path] {
			t.Outside = append(t.Outside, e.fault(&t, v.Path, v.Why))
		}
	}
	now, err := gate.TakeContract(e.worktree)
	if err != nil {
		t.Contract = []string{err.Error()}
		return t, nil
	}
	t.Contract = e.contract.Diff(now)
	return t, nil
}

// fault describes a path that no candidate may change, and remembers it where it
// was the setup that did.
func (e *eyes) fault(t *engine.Tree, path, why string) string {
	text := fmt.Sprintf("%s (%s)", path, why)
	if slices.Contains(e.setup, path) {
		t.BySetup = append(t.BySetup, text)
	}
	return text
}
