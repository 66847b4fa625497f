package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// host is what building a command line asks the machine. Tests replace it.
type host struct {
	uid, gid int
	lstat    func(string) (fs.FileInfo, error)
	eval     func(string) (string, error)
	sockets  func() ([]string, error)
	list     func(string) ([]fs.DirEntry, error)
}

func thisHost() (host, error) {
	if runtime.GOOS != "linux" {
		return host{}, errors.New("confinement needs linux, this is " + runtime.GOOS)
	}
	return host{
		uid:     os.Geteuid(),
		gid:     os.Getegid(),
		lstat:   os.Lstat,
		eval:    filepath.EvalSymlinks,
		sockets: listeningSockets,
		list:    os.ReadDir,
	}, nil
}

// exists reports whether path is there; any other doubt is an error.
func (h host) exists(path string) (bool, error) {
	_, err := h.lstat(path)
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	}
	return false, err
}

// resolve follows the links in the part of path that exists and keeps the
// rest.
func (h host) resolve(path string) (string, error) {
	path = filepath.Clean(path)
	rest := ""
	for {
		real, err := h.eval(path)
		if err == nil {
			return filepath.Join(real, rest), nil
		}
		if !errors.Is(err, fs.ErrNotExist) || path == "/" {
			return "", err
		}
		rest = filepath.Join(filepath.Base(path), rest)
		path = filepath.Dir(path)
	}
}
