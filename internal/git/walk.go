package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// maxWalked bounds a look at a worktree, in entries of directories.
const maxWalked = 20_000_000

// oddity is something in the worktree that no candidate may hold and that git's
// own list of changes does not show: git neither enters a repository inside the
// repository nor lists what is neither file nor link.
type oddity struct {
	path, why string
	blocks    bool // git would open it, and wait
}

// walk looks at every directory of the worktree, changed or not, and opens no
// file. What .gitignore covers is in the result too; see unignored.
func (j *Judge) walk(ctx context.Context) ([]oddity, error) {
	w := walker{disk: j.disk, own: j.checkedOut()}
	for dirs := []string{""}; len(dirs) > 0; {
		if err := ctx.Err(); err != nil {
			return nil, context.Cause(ctx)
		}
		dir := dirs[len(dirs)-1]
		dirs = dirs[:len(dirs)-1]
		below, err := w.directory(dir)
		if err != nil {
			return nil, fmt.Errorf("walk the worktree: %w", err)
		}
		if w.seen > maxWalked {
			return nil, fmt.Errorf("walk the worktree: more than %d entries", maxWalked)
		}
		dirs = append(dirs, below...)
	}
	return w.found, nil
}

type walker struct {
	disk  func(string) string
	own   map[string]bool // submodules that were checked out before the start
	seen  int
	found []oddity
}

// directory reads one directory and returns those below it.
func (w *walker) directory(dir string) ([]string, error) {
	f, err := os.Open(w.disk(dir))
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil // it was removed meanwhile
		}
		if errors.Is(err, fs.ErrPermission) {
			w.found = append(w.found, oddity{path: dir, why: "a directory that cannot be read"})
			return nil, nil
		}
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	if err != nil {
		return nil, err
	}
	w.seen += len(entries)
	var below []string
	bare := 0
	for _, e := range entries {
		name := e.Name()
		path := name
		if dir != "" {
			path = dir + "/" + name
		}
		switch t := e.Type(); {
		case name == ".git" && dir == "", path == ".warden/runs", w.own[path]:
			continue
		case name == ".git":
			w.found = append(w.found, oddity{path: dir, why: nestedRepository})
			continue
		case t.IsDir():
			below = append(below, path)
		case t != 0 && t != fs.ModeSymlink:
			w.found = append(w.found, oddity{path: path, why: "neither a file nor a link", blocks: consulted(name)})
		}
		bare |= bareParts(name)
	}
	if bare == head|objects|refs || bare&(head|common) == head|common {
		where := dir
		if where == "" {
			where = "HEAD"
		}
		w.found = append(w.found, oddity{path: where, why: bareRepository})
	}
	return below, nil
}

// unignored drops what the ignore rules cover: no candidate holds it.
func (j *Judge) unignored(ctx context.Context, odd []oddity) ([]oddity, error) {
	if len(odd) == 0 {
		return nil, nil
	}
	var list strings.Builder
	for _, o := range odd {
		list.WriteString(o.path + "\x00")
	}
	c := j.call("check-ignore", "-z", "--stdin", "--no-index")
	c.Stdin = []byte(list.String())
	res, err := j.git.Do(ctx, c)
	var failed *CommandError
	if errors.As(err, &failed) && failed.ExitCode == 1 { // none of them
		return odd, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for ignored paths: %w", err)
	}
	ignored := map[string]bool{}
	for path := range strings.SplitSeq(string(res.Stdout), "\x00") {
		ignored[path] = true
	}
	return slices.DeleteFunc(odd, func(o oddity) bool { return ignored[o.path] }), nil
}

// consulted reports whether git reads a file of this name wherever it stands.
func consulted(name string) bool {
	return name == ".gitignore" || name == ".gitattributes" || name == ".gitmodules"
}

const (
	head = 1 << iota
	objects
	refs
	common
)

// bareParts says which part of a bare repository a name is.
func bareParts(name string) int {
	switch strings.ToLower(name) {
	case "head":
		return head
	case "objects":
		return objects
	case "refs":
		return refs
	case "commondir":
		return common
	}
	return 0
}

// checkedOut lists the submodules of Head that had files before the start.
func (j *Judge) checkedOut() map[string]bool {
	own := map[string]bool{}
	for _, path := range j.submodules {
		own[path] = true
	}
	for _, path := range j.modules {
		delete(own, path)
	}
	return own
}
