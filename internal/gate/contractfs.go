package gate

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/tolboy/warden/internal/contract"
)

// ContractFS reads the .warden directory of a worktree and follows no link: what
// a child left there decides nothing about where we read.
type ContractFS struct{ dir *os.Root }

// OpenContract opens <worktree>/.warden. It must be a directory, not a link.
func OpenContract(worktree string) (*ContractFS, error) {
	top, err := os.OpenRoot(worktree)
	if err != nil {
		return nil, fmt.Errorf("open the worktree: %w", err)
	}
	defer top.Close()
	seen, err := top.Lstat(".warden")
	if err != nil {
		return nil, fmt.Errorf("open the contract: %w", err)
	}
	if !seen.IsDir() {
		return nil, errors.New("open the contract: .warden is not a directory")
	}
	dir, err := top.OpenRoot(".warden")
	if err != nil {
		return nil, fmt.Errorf("open the contract: %w", err)
	}
	if now, err := dir.Stat("."); err != nil || !os.SameFile(seen, now) {
		_ = dir.Close()
		return nil, errors.New("open the contract: .warden changed while it was opened")
	}
	return &ContractFS{dir}, nil
}

// Close releases the directory.
func (c *ContractFS) Close() error { return c.dir.Close() }

// Open implements fs.FS. Only regular files and directories open, and only along
// a path without links.
func (c *ContractFS) Open(name string) (fs.File, error) {
	seen, err := c.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !seen.IsDir() && !seen.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("neither a file nor a directory")}
	}
	// Without blocking, since a pipe may have taken the file's place.
	f, err := c.dir.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if now, err := f.Stat(); err != nil || !os.SameFile(seen, now) {
		_ = f.Close()
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("changed while it was opened")}
	}
	return f, nil
}

// Stat implements fs.StatFS. There is no link to follow.
func (c *ContractFS) Stat(name string) (fs.FileInfo, error) { return c.Lstat(name) }

// Lstat implements fs.ReadLinkFS.
func (c *ContractFS) Lstat(name string) (fs.FileInfo, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "lstat", Path: name, Err: fs.ErrInvalid}
	}
	for i, b := range []byte(name) {
		if b != '/' {
			continue
		}
		info, err := c.dir.Lstat(name[:i])
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			return nil, &fs.PathError{Op: "lstat", Path: name, Err: fmt.Errorf("%s is not a directory", name[:i])}
		}
	}
	return c.dir.Lstat(name)
}

// ReadLink implements fs.ReadLinkFS.
func (c *ContractFS) ReadLink(name string) (string, error) {
	if dir, _, nested := cutLast(name); nested {
		if info, err := c.Lstat(dir); err != nil || !info.IsDir() {
			return "", &fs.PathError{Op: "readlink", Path: name, Err: errors.New("its path is not one of directories")}
		}
	}
	return c.dir.Readlink(name)
}

func cutLast(name string) (dir, base string, found bool) {
	i := strings.LastIndexByte(name, '/')
	if i < 0 {
		return "", name, false
	}
	return name[:i], name[i+1:], true
}

// TakeContract takes the contract that stands in a worktree now.
func TakeContract(worktree string) (contract.Snapshot, error) {
	fsys, err := OpenContract(worktree)
	if err != nil {
		return contract.Snapshot{}, err
	}
	defer fsys.Close()
	return contract.Take(fsys)
}

// contractChanges says what differs from the contract of the run. A contract that
// can no longer be read differs.
func contractChanges(root string, begun contract.Snapshot) []string {
	now, err := TakeContract(root)
	if err != nil {
		return []string{err.Error()}
	}
	return begun.Diff(now)
}
