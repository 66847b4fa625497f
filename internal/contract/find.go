package contract

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/tolboy/warden/internal/strict"
)

// TaskNotFoundError says that a selector names no task.
type TaskNotFoundError struct {
	Selector string
	Known    []string // ids by file name, sorted
}

// Error names the selector and what was probably meant.
func (e *TaskNotFoundError) Error() string {
	hint := "there is none in .warden/tasks"
	if len(e.Known) > 0 {
		hint = strict.Suggest(e.Selector, e.Known)
	}
	return fmt.Sprintf("find task %q: no such task (%s)", e.Selector, hint)
}

// FindTask returns the path, inside .warden, of the task that a selector names.
func FindTask(fsys fs.FS, selector string) (string, error) {
	s := strings.ReplaceAll(strings.TrimSpace(selector), `\`, "/")
	s = strings.TrimPrefix(strings.TrimPrefix(s, "./"), ".warden/")
	for _, candidate := range []string{s, "tasks/" + s, "tasks/" + s + ".yaml"} {
		if !fs.ValidPath(candidate) || !strings.HasPrefix(candidate, "tasks/") {
			continue
		}
		info, err := fs.Stat(fsys, candidate)
		switch {
		case err == nil && !info.IsDir():
			return candidate, nil
		case err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrInvalid):
			return "", fmt.Errorf("find task %q: %w", selector, err)
		}
	}
	return "", &TaskNotFoundError{Selector: selector, Known: taskNames(fsys)}
}

func taskNames(fsys fs.FS) []string {
	names, err := fs.Glob(fsys, "tasks/*.yaml")
	if err != nil {
		return nil
	}
	for i, n := range names {
		names[i] = strings.TrimSuffix(path.Base(n), ".yaml")
	}
	slices.Sort(names)
	return names
}

// read returns the bytes of a file of the contract. Links are refused: what a
// link points to is not part of what is hashed.
func read(fsys fs.FS, name string) ([]byte, error) {
	for i, r := range name + "/" {
		if r != '/' {
			continue
		}
		info, err := fs.Lstat(fsys, name[:i])
		if err != nil {
			return nil, fmt.Errorf("read .warden/%s: %w", name, err)
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			return nil, fmt.Errorf("read .warden/%s: %s is a symbolic link, and a contract must not lie elsewhere", name, name[:i])
		}
	}
	data, err := strict.ReadFile(fsys, name, strict.MaxYAMLBytes+1)
	if err != nil {
		return nil, fmt.Errorf("read .warden/%s: %w", name, err)
	}
	return data, nil
}
