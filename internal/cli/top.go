package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/tolboy/warden/internal/git"
)

// top returns the top of the repository that holds dir, which is where a project
// is: a candidate is the whole tree of the repository, so a scope, a fingerprint
// or a protected path that was meant from further down would be another one.
func top(ctx context.Context, g *git.Git, dir string) (string, error) {
	root, err := g.Root(ctx, dir)
	if err != nil {
		return "", noRepository(dir)
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return "", err
	}
	for at := dir; at != root && at != filepath.Dir(at); at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".warden", "project.yaml")); err == nil {
			return "", below(at, root)
		}
	}
	return root, nil
}

func noRepository(dir string) error {
	return &refused{Code: "not_a_git_repository", Message: fmt.Sprintf("%s is in no git repository", dir),
		Hint: "run `git init` there, or let `warden do --init-repo GOAL` make it one with what is there as its first commit"}
}

// below refuses a project that is not the whole repository.
func below(dir, root string) error {
	name, err := filepath.Rel(root, dir)
	if err != nil {
		name = dir
	}
	return &refused{Code: "project_below_root", Message: fmt.Sprintf("%s lies inside the git repository %s, and a project is a whole repository", dir, root),
		Hint: fmt.Sprintf("keep .warden at the top, with a scope that holds %s and checks that begin with cd %s", filepath.ToSlash(name), quoted(filepath.ToSlash(name)))}
}
