package git

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Resolve returns the commit that rev names in the repository at dir: HEAD, an
// id, a full ref, or a branch before a remote-tracking branch before a tag, so
// that a tag never stands in for a branch of its name. A name that leads nowhere
// is an *UnresolvableError; one that no ref can have is refused before git is called.
func (g *Git) Resolve(ctx context.Context, dir, rev string) (string, error) {
	if err := CheckRevision(rev); err != nil {
		return "", fmt.Errorf("resolve: %w", err)
	}
	tries := []string{"refs/heads/" + rev, "refs/remotes/" + rev, "refs/tags/" + rev}
	switch {
	case rev == "HEAD" || strings.HasPrefix(rev, "refs/") || IsObjectID(rev):
		tries = []string{rev}
	case isHex(rev):
		tries = append(tries, rev)
	}
	for _, name := range tries {
		out, err := g.Run(ctx, dir, "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
		if err == nil {
			if id := strings.TrimSpace(string(out)); IsObjectID(id) {
				return id, nil
			}
			return "", fmt.Errorf("resolve %q: git printed no object id", rev)
		}
		var failed *CommandError
		// Status 1 is "no such name"; 128 with --quiet is an id of the wrong kind
		// as well as a repository that cannot be read, which the check below tells apart.
		if !errors.As(err, &failed) {
			return "", err
		}
		if failed.ExitCode != 1 {
			if _, repo := g.CommonDir(ctx, dir); repo != nil {
				return "", repo
			}
		}
	}
	return "", &UnresolvableError{Rev: rev, Shallow: g.shallow(ctx, dir), Empty: g.empty(ctx, dir)}
}

// MergeBase returns the best common ancestor of two revisions. Having none is an
// *UnresolvableError.
func (g *Git) MergeBase(ctx context.Context, dir, a, b string) (string, error) {
	var ids [2]string
	for i, rev := range []string{a, b} {
		id, err := g.Resolve(ctx, dir, rev)
		if err != nil {
			return "", err
		}
		ids[i] = id
	}
	out, err := g.Run(ctx, dir, "merge-base", ids[0], ids[1])
	var failed *CommandError
	if errors.As(err, &failed) && failed.ExitCode == 1 {
		return "", &UnresolvableError{Rev: a, Other: b, Shallow: g.shallow(ctx, dir)}
	}
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(string(out)), nil
}

// Root returns the top of the worktree that holds dir, with symbolic links resolved.
func (g *Git) Root(ctx context.Context, dir string) (string, error) {
	out, err := g.Run(ctx, dir, "rev-parse", "--show-toplevel")
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(oneLine(out))
}

// CommonDir returns the git directory that all worktrees of the repository at
// dir share, with symbolic links resolved.
func (g *Git) CommonDir(ctx context.Context, dir string) (string, error) {
	out, err := g.Run(ctx, dir, "rev-parse", "--git-common-dir")
	if err != nil {
		return "", err
	}
	path := oneLine(out)
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	return filepath.EvalSymlinks(path)
}

// CurrentBranch returns the branch that is checked out at dir, or "" when HEAD
// is detached. The branch need not have a commit yet.
func (g *Git) CurrentBranch(ctx context.Context, dir string) (string, error) {
	out, err := g.Run(ctx, dir, "symbolic-ref", "--quiet", "HEAD")
	var failed *CommandError
	if errors.As(err, &failed) && failed.ExitCode == 1 {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return strings.TrimPrefix(oneLine(out), "refs/heads/"), nil
}

// FirstCommit returns the oldest commit of the history of HEAD: what every clone and
// worktree of a repository has in common. Of several that have no parent it is the one
// that sorts first. It is "" where the history is cut off, or has no commit.
func (g *Git) FirstCommit(ctx context.Context, dir string) (string, error) {
	if g.shallow(ctx, dir) {
		return "", nil
	}
	if _, err := g.Run(ctx, dir, "rev-parse", "--verify", "--quiet", "HEAD^{commit}"); err != nil {
		var failed *CommandError
		if errors.As(err, &failed) && failed.ExitCode == 1 {
			return "", nil
		}
		return "", err
	}
	out, err := g.Run(ctx, dir, "rev-list", "--max-parents=0", "HEAD")
	if err != nil {
		return "", err
	}
	first := strings.Fields(string(out))
	if len(first) == 0 {
		return "", nil
	}
	return slices.Min(first), nil
}

func (g *Git) shallow(ctx context.Context, dir string) bool {
	out, err := g.Run(ctx, dir, "rev-parse", "--is-shallow-repository")
	return err == nil && oneLine(out) == "true"
}

// empty reports whether no ref leads to a commit. What cannot be told is not empty.
func (g *Git) empty(ctx context.Context, dir string) bool {
	out, err := g.Run(ctx, dir, "rev-list", "--all", "--max-count=1")
	return err == nil && len(out) == 0
}

// oneLine takes off the line end that git adds, and nothing of a name that ends in a space.
func oneLine(out []byte) string {
	return strings.TrimSuffix(strings.TrimSuffix(string(out), "\n"), "\r")
}
