package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
)

// walker collects the paths that show a directory without what is closed in it.
type walker struct {
	host   host
	closed []string
	paths  []string
}

// open adds start. A directory on the way to something closed is replaced by what
// lies in it, and so are those below; its own names cannot be listed then. Links
// are passed over: what they lead to is opened where it lies.
func (w *walker) open(start string) error {
	todo := []string{start}
	for len(todo) > 0 {
		path := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !w.holdsClosed(path) {
			if len(w.paths) >= maxRules {
				return fmt.Errorf("more than %d paths lie beside what is hidden", maxRules)
			}
			w.paths = append(w.paths, path)
			continue
		}
		entries, err := w.host.list(path)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
			continue // what cannot be listed stays closed
		}
		if err != nil {
			return fmt.Errorf("list what is beside a hidden path: %w", err)
		}
		if len(entries)+len(todo) > maxRules {
			return fmt.Errorf("more than %d paths lie beside what is hidden", maxRules)
		}
		for _, e := range entries {
			next := filepath.Join(path, e.Name())
			if e.Type()&fs.ModeSymlink == 0 && !w.isClosed(next) {
				todo = append(todo, next)
			}
		}
	}
	return nil
}

func (w *walker) isClosed(path string) bool {
	for _, c := range w.closed {
		if path == c {
			return true
		}
	}
	return false
}

// holdsClosed reports whether something closed lies below path.
func (w *walker) holdsClosed(path string) bool {
	for _, c := range w.closed {
		if c != path && within(c, path) {
			return true
		}
	}
	return false
}

// below returns the path relative to dir of what lies in it.
func below(path, dir string) (string, bool) {
	if path == dir || !within(path, dir) {
		return "", false
	}
	rel, err := filepath.Rel(dir, path)
	return rel, err == nil
}
