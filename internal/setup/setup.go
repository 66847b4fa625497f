// Package setup writes the starter files of an operator's home: a policy, a
// profile for each known agent CLI, prompts and schemas. What is there already
// is never touched.
package setup

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/tolboy/warden/spec"
)

//go:embed all:home
var starter embed.FS

// schemas are the answer schemas that the home gets a copy of.
var schemas = [...]string{"implementer.json", "reviewer.json", "planner.json", "plan_reviewer.json", "architect.json", "visual_qa.json"}

// Result says what Write did. The paths are relative to the home, with slashes.
type Result struct {
	Home    string   `json:"home"`
	Created []string `json:"created"`
	Skipped []string `json:"skipped_existing"`
}

// Files returns the starter files by their path in the home.
func Files() (map[string][]byte, error) {
	out := map[string][]byte{}
	root, err := fs.Sub(starter, "home")
	if err != nil {
		return nil, fmt.Errorf("open the starter files: %w", err)
	}
	err = fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		out[path], err = fs.ReadFile(root, path)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the starter files: %w", err)
	}
	for _, name := range schemas {
		if out["schemas/"+name], err = fs.ReadFile(spec.Schemas, "schemas/"+name); err != nil {
			return nil, fmt.Errorf("read schema %s: %w", name, err)
		}
	}
	return out, nil
}

// Write puts every starter file that is missing into the home and makes the
// directories for it. A file that exists, whatever it holds, stays as it is.
func Write(home string) (Result, error) {
	if !filepath.IsAbs(home) {
		return Result{}, fmt.Errorf("set up %q: the home must be an absolute path", home)
	}
	files, err := Files()
	if err != nil {
		return Result{}, err
	}
	r := Result{Home: home, Created: []string{}, Skipped: []string{}}
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		made, err := create(filepath.Join(home, filepath.FromSlash(name)), files[name])
		if err != nil {
			return r, fmt.Errorf("set up %s: %w", name, err)
		}
		if made {
			r.Created = append(r.Created, name)
		} else {
			r.Skipped = append(r.Skipped, name)
		}
	}
	return r, nil
}

// create writes a file that must not exist. Only the operator can read it.
func create(path string, data []byte) (bool, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return false, err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		return false, errors.Join(err, os.Remove(path))
	}
	return true, nil
}
