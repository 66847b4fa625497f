package proc

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strings"
)

// NotFoundError says that no startable program has a name. It matches
// exec.ErrNotFound.
type NotFoundError struct {
	Name    string
	Skipped []Skipped
	Inside  bool // one was there, in a tree that is worked on; see LookOutside
}

// Skipped is a file that has the name and cannot be started.
type Skipped struct{ Path, Reason string }

func (e *NotFoundError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "find program %q: not on PATH", e.Name)
	for _, s := range e.Skipped {
		fmt.Fprintf(&b, "; %s %s", s.Path, s.Reason)
	}
	if e.Inside {
		b.WriteString("; install it outside of the trees that are worked on, or correct PATH")
	}
	return b.String()
}

// Unwrap makes the error match exec.ErrNotFound.
func (e *NotFoundError) Unwrap() error { return exec.ErrNotFound }

// LookPath returns the absolute path of the program name on the PATH of env.
// No shell is asked, so a name is only ever a file name. An absolute path is
// checked; a relative one is refused, and relative entries of PATH are passed
// over, since both would start what lies in the working directory. Without a
// program the error is a *NotFoundError.
func LookPath(name string, env []string) (string, error) {
	return find(env).find(name)
}

func find(env []string) finder {
	f := finder{goos: runtime.GOOS, stat: os.Stat, isAbs: filepath.IsAbs, join: filepath.Join}
	f.dirs = filepath.SplitList(lookup(f.goos, env, "PATH"))
	f.exts = lookup(f.goos, env, "PATHEXT")
	return f
}

// finder is the search with everything it takes from the system.
type finder struct {
	goos  string
	dirs  []string
	exts  string // PATHEXT
	stat  func(string) (fs.FileInfo, error)
	isAbs func(string) bool
	join  func(...string) string
	under func(string) string // tree that is worked on and holds the file, or ""; nil: nobody asks
}

func (f finder) find(name string) (string, error) {
	missing := &NotFoundError{Name: name}
	if name == "" || name == "." || name == ".." || strings.ContainsRune(name, 0) {
		return "", missing
	}
	if f.isAbs(name) {
		if found := f.pick(name, missing); found != "" {
			return found, nil
		}
		return "", missing
	}
	if strings.ContainsRune(name, '/') || f.goos == "windows" && strings.ContainsAny(name, `\:`) {
		return "", fmt.Errorf("find program %q: a relative path is not started; give a name or an absolute path", name)
	}
	for _, dir := range f.dirs {
		if !f.isAbs(dir) {
			continue
		}
		if found := f.pick(f.join(dir, name), missing); found != "" {
			return found, nil
		}
	}
	return "", missing
}

// pick returns the first startable file for the path without regard to PATH.
func (f finder) pick(file string, missing *NotFoundError) string {
	for _, candidate := range Startable(f.goos, file, f.exts) {
		info, err := f.stat(candidate)
		if err != nil {
			continue
		}
		switch {
		case info.IsDir():
			missing.skip(candidate, "is a directory")
		case !info.Mode().IsRegular():
			missing.skip(candidate, "is no regular file")
		case f.goos != "windows" && info.Mode().Perm()&0o111 == 0:
			missing.skip(candidate, "is not executable")
		default:
			tree := ""
			if f.under != nil {
				tree = f.under(candidate)
			}
			if tree == "" {
				return candidate
			}
			missing.Inside = true
			missing.skip(candidate, "is not started, since it lies in "+tree+", which is worked on")
		}
	}
	if f.goos == "windows" && !startableExt(path.Ext(file)) {
		if info, err := f.stat(file); err == nil && !info.IsDir() {
			missing.skip(file, "has no extension that can be started")
		}
	}
	return ""
}

// maxSkipped bounds the files an error names.
const maxSkipped = 8

func (e *NotFoundError) skip(path, reason string) {
	if len(e.Skipped) < maxSkipped {
		e.Skipped = append(e.Skipped, Skipped{Path: path, Reason: reason})
	}
}

// Startable returns the files to try for a program path, in order. Elsewhere
// than on windows that is the path. On windows it is the path if its extension
// can be started, else the path with each extension of pathext that can: the
// system starts no file without one, and no script kind but batch files.
func Startable(goos, file, pathext string) []string {
	if goos != "windows" {
		return []string{file}
	}
	if startableExt(path.Ext(file)) {
		return []string{file}
	}
	var out []string
	for ext := range strings.SplitSeq(pathext, ";") {
		if startableExt(ext) {
			out = append(out, file+strings.ToLower(ext))
		}
	}
	if len(out) == 0 {
		for _, ext := range []string{".com", ".exe", ".bat", ".cmd"} {
			out = append(out, file+ext)
		}
	}
	return out
}

func startableExt(ext string) bool {
	switch strings.ToLower(ext) {
	case ".com", ".exe", ".bat", ".cmd":
		return true
	}
	return false
}
