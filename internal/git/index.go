package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// seedIndex makes the index hold exactly the tree of Head. Stat data of the
// worktree's index is kept for what is the same, since without it every look at
// the worktree would read every file.
func (j *Judge) seedIndex(ctx context.Context) error {
	index := filepath.Join(j.cfg.GitDir, "index")
	copied := false
	if _, err := os.Lstat(index); errors.Is(err, fs.ErrNotExist) && !j.cfg.DistrustIndex {
		if copied, err = j.copyIndex(index); err != nil {
			return err
		}
	} else if err == nil {
		copied = true
	} else if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("look for the index: %w", err)
	}
	if _, err := j.run(ctx, "read-tree", "--reset", j.cfg.Head); err != nil {
		return fmt.Errorf("read head into the index: %w", err)
	}
	if err := j.clearFlags(ctx); err != nil {
		return err
	}
	if !copied {
		// Status 1 only says that some file differs from Head.
		var failed *CommandError
		if _, err := j.run(ctx, "update-index", "-q", "--refresh"); err != nil && !errors.As(err, &failed) {
			return err
		}
	}
	return j.distrustRecent(ctx, j.now())
}

// copyIndex copies the index that belongs to the worktree, if it has one.
func (j *Judge) copyIndex(to string) (bool, error) {
	dir, err := worktreeGitDir(j.cfg.Worktree, j.cfg.Source)
	if err != nil {
		return false, err
	}
	from := filepath.Join(dir, "index")
	if _, err := os.Stat(from); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	shared, err := filepath.Glob(filepath.Join(dir, "sharedindex.*"))
	if err != nil {
		return false, fmt.Errorf("copy the index: %w", err)
	}
	for _, path := range shared {
		if err := copyFile(path, filepath.Join(j.cfg.GitDir, filepath.Base(path))); err != nil {
			return false, fmt.Errorf("copy the index: %w", err)
		}
	}
	if err := copyFile(from, to); err != nil {
		return false, fmt.Errorf("copy the index: %w", err)
	}
	return true, nil
}

// worktreeGitDir reads a worktree's .git without asking git, and accepts only a
// place inside the source: the file may say anything.
func worktreeGitDir(worktree, source string) (string, error) {
	path := filepath.Join(worktree, ".git")
	info, err := os.Lstat(path)
	if err != nil {
		return "", fmt.Errorf("find the worktree's index: %w", err)
	}
	dir := path
	if info.Mode().IsRegular() {
		data, err := os.ReadFile(path)
		if err != nil {
			return "", fmt.Errorf("find the worktree's index: %w", err)
		}
		to, ok := strings.CutPrefix(strings.TrimRight(string(data), "\r\n"), "gitdir: ")
		if !ok {
			return "", fmt.Errorf("find the worktree's index: %s does not name a git directory", path)
		}
		if dir = to; !filepath.IsAbs(dir) {
			dir = filepath.Join(worktree, dir)
		}
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return "", fmt.Errorf("find the worktree's index: %w", err)
	}
	if rel, err := filepath.Rel(source, dir); err != nil || !filepath.IsLocal(rel) {
		return "", fmt.Errorf("find the worktree's index: %s is not in %s", dir, source)
	}
	return dir, nil
}

// copyFile keeps the time of modification: git compares it with that of a file
// to know whether the file may have changed in the same second as the index.
func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file", from)
	}
	out, err := os.CreateTemp(filepath.Dir(to), ".new-*")
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if e := out.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Chtimes(out.Name(), info.ModTime(), info.ModTime())
	}
	if err == nil {
		err = os.Rename(out.Name(), to)
	}
	if err != nil {
		os.Remove(out.Name())
	}
	return err
}

// clearFlags takes away the bits by which an index asks git not to look at a
// file. A file that is not there keeps skip-worktree: it was never checked out.
func (j *Judge) clearFlags(ctx context.Context) error {
	out, err := j.run(ctx, "ls-files", "-v", "-s", "-z")
	if err != nil {
		return err
	}
	var unchanged, present bytes.Buffer
	j.tracked, j.sparse, j.modules, j.submodules = out, false, nil, nil
	for record := range bytes.SplitSeq(out, []byte{0}) {
		tag, mode, path, ok := parseTracked(record)
		if !ok {
			if len(record) == 0 {
				continue
			}
			return fmt.Errorf("list the index: git printed %q", record)
		}
		if tag >= 'a' && tag <= 'z' {
			unchanged.WriteString(path + "\x00")
		}
		if mode == submodule {
			j.submodules = append(j.submodules, path)
			if empty(j.disk(path)) {
				j.modules = append(j.modules, path)
			}
		}
		if tag != 'S' && tag != 's' {
			continue
		}
		if _, err := os.Lstat(j.disk(path)); err == nil {
			present.WriteString(path + "\x00")
		} else {
			j.sparse = true
		}
	}
	for _, clear := range []struct {
		flag  string
		paths []byte
	}{{"--no-assume-unchanged", unchanged.Bytes()}, {"--no-skip-worktree", present.Bytes()}} {
		if len(clear.paths) == 0 {
			continue
		}
		c := j.call("update-index", clear.flag, "-z", "--stdin")
		c.Config, c.Stdin = nil, clear.paths
		if _, err := j.git.Do(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// parseTracked reads "T mode id stage<TAB>path".
func parseTracked(record []byte) (tag byte, mode, path string, ok bool) {
	meta, name, found := bytes.Cut(record, []byte{'\t'})
	fields := bytes.Fields(meta)
	if !found || len(fields) != 4 || len(fields[0]) != 1 || len(name) == 0 {
		return 0, "", "", false
	}
	return fields[0][0], string(fields[1]), string(name), true
}

func empty(dir string) bool {
	entries, err := os.ReadDir(dir)
	return errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0
}
