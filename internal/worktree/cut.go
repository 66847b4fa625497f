// Package worktree makes the isolated trees that agents work in: a worktree of
// its own for a run, beside the repository or cut from a bare mirror. Where that
// cannot be had it refuses; nothing is ever edited in place instead.
package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/tolboy/warden/internal/git"
)

// Placement is how a tree came to be.
type Placement string

// The ways in which Cut gives a tree.
const (
	Created  Placement = "created"  // new directory, and a new branch if one was named
	Attached Placement = "attached" // new directory on a branch that was there
	Joined   Placement = "joined"   // the worktree that already has the branch
)

// CutSpec says what to cut and where.
type CutSpec struct {
	Repo   string // a worktree of the repository, or its bare mirror
	Dir    string // where the new worktree goes: outside Repo, absent or empty
	Branch string // "" leaves HEAD detached
	Start  string // commit id; a branch that exists already keeps its own
}

// ErrUnfinished is returned by Cut when the branch's worktree is there but was
// interrupted while it was made, or is still being made. Remove makes room.
var ErrUnfinished = errors.New("its checkout was not finished")

// Tree is a worktree that Cut made or found. Dir has its links resolved.
type Tree struct {
	Dir       string
	Branch    string
	Placement Placement
	// Settings are the repository's, as they were read for the checkout; nil for a tree
	// that was joined.
	Settings *git.Settings
}

// Cut makes a worktree without touching the files, the index or the HEAD of
// Repo. A branch that is already checked out in another worktree gives that one.
// No hook and no filter of the repository runs: files kept elsewhere by a filter,
// as with LFS, are there as their pointers. It is safe for concurrent use on
// different branches.
func Cut(ctx context.Context, g *git.Git, s CutSpec) (Tree, error) {
	tree, err := cut(ctx, g, s)
	if err != nil {
		return Tree{}, fmt.Errorf("cut a worktree: %w", err)
	}
	return tree, nil
}

func cut(ctx context.Context, g *git.Git, s CutSpec) (Tree, error) {
	if err := s.check(); err != nil {
		return Tree{}, err
	}
	repo, err := realPath(s.Repo)
	if err != nil {
		return Tree{}, err
	}
	dir, err := destination(repo, s.Dir)
	if err != nil {
		return Tree{}, err
	}
	if s.Branch != "" { // a detached one joins nothing
		trees, err := list(ctx, g, repo)
		if err != nil {
			return Tree{}, err
		}
		if t, ok, err := join(trees, repo, dir, s.Branch); ok || err != nil {
			return t, err
		}
	}
	if err := vacant(dir); err != nil {
		return Tree{}, err
	}
	args, placement := []string{"worktree", "add", "--quiet", "--detach", "--", dir, s.Start}, Created
	if s.Branch != "" {
		there, err := branch(ctx, g, repo, s.Branch)
		if err != nil {
			return Tree{}, err
		}
		args = []string{"worktree", "add", "--quiet", "--no-track", "-b", s.Branch, "--", dir, s.Start}
		if there != "" {
			args, placement = []string{"worktree", "add", "--quiet", "--", dir, s.Branch}, Attached
		}
	}
	settings, err := g.Settings(ctx, repo)
	if err != nil {
		return Tree{}, err
	}
	config, err := checkoutConfig(settings)
	if err != nil {
		return Tree{}, err
	}
	call := git.Call{Dir: repo, Config: config, Args: args, Env: identity}
	if isBare(repo) {
		call.GitDir = repo
	}
	if _, err := g.Do(ctx, call); err != nil {
		return Tree{}, err
	}
	return Tree{Dir: dir, Branch: s.Branch, Placement: placement, Settings: &settings}, nil
}

func (s CutSpec) check() error {
	if !git.IsObjectID(s.Start) {
		return fmt.Errorf("start %q is no object id", s.Start)
	}
	if s.Branch == "" {
		return nil
	}
	return git.CheckBranch(s.Branch)
}

// identity signs the reflog entry of a new branch; the operator's own name is in
// settings that are not read.
var identity = []string{"GIT_COMMITTER_NAME=Warden", "GIT_COMMITTER_EMAIL=warden@localhost"}

// destination resolves where the worktree goes as far as it exists. Inside the
// repository it would show as a change, and a name that ends in .git is kept for
// mirrors.
func destination(repo, dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if dir == "" || strings.HasSuffix(abs, ".git") {
		return "", fmt.Errorf("directory %q cannot be a worktree", dir)
	}
	if err := os.MkdirAll(filepath.Dir(abs), 0o755); err != nil {
		return "", err
	}
	parent, err := filepath.EvalSymlinks(filepath.Dir(abs))
	if err != nil {
		return "", err
	}
	abs = filepath.Join(parent, filepath.Base(abs))
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		abs = real
	}
	if rel, err := filepath.Rel(repo, abs); err == nil && filepath.IsLocal(rel) {
		return "", fmt.Errorf("directory %s lies inside the repository %s", abs, repo)
	}
	return abs, nil
}

// join finds the worktree that has the branch, or says why dir cannot be used.
func join(trees []listed, repo, dir, branch string) (Tree, bool, error) {
	for _, t := range trees {
		switch {
		case t.branch == branch && t.dir == repo:
			return Tree{}, false, fmt.Errorf("branch %q is checked out in %s itself", branch, repo)
		case t.branch == branch && t.missing:
			return Tree{}, false, fmt.Errorf("branch %q belongs to the worktree %s, which is gone: remove it first", branch, t.dir)
		case t.branch == branch && t.partial:
			return Tree{}, false, fmt.Errorf("branch %q, worktree %s: %w", branch, t.dir, ErrUnfinished)
		case t.branch == branch:
			return Tree{Dir: t.dir, Branch: branch, Placement: Joined}, true, nil
		case t.dir == dir && !t.missing:
			return Tree{}, false, fmt.Errorf("directory %s is a worktree of %s", dir, orDetached(t.branch))
		}
	}
	return Tree{}, false, nil
}

func orDetached(branch string) string {
	if branch == "" {
		return "a detached HEAD"
	}
	return fmt.Sprintf("branch %q", branch)
}

func vacant(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if len(entries) > 0 {
		return fmt.Errorf("directory %s is not empty", dir)
	}
	return nil
}

func realPath(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

func isBare(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, ".git"))
	return err != nil
}
