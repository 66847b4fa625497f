package git

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const movedLink = "it leads git to another repository: run no git in this worktree"

// link says why what stands as .git at the top of the worktree is not what it has to
// be, the repository that is judged or a link to it, or returns "". Whoever ran git
// there would run it with settings of somebody else's. That nothing stands there is
// no fault: the files may have come without it.
func (j *Judge) link() (string, error) {
	path := filepath.Join(j.cfg.Worktree, ".git")
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("look at the worktree's link to its repository: %w", err)
	}
	to := path
	switch {
	case info.Mode().IsRegular():
		f, err := os.Open(path)
		if err != nil {
			return "", fmt.Errorf("read the worktree's link to its repository: %w", err)
		}
		defer f.Close()
		data, err := io.ReadAll(io.LimitReader(f, 8<<10))
		if err != nil {
			return "", fmt.Errorf("read the worktree's link to its repository: %w", err)
		}
		rest, ok := strings.CutPrefix(string(data), "gitdir:")
		if !ok {
			return movedLink, nil
		}
		if to = strings.TrimSpace(rest); !filepath.IsAbs(to) {
			to = filepath.Join(j.cfg.Worktree, to)
		}
	case !info.IsDir() && info.Mode()&fs.ModeSymlink == 0:
		return movedLink, nil
	}
	real, err := filepath.EvalSymlinks(to)
	if err != nil || real != j.cfg.Source && filepath.Dir(real) != filepath.Join(j.cfg.Source, "worktrees") {
		return movedLink, nil // also where it leads nowhere
	}
	return "", nil
}
