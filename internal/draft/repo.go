package draft

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// Runner runs git.
type Runner interface {
	Run(ctx context.Context, dir string, args ...string) ([]byte, error)
}

// FirstBranch is the branch of a repository that InitRepo makes.
const FirstBranch = "main"

// InitRepo makes a directory a git repository and commits what is in it as the
// baseline. It refuses a directory that has a .git already.
func InitRepo(ctx context.Context, g Runner, dir string) error {
	if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
		return fmt.Errorf("make %s a repository: .git is there already", dir)
	}
	for _, args := range [][]string{
		{"init", "--quiet", "--initial-branch=" + FirstBranch},
		{"add", "--all"},
		{"-c", "user.name=Warden", "-c", "user.email=warden@localhost", "commit", "--quiet", "--no-verify", "--allow-empty", "--no-gpg-sign", "--message", "Baseline"},
	} {
		if _, err := g.Run(ctx, dir, args...); err != nil {
			return fmt.Errorf("make %s a repository: %w", dir, err)
		}
	}
	return nil
}
