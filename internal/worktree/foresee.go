package worktree

import (
	"context"
	"errors"
	"fmt"

	"github.com/tolboy/warden/internal/git"
)

// Foresee says which tree Cut would give, and the commit that is checked out in
// it. Nothing is changed: what can be refused is refused before there is a tree.
func Foresee(ctx context.Context, g *git.Git, s CutSpec) (Tree, string, error) {
	tree, commit, err := foresee(ctx, g, s)
	if err != nil {
		return Tree{}, "", fmt.Errorf("cut a worktree: %w", err)
	}
	return tree, commit, nil
}

func foresee(ctx context.Context, g *git.Git, s CutSpec) (Tree, string, error) {
	if err := s.check(); err != nil {
		return Tree{}, "", err
	}
	repo, err := realPath(s.Repo)
	if err != nil {
		return Tree{}, "", err
	}
	trees, err := list(ctx, g, repo)
	if err != nil {
		return Tree{}, "", err
	}
	if t, ok, err := join(trees, repo, s.Dir, s.Branch); ok || err != nil {
		if err != nil {
			return Tree{}, "", err
		}
		commit, err := g.Resolve(ctx, t.Dir, "HEAD")
		return t, commit, err
	}
	if err := vacant(s.Dir); err != nil {
		return Tree{}, "", err
	}
	commit, err := branch(ctx, g, repo, s.Branch)
	switch {
	case err != nil:
		return Tree{}, "", err
	case commit != "":
		return Tree{Dir: s.Dir, Branch: s.Branch, Placement: Attached}, commit, nil
	}
	return Tree{Dir: s.Dir, Branch: s.Branch, Placement: Created}, s.Start, nil
}

// branch returns the commit of a branch, "" when there is none.
func branch(ctx context.Context, g *git.Git, repo, name string) (string, error) {
	if name == "" {
		return "", nil
	}
	commit, err := g.Resolve(ctx, repo, "refs/heads/"+name)
	var missing *git.UnresolvableError
	if errors.As(err, &missing) {
		return "", nil
	}
	return commit, err
}

// Undo takes back what Cut made and nobody has worked in: the directory, and the
// branch where that was new and is still at start. What was there before stays.
func Undo(ctx context.Context, g *git.Git, repo string, t Tree, start string) error {
	if t.Placement == Joined {
		return nil
	}
	if err := Remove(ctx, g, repo, t.Dir); err != nil {
		return err
	}
	if t.Placement != Created || t.Branch == "" {
		return nil
	}
	if _, err := g.Run(ctx, repo, "update-ref", "-d", "refs/heads/"+t.Branch, start); err != nil {
		return fmt.Errorf("take back branch %q: %w", t.Branch, err)
	}
	return nil
}
