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
	locks, err := durable.MakeDir(filepath.Join(m.StateDir, "busy"))
	if err != nil {
		return nil, err
	}
	defer locks.Close()
	free, err := locks.Hold(treeKey(ctx, m, dir), fmt.Sprintf("process %d for run %s", os.Getpid(), id))
	var busy *durable.BusyError
	if errors.As(err, &busy) {
		by := busy.Holder
		if by == "" {
			by = "another process"
		}
		return nil, &refused{Code: "worktree_busy", Message: fmt.Sprintf("the worktree %s is in use by %s", dir, by),
			Hint: "wait until it has ended, or work in a tree of its own: warden do"}
	}
	if err != nil {
		return nil, err
	}
	return func() { _ = free() }, nil
}
