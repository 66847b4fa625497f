package cli

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/tolboy/warden/internal/runner"
	"github.com/tolboy/warden/internal/worktree"
)

// isolate cuts, or joins, a worktree beside the repository. It fails rather than
// work in the operator's own checkout.
func (a *app) isolate(ctx context.Context, m *runner.Machine, dir string, o doOptions, out *doResult) error {
	root, err := m.Git.Root(ctx, dir)
	if err != nil {
		return &refused{Code: "isolation_not_a_repository", Message: err.Error()}
	}
	start := o.baseRef
	if start == "HEAD" {
		branch, err := m.Git.CurrentBranch(ctx, root)
		if err != nil {
			return err
		}
		if branch == "" {
			return &refused{Code: "isolation_detached_head", Message: root + " is on no branch", Hint: "check out the branch that the work should start from"}
		}
		start = branch
	}
	commit, err := m.Git.Resolve(ctx, root, start)
	if err != nil {
		return &refused{Code: "isolation_worktree_failed", Message: err.Error()}
	}
	name := "w-" + clip(o.taskID, 60)
	tree, err := worktree.Cut(ctx, m.Git, worktree.CutSpec{Repo: root, Dir: filepath.Join(filepath.Dir(root), filepath.Base(root)+"-worktrees", name), Branch: name, Start: commit})
	if err != nil {
		return &refused{Code: "isolation_worktree_failed", Message: fmt.Sprintf("cut a worktree: %v", err), Hint: "--in-place works in the checkout itself"}
	}
	out.Worktree, out.Isolated, out.Isolation, out.StartRef = tree.Dir, true, string(tree.Placement), start
	a.narrate("tree  %s (%s from %s)", tree.Dir, tree.Placement, start)
	return nil
}
