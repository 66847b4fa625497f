package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/tolboy/warden/internal/git"
)

// listed is one entry of "git worktree list".
type listed struct {
	dir     string // with links resolved, where it exists
	branch  string
	missing bool
	partial bool // its checkout was never finished
	locked  bool
}

func list(ctx context.Context, g *git.Git, repo string) ([]listed, error) {
	out, err := g.Run(ctx, repo, "worktree", "list", "--porcelain", "-z")
	if err != nil {
		return nil, err
	}
	return parseList(string(out)), nil
}

// parseList reads entries of NUL-ended lines, each entry ended by an empty line.
func parseList(out string) []listed {
	var trees []listed
	for entry := range strings.SplitSeq(out, "\x00\x00") {
		var t listed
		for line := range strings.SplitSeq(entry, "\x00") {
			key, value, _ := strings.Cut(line, " ")
			switch key {
			case "worktree":
				t.dir = value
			case "branch":
				t.branch = strings.TrimPrefix(value, "refs/heads/")
			case "locked":
				t.locked, t.partial = true, value == "initializing"
			}
		}
		if t.dir == "" {
			continue
		}
		// git prints the path it was given; on the disk it may have another spelling.
		real, err := filepath.EvalSymlinks(t.dir)
		if t.missing = err != nil; err == nil {
			t.dir = real
		}
		trees = append(trees, t)
	}
	return trees
}

// Remove deletes a worktree that Cut made, with whatever is in it, and git's
// record of it. The branch stays. A directory that is no linked worktree of repo
// is refused; one that is gone already is only forgotten.
func Remove(ctx context.Context, g *git.Git, repo, dir string) error {
	repo, err := realPath(repo)
	if err != nil {
		return fmt.Errorf("remove worktree: %w", err)
	}
	if real, err := realPath(dir); err == nil {
		dir = real
	} else if !os.IsNotExist(err) {
		return fmt.Errorf("remove worktree: %w", err)
	}
	trees, err := list(ctx, g, repo)
	if err != nil {
		return fmt.Errorf("remove worktree: %w", err)
	}
	for i, t := range trees {
		if t.dir != dir {
			continue
		}
		if i == 0 { // git lists the main one first
			return errors.New("remove worktree: " + dir + " is the repository itself")
		}
		if t.locked {
			if _, err := g.Run(ctx, repo, "worktree", "unlock", "--", t.dir); err != nil {
				return fmt.Errorf("remove worktree: %w", err)
			}
		}
		if err := os.RemoveAll(dir); err != nil {
			return fmt.Errorf("remove worktree: %w", err)
		}
		return Prune(ctx, g, repo)
	}
	return fmt.Errorf("remove worktree: %s is no worktree of %s", dir, repo)
}

// Prune forgets worktrees whose directories are gone.
func Prune(ctx context.Context, g *git.Git, repo string) error {
	if _, err := g.Run(ctx, repo, "worktree", "prune", "--expire=now"); err != nil {
		return fmt.Errorf("prune worktrees: %w", err)
	}
	return nil
}

// Own is a linked worktree that was cut for a task: beside the repository, on the
// branch of its name.
type Own struct {
	Dir    string
	Branch string
	Locked bool
	Gone   bool // its directory is not there any more
}

// Owned returns the top of the repository's main worktree, and the worktrees beside it
// in <repository>-worktrees whose branch is called as they are and begins with prefix.
func Owned(ctx context.Context, g *git.Git, dir, prefix string) (main string, own []Own, err error) {
	trees, err := list(ctx, g, dir)
	if err != nil {
		return "", nil, fmt.Errorf("list worktrees: %w", err)
	}
	if len(trees) == 0 {
		return "", nil, nil
	}
	main = trees[0].dir
	for _, t := range trees[1:] {
		if filepath.Dir(t.dir) == main+"-worktrees" && t.branch == filepath.Base(t.dir) && strings.HasPrefix(t.branch, prefix) {
			own = append(own, Own{Dir: t.dir, Branch: t.branch, Locked: t.locked || t.partial, Gone: t.missing})
		}
	}
	return main, own, nil
}
