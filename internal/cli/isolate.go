package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/tolboy/warden/internal/git"
	"github.com/tolboy/warden/internal/runner"
	"github.com/tolboy/warden/internal/worktree"
)

// place is where the work on a goal goes, as it is known before anything is made.
type place struct {
	repo   string // top of the operator's checkout
	start  string // what the tree is cut from, as a person calls it
	spec   worktree.CutSpec
	tree   worktree.Tree // what cutting it gives
	commit string        // what is checked out there
}

// foresee says which worktree, beside the repository, a goal gets. It fails rather
// than let anyone work in the operator's own checkout.
func (a *app) foresee(ctx context.Context, m *runner.Machine, repo string, o doOptions) (place, error) {
	p := place{repo: repo, start: o.baseRef}
	if p.start == "HEAD" {
		branch, err := m.Git.CurrentBranch(ctx, repo)
		if err != nil {
			return p, err
		}
		if branch == "" {
			return p, &refused{Code: "isolation_detached_head", Message: repo + " is on no branch", Hint: "check out the branch that the work should start from"}
		}
		p.start = branch
	}
	commit, err := m.Git.Resolve(ctx, repo, p.start)
	if err != nil {
		return p, &refused{Code: "isolation_worktree_failed", Message: err.Error(), Hint: "a worktree is cut from a commit; see --base-ref"}
	}
	name := "w-" + clip(o.taskID, 60)
	p.spec = worktree.CutSpec{Repo: repo, Dir: filepath.Join(filepath.Dir(repo), filepath.Base(repo)+"-worktrees", name), Branch: name, Start: commit}
	if p.tree, p.commit, err = worktree.Foresee(ctx, m.Git, p.spec); err != nil {
		return p, uncut(err, p)
	}
	return p, nil
}

// uncut refuses where no tree was cut. One whose making was cut off is in the way of
// the next, and git does not take it away by itself.
func uncut(err error, p place) error {
	if errors.Is(err, worktree.ErrUnfinished) {
		return &refused{Code: "isolation_worktree_failed", Message: err.Error(),
			Hint: "where nothing is at work on it: git -C " + quoted(p.repo) + " worktree remove --force --force " + quoted(p.spec.Dir) + ", and start again"}
	}
	return &refused{Code: "isolation_worktree_failed", Message: err.Error(), Hint: "--in-place works in the checkout itself"}
}

// committed refuses a contract that the worktree would not get: what done means
// is read from a commit, and an edit that is left out must not look as if it held.
func (a *app) committed(ctx context.Context, m *runner.Machine, p place) error {
	differs, err := worktree.Changes(ctx, m.Git, p.repo)
	if err != nil {
		return err
	}
	if len(differs.Contract) > 0 {
		return &refused{Code: "contract_not_committed",
			Message: fmt.Sprintf("the worktree gets its contract from the commit at %s, and this checkout has another one that is not committed: %s", p.start, few(differs.Contract)),
			Hint:    "commit .warden, undo the change, or use --in-place"}
	}
	if n := len(differs.Other); n > 0 {
		a.narrate("note: %d uncommitted change(s) in this checkout are not part of the run: %s", n, few(differs.Other))
	}
	return nil
}

// cut makes the tree that was foreseen, or joins it, and notes in p which it was: what
// was looked for may have been cut since. The tree is held.
func (a *app) cut(ctx context.Context, m *runner.Machine, p *place, out *doResult) error {
	tree, err := worktree.Cut(ctx, m.Git, p.spec)
	if err != nil {
		return uncut(err, *p)
	}
	p.tree = tree
	if tree.Placement != worktree.Joined {
		if err := owe(ctx, m, tree.Dir); err != nil {
			return err
		}
	}
	out.Worktree, out.Isolated, out.Isolation, out.StartRef = tree.Dir, true, string(tree.Placement), p.start
	a.narrate("tree  %s (%s from %s)", tree.Dir, tree.Placement, p.start)
	if tree.Placement == worktree.Joined {
		return nil // what is in it is somebody's work
	}
	return a.fillLFS(ctx, m, *p, tree.Dir)
}

// fillLFS puts content in the place of pointers, and says of which there is none.
func (a *app) fillLFS(ctx context.Context, m *runner.Machine, p place, dir string) error {
	_, missing, err := worktree.FillLFS(ctx, m.Git, dir)
	if err != nil {
		return uncut(err, p)
	}
	if n := len(missing); n > 0 {
		a.narrate("note: %d file(s) of Git LFS are pointers in the worktree, since their content is not on this machine: %s. To have it: git -C %s lfs fetch, and start again in a fresh worktree",
			n, few(missing), quoted(p.repo))
	}
	return nil
}

// undo takes back a tree in which nothing ran. The tree is held.
func (a *app) undo(ctx context.Context, m *runner.Machine, p place) {
	if err := worktree.Undo(ctx, m.Git, p.repo, p.tree, p.spec.Start); err != nil {
		a.narrate("note: %s was left behind: %v", p.tree.Dir, err)
		return
	}
	if p.tree.Placement != worktree.Joined {
		_ = paid(ctx, m, p.tree.Dir)
		a.narrate("tree  %s was taken back: nothing ran in it", p.tree.Dir)
	}
}

// stale says when the tree that is joined is not from where one would be cut now:
// it has another base, and maybe another contract, than the checkout shows.
func (a *app) stale(ctx context.Context, m *runner.Machine, p place) error {
	if p.commit == p.spec.Start {
		return nil
	}
	base, err := m.Git.MergeBase(ctx, p.repo, p.commit, p.spec.Start)
	var unrelated *git.UnresolvableError
	if err != nil && !errors.As(err, &unrelated) {
		return err
	}
	if base == p.spec.Start {
		return nil // it is ahead
	}
	again := "git -C " + quoted(p.repo)
	remove := again + " branch -D " + p.tree.Branch
	if p.tree.Placement == worktree.Joined {
		remove = again + " worktree remove --force " + quoted(p.tree.Dir) + " && " + remove
	}
	a.narrate("note: branch %s is at %.10s, and %s is at %.10s: the work goes on from the older one. To start afresh, without what it holds: %s",
		p.tree.Branch, p.commit, p.start, p.spec.Start, remove)
	return nil
}

// few lists names on one line, the first of many.
func few(names []string) string {
	const most = 5
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}
