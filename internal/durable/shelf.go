package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
)

// Shelf is an open directory, of which thousands of directories are read, a few
// files of each. It is safe for concurrent use.
type Shelf struct {
	*Dir
	self *os.File
	path string
}

// OpenShelf opens a directory as OpenDir does.
func OpenShelf(dir string) (*Shelf, error) {
	d, err := OpenDir(dir)
	if err != nil {
		return nil, err
	}
	self, err := d.root.Open(".")
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open directory: %w", err), d.Close())
	}
	return &Shelf{Dir: d, self: self, path: dir}, nil
}

// Entries returns what is in the shelf, in no order. List of a Dir looks at each name
// besides, which for ten thousand of them is most of the work.
func (s *Shelf) Entries() ([]fs.DirEntry, error) {
	dir, err := os.Open(s.path)
	if err != nil {
		return nil, fmt.Errorf("list directory: %w", err)
	}
	defer dir.Close()
	here, err := dir.Stat()
	if err != nil {
		return nil, fmt.Errorf("list directory: %w", err)
	}
	if opened, err := s.self.Stat(); err != nil || !os.SameFile(here, opened) {
		return nil, fmt.Errorf("list directory %q: it is another one now", s.path)
	}
	entries, err := dir.ReadDir(-1)
	if err != nil {
		return nil, fmt.Errorf("list directory: %w", err)
	}
	return entries, nil
}

// Close lets go of the directory.
func (s *Shelf) Close() error { return errors.Join(s.self.Close(), s.Dir.Close()) }

// Box is a directory of a shelf, for one goroutine at a time.
type Box struct {
	fd  int  // -1 where dir is used
	dir *Dir // opened when there is no quick way, or it did not succeed
}

// Box opens a directory directly below the shelf. Neither it nor a file in it is
// reached through a link.
func (s *Shelf) Box(name string) (*Box, error) {
	if !single(name) {
		return nil, fmt.Errorf("open directory %q: %w", name, fs.ErrInvalid)
	}
	if fd, ok := openBox(s.self, name); ok {
		return &Box{fd: fd}, nil
	}
	dir, err := s.Sub(name)
	if err != nil {
		return nil, err
	}
	return &Box{fd: -1, dir: dir}, nil
}

// single reports whether a name is one component of a path.
func single(name string) bool {
	return name != "." && fs.ValidPath(name) && path.Base(name) == name
}
