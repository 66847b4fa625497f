package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/tolboy/warden/internal/durable"
	"github.com/tolboy/warden/internal/runner"
)

// hold takes the git worktree around dir for one run: two at once would each count
// what the other changed as its own. The lock is in the state directory, so that
// nothing in the tree decides about it, and a process that dies lets go.
func (a *app) hold(ctx context.Context, m *runner.Machine, dir, id string) (release func(), err error) {
	return a.take(m, dir, treeKey(ctx, m, dir), id)
}

// holdPlace takes a worktree that may not be there yet, so that of several that would
// cut it one does, and nobody takes back what another works in.
func (a *app) holdPlace(m *runner.Machine, p place, id string) (release func(), err error) {
	dir := p.tree.Dir
	if above, err := filepath.EvalSymlinks(filepath.Dir(dir)); err == nil {
		dir = filepath.Join(above, filepath.Base(dir))
	}
	return a.take(m, dir, keyOf(dir), id)
}

func (a *app) take(m *runner.Machine, dir, key, id string) (release func(), err error) {
	locks, err := durable.MakeDir(filepath.Join(m.StateDir, "busy"))
	if err != nil {
		return nil, err
	}
	defer locks.Close()
	free, err := locks.Hold(key, fmt.Sprintf("process %d for run %s", os.Getpid(), id))
	var busy *durable.BusyError
	if errors.As(err, &busy) {
		by := busy.Holder
		if by == "" {
			by = "another process"
		}
		return nil, &refused{Code: "worktree_busy", Message: fmt.Sprintf("the worktree %s is in use by %s", dir, by),
			Hint: "wait until it has ended, or work in a tree of its own: " + a.program() + " do"}
	}
	if err != nil {
		return nil, err
	}
	return func() { _ = free() }, nil
}
