package runner

import (
	"context"
	"fmt"

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
}

// Look implements engine.Eyes.
func (e *eyes) Look(ctx context.Context) (engine.Tree, error) {
	snap, err := e.judge.Snapshot(ctx)
	if err != nil {
		return engine.Tree{}, fmt.Errorf("look at the worktree: %w", err)
	}
	return e.tree(snap)
}

// tree reads a snapshot that was taken already, so that a boundary costs one.
func (e *eyes) tree(snap git.Snapshot) (engine.Tree, error) {
	t := engine.Tree{Source: snap.Source, Changed: append([]string{}, snap.SourcePaths()...)}
	refused := map[string]bool{}
	for _, r := range snap.Refused {
		refused[r.Path] = true
		t.Refused = append(t.Refused, fmt.Sprintf("%s (%s)", r.Path, r.Why))
	}
	for _, v := range gate.Outside(e.task, snap) {
		if !refused[v.Path] {
			t.Outside = append(t.Outside, fmt.Sprintf("%s (%s)", v.Path, v.Why))
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
