package proc

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// LookOutside is LookPath for a program that is started with everything the user
// may do. What lies in a tree that is worked on is passed over: a confined child
// may write there, and PATH often begins with such a place (an activated .venv/bin,
// node_modules/.bin). Such a tree is a directory with .warden/project.yaml, and
// the git checkout that holds the working directory or one of dirs. When there is
// no other program, the *NotFoundError has Inside set.
func LookOutside(name string, env []string, dirs ...string) (string, error) {
	roots := checkouts(dirs)
	f := find(env)
	f.under = func(path string) string { return under(path, roots) }
	return f.find(name)
}

// PathOutside returns the PATH of env without the entries in a tree that is worked
// on, for a program that looks for others by itself.
func PathOutside(env []string, dirs ...string) string {
	roots := checkouts(dirs)
	var keep []string
	for _, dir := range filepath.SplitList(lookup(runtime.GOOS, env, "PATH")) {
		if filepath.IsAbs(dir) && under(dir, roots) == "" {
			keep = append(keep, dir)
		}
	}
	return strings.Join(keep, string(os.PathListSeparator))
}

// Inside returns the tree that is worked on in which path lies, or a link on the
// way to it, and "" when there is none. Trees are those of LookOutside.
func Inside(path string, dirs ...string) string { return under(path, checkouts(dirs)) }

// checkouts are the git checkouts that hold the working directory and dirs.
func checkouts(dirs []string) []fs.FileInfo {
	if here, err := os.Getwd(); err == nil {
		dirs = append(dirs[:len(dirs):len(dirs)], here)
	}
	var roots []fs.FileInfo
	for _, dir := range dirs {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			dir = real
		}
		for at := range ancestors(dir) {
			if _, err := os.Lstat(filepath.Join(at, ".git")); err != nil {
				continue
			}
			if info, err := os.Stat(at); err == nil {
				roots = append(roots, info)
			}
			break
		}
	}
	return roots
}

// under asks for every link on the way, since each can be turned elsewhere by
// whoever may write where it lies.
func under(path string, roots []fs.FileInfo) string {
	for _, place := range places(path) {
		for at := range ancestors(place) {
			if _, err := os.Lstat(filepath.Join(at, ".warden", "project.yaml")); err == nil {
				return at
			}
			info, err := os.Stat(at)
			if err != nil {
				continue
			}
			for _, root := range roots {
				if os.SameFile(info, root) {
					return at
				}
			}
		}
	}
	return ""
}

// ancestors yields an absolute path and the directories above it.
func ancestors(path string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for at := filepath.Clean(path); yield(at) && at != filepath.Dir(at); at = filepath.Dir(at) {
		}
	}
}

// maxLinks bounds the links that a path is followed along.
const maxLinks = 40

// places returns where a path leads and where each link on the way lies. What
// does not exist (yet) counts as what its name says.
func places(path string) []string {
	top := filepath.VolumeName(path) + string(filepath.Separator)
	split := func(s string) []string { return strings.Split(filepath.ToSlash(s), "/") }
	at, rest := top, split(path[len(filepath.VolumeName(path)):])
	var out []string
	for len(rest) > 0 {
		part := rest[0]
		rest = rest[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			at = filepath.Dir(at)
			continue
		}
		next := filepath.Join(at, part)
		target, err := os.Readlink(next)
		if err != nil {
			at = next
			continue
		}
		if out = append(out, next); len(out) > maxLinks {
			break
		}
		if filepath.IsAbs(target) {
			at = top
		}
		rest = append(split(target), rest...)
	}
	return append(out, at)
}
