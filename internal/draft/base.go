package draft

import (
	"context"
	"errors"
	"strings"

	"github.com/tolboy/warden/internal/git"
)

// Base picks what the candidates of a repository are compared with: the branch
// that its origin calls the main one, else origin/main or origin/master, else the
// branch that is checked out. A contract that names a ref nobody has would stop
// every run.
func Base(ctx context.Context, g *git.Git, dir string) (string, error) {
	refs := []string{"origin/main", "origin/master"}
	out, err := g.Run(ctx, dir, "symbolic-ref", "--quiet", "refs/remotes/origin/HEAD")
	if name, ok := strings.CutPrefix(strings.TrimSpace(string(out)), "refs/remotes/"); ok && err == nil {
		refs = append([]string{name}, refs...)
	}
	for _, ref := range refs {
		_, err := g.Resolve(ctx, dir, "refs/remotes/"+ref)
		var missing *git.UnresolvableError
		if !errors.As(err, &missing) {
			return ref, err
		}
	}
	branch, err := g.CurrentBranch(ctx, dir)
	if branch == "" && err == nil {
		return "HEAD", nil
	}
	return branch, err
}
