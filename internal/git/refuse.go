package git

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
)

const (
	nestedRepository = "a repository inside the repository"
	bareRepository   = "a bare repository inside the repository"
)

// refuse lists what in the worktree no candidate may hold.
func (j *Judge) refuse(changes []Change, nested []string, odd []oddity) ([]Refusal, error) {
	var out []Refusal
	known := map[string]bool{}
	add := func(path, why string) {
		if !known[path] {
			known[path] = true
			out = append(out, Refusal{Path: path, Why: why})
		}
	}
	moved, err := j.link()
	if err != nil {
		return nil, err
	}
	if moved != "" {
		add(".git", moved)
	}
	for _, path := range nested {
		add(path, nestedRepository)
	}
	for _, path := range j.modules {
		if !empty(j.disk(path)) {
			add(path, "files in a submodule that was not checked out")
		}
	}
	for _, c := range changes {
		why, err := j.refuseOne(c)
		if err != nil {
			return nil, err
		}
		if why != "" {
			add(c.Path, why)
		}
	}
	for _, o := range odd {
		if !j.ownBare(o, changes) {
			add(o.path, o.why)
		}
	}
	for path, other := range j.collisions(changes) {
		add(path, fmt.Sprintf("differs from %q in case only", other))
	}
	for path, other := range j.oneOnDisk(changes) {
		add(path, fmt.Sprintf("one with %q on this file system, which ignores case", other))
	}
	slices.SortFunc(out, func(a, b Refusal) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

// ownBare reports whether an oddity is a bare repository that the project keeps as
// ordinary files, as a fixture say, and that nobody has touched.
func (j *Judge) ownBare(o oddity, changes []Change) bool {
	if o.why != bareRepository || o.path == "HEAD" {
		return false
	}
	if slices.ContainsFunc(changes, func(c Change) bool { return strings.HasPrefix(c.Path, o.path+"/") }) {
		return false
	}
	for record := range bytes.SplitSeq(j.tracked, []byte{0}) {
		if _, _, path, ok := parseTracked(record); ok && strings.EqualFold(path, o.path+"/HEAD") {
			return true
		}
	}
	return false
}

func (j *Judge) refuseOne(c Change) (string, error) {
	if c.Mode == submodule || c.OldMode == submodule {
		if c.Mode == submodule && c.Blob == "" {
			info, err := os.Lstat(j.disk(c.Path))
			switch {
			case err == nil && info.Mode().IsRegular():
				return fmt.Sprintf("larger than %d bytes", maxContent), nil
			case err == nil && !info.IsDir():
				return "neither a file nor a link", nil
			}
		}
		return "a submodule", nil
	}
	if why := BadPath(c.Path); why != "" && c.Kind != 'D' {
		return why, nil
	}
	if c.Mode != symlink {
		return "", nil
	}
	target, err := os.Readlink(j.disk(c.Path))
	if err != nil {
		return "", fmt.Errorf("read link %q: %w", c.Path, err)
	}
	return badLink(c.Path, target), nil
}

// BadPath says why a path is one that some system takes for git's own directory
// or for Warden's, or returns "".
func BadPath(path string) string {
	for i, part := range strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == '\\' }) {
		name := plainName(part)
		switch {
		case name == ".git" || shortGit(name):
			return "a name that some system takes for .git"
		case i == 0 && name == ".warden" && part != ".warden":
			return "a name that some system takes for .warden"
		}
	}
	return ""
}

// plainName undoes what HFS+ (letters that do not count) and NTFS (dots and
// spaces at the end, streams after a colon) leave out of a comparison.
func plainName(part string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 0x200c && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x206a && r <= 0x206f, r == 0xfeff:
			return -1
		}
		return r
	}, part)
	name, _, _ = strings.Cut(name, ":")
	return strings.ToLower(strings.TrimRight(name, ". "))
}

// shortGit reports whether name is a short name that NTFS may give to .git.
func shortGit(name string) bool {
	digits, ok := strings.CutPrefix(name, "git~")
	return ok && digits != "" && strings.Trim(digits, "0123456789") == ""
}

// badLink says why a link may lead out of the worktree. Leading ".." are counted
// against the link's own directory, which git guarantees to be a real one; behind
// a name they could start anywhere, since the name may be a link itself.
func badLink(path, target string) string {
	const leaves = "a link that leaves the repository"
	target = strings.ReplaceAll(target, "\\", "/")
	if target == "" || strings.HasPrefix(target, "/") || len(target) > 1 && target[1] == ':' {
		return leaves
	}
	depth, named := strings.Count(path, "/"), false
	for part := range strings.SplitSeq(target, "/") {
		switch {
		case part == "" || part == ".":
		case part == ".." && named:
			return "a link with .. behind a name"
		case part == "..":
			if depth--; depth < 0 {
				return leaves
			}
		default:
			named = true
			if why := BadPath(part); why != "" && depth >= 0 {
				return "a link to " + why
			}
		}
	}
	return ""
}
