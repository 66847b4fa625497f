// Package durable writes files so that a crash, a full disk or a hostile link
// leaves either the old content or the new one. Every name is relative to a
// directory that was opened once; no component of it may be a link.
package durable

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// Errors that a caller branches on.
var (
	// ErrLink means that a name, or a directory on the way to it, is a link.
	ErrLink = errors.New("is a link")
	// ErrNotRegular means that the name is something other than a plain file.
	ErrNotRegular = errors.New("is not a regular file")
	// ErrTooLarge means that a file is larger than the caller accepts.
	ErrTooLarge = errors.New("is larger than allowed")
)

// Dir is an open directory. Its methods are safe for concurrent use as far as
// the file system is; writers of one name agree by Lock.
type Dir struct {
	root *os.Root
}

// OpenDir opens a directory that exists. It is not a link itself; a repository may
// bring one that would have us write elsewhere.
func OpenDir(dir string) (*Dir, error) {
	seen, err := os.Lstat(dir)
	if err != nil {
		return nil, fmt.Errorf("open directory: %w", err)
	}
	if seen.Mode()&fs.ModeSymlink != 0 {
		return nil, fmt.Errorf("open directory: %s %w; put a directory in its place", dir, ErrLink)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open directory: %w", err)
	}
	if now, err := root.Stat("."); err != nil || !os.SameFile(seen, now) {
		root.Close()
		return nil, fmt.Errorf("open directory: %s was replaced while it was opened", dir)
	}
	return &Dir{root: root}, nil
}

// MakeDir opens a directory and makes it first, parents included, if it is
// missing.
func MakeDir(dir string) (*Dir, error) {
	err := os.MkdirAll(filepath.Dir(dir), 0o755)
	if err == nil {
		err = os.Mkdir(dir, 0o755)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("make directory: %w", err)
	}
	return OpenDir(dir)
}

// Sub opens a directory directly below d. For many files of it this costs half of
// what it costs to look at every part of each name.
func (d *Dir) Sub(name string) (*Dir, error) {
	before, err := d.root.Lstat(filepath.FromSlash(name))
	switch {
	case err != nil:
		return nil, fmt.Errorf("open directory %q: %w", name, err)
	case !fs.ValidPath(name) || path.Base(name) != name:
		return nil, fmt.Errorf("open directory %q: %w", name, fs.ErrInvalid)
	case before.Mode()&fs.ModeSymlink != 0:
		return nil, fmt.Errorf("open directory %q: %w", name, ErrLink)
	case !before.IsDir():
		return nil, fmt.Errorf("open directory %q: is not a directory", name)
	}
	root, err := d.root.OpenRoot(name)
	if err != nil {
		return nil, fmt.Errorf("open directory %q: %w", name, err)
	}
	after, err := root.Stat(".")
	if err == nil && !os.SameFile(before, after) {
		err = ErrLink // put there since we looked
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open directory %q: %w", name, err), root.Close())
	}
	return &Dir{root}, nil
}

// Close releases the directory.
func (d *Dir) Close() error { return d.root.Close() }

// Mkdir makes a directory below d, parents included. One that exists is fine; a
// link or a file in its place is not.
func (d *Dir) Mkdir(name string) error {
	if err := d.root.MkdirAll(filepath.FromSlash(name), 0o755); err != nil {
		return fmt.Errorf("make directory %q: %w", name, err)
	}
	if err := d.noLinks(path.Join(name, "x")); err != nil {
		return err
	}
	return d.syncDir(path.Dir(name))
}

// Claim makes a directory below d that was not there: of several that try, one
// succeeds, and the others get fs.ErrExist.
func (d *Dir) Claim(name string) error {
	err := d.noLinks(name)
	if err == nil {
		err = d.root.Mkdir(filepath.FromSlash(name), 0o755)
	}
	if err != nil {
		return fmt.Errorf("make directory %q: %w", name, err)
	}
	return d.syncDir(path.Dir(name))
}

// List returns the entries of a directory below d, sorted by name.
func (d *Dir) List(name string) ([]fs.DirEntry, error) {
	if err := d.noLinks(path.Join(name, "x")); err != nil {
		return nil, err
	}
	entries, err := fs.ReadDir(d.root.FS(), path.Clean(name))
	if err != nil {
		return nil, fmt.Errorf("list %q: %w", name, err)
	}
	return entries, nil
}

// Read returns the content of a plain file of at most limit bytes.
func (d *Dir) Read(name string, limit int64) ([]byte, error) {
	f, err := d.open(name, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", name, err)
	}
	if info.Size() > limit { // nobody waits for what is refused
		return nil, fmt.Errorf("read %q: %w (%d bytes, and at most %d)", name, ErrTooLarge, info.Size(), limit)
	}
	// Room for the whole of it at once: growing costs a call of the system each time.
	data := bytes.NewBuffer(make([]byte, 0, info.Size()+bytes.MinRead))
	if _, err := data.ReadFrom(io.LimitReader(f, limit+1)); err != nil {
		return nil, fmt.Errorf("read %q: %w", name, err)
	}
	if int64(data.Len()) > limit {
		return nil, fmt.Errorf("read %q: %w (%d bytes)", name, ErrTooLarge, limit)
	}
	return data.Bytes(), nil
}

// open opens a plain file that exists. It compares what was opened with what
// the name is, so that a link put there in between is noticed.
// A file that is replaced by rename in that moment is opened again.
func (d *Dir) open(name string, flag int) (*os.File, error) {
	if err := d.noLinks(name); err != nil {
		return nil, err
	}
	for range maxReplaced {
		f, err := d.openOnce(name, flag)
		if !errors.Is(err, errReplaced) {
			return f, err
		}
	}
	return nil, fmt.Errorf("open %q: %w", name, ErrLink)
}

// maxReplaced bounds how often a name may lead elsewhere while it is opened.
const maxReplaced = 100

var errReplaced = errors.New("replaced while it was opened")

func (d *Dir) openOnce(name string, flag int) (*os.File, error) {
	before, err := d.root.Lstat(filepath.FromSlash(name))
	if err != nil {
		return nil, fmt.Errorf("open %q: %w", name, err)
	}
	if before.Mode()&fs.ModeSymlink != 0 {
		return nil, fmt.Errorf("open %q: %w", name, ErrLink)
	}
	if !before.Mode().IsRegular() {
		return nil, fmt.Errorf("open %q: %w", name, ErrNotRegular)
	}
	f, err := d.root.OpenFile(filepath.FromSlash(name), flag|noFollow, 0)
	if err != nil {
		return nil, fmt.Errorf("open %q: %w", name, err)
	}
	after, err := f.Stat()
	if err == nil && !os.SameFile(before, after) {
		err = errReplaced
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("open %q: %w", name, err)
	}
	return f, nil
}

// noLinks checks every directory on the way to name.
func (d *Dir) noLinks(name string) error {
	if !fs.ValidPath(name) {
		return fmt.Errorf("use %q: %w", name, fs.ErrInvalid)
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		info, err := d.root.Lstat(filepath.FromSlash(dir))
		if err != nil {
			return fmt.Errorf("use %q: %w", name, err)
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			return fmt.Errorf("use %q: %q %w", name, dir, ErrLink)
		}
		if !info.IsDir() {
			return fmt.Errorf("use %q: %q is not a directory", name, dir)
		}
	}
	return nil
}
