package policy

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tolboy/warden/internal/strict"
)

const (
	policyFile  = "policy.yaml"
	maxProfiles = 500
	maxSupport  = 4 << 20 // bytes of a prompt or a schema
)

// Load reads the operator's home from a file system rooted at dir. A file that
// is not as it should be does not end the load: it is recorded in Problems, and
// a policy.yaml that exists but cannot be used sets Policy.Err. The error means
// that the home could not be looked at. A home that does not exist is empty.
func Load(dir string, fsys fs.FS) (Home, error) {
	h := Home{Dir: dir, FS: fsys, Policy: Absent(), Profiles: map[string]Profile{}, Problems: map[string]string{}}
	switch data, err := strict.ReadFile(fsys, policyFile, strict.MaxYAMLBytes+1); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		h.refusePolicy(fmt.Errorf("read %s: %w", filepath.Join(dir, policyFile), err))
	default:
		p, err := ParsePolicy(filepath.Join(dir, policyFile), data)
		if err != nil {
			h.refusePolicy(err)
			break
		}
		h.Policy = p
	}
	if err := h.loadProfiles(); err != nil {
		return Home{}, err
	}
	return h, nil
}

func (h *Home) refusePolicy(err error) {
	h.Policy = Policy{Present: true, Err: err}
	h.problem(policyFile, err)
}

func (h *Home) problem(key string, err error) {
	h.Problems[key] = err.Error()
	var faults strict.Faults
	if errors.As(err, &faults) {
		h.Faults = append(h.Faults, faults...)
		return
	}
	h.Faults = append(h.Faults, strict.Fault{File: key, Line: 1, Message: err.Error()})
}

func (h *Home) loadProfiles() error {
	entries, err := fs.ReadDir(h.FS, "profiles")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("list profiles in %s: %w", h.Dir, err)
	}
	n := 0
	for _, e := range entries {
		stem, ok := strings.CutSuffix(e.Name(), ".yaml")
		if e.IsDir() {
			continue
		}
		if strings.HasSuffix(e.Name(), ".yml") {
			h.problem(e.Name(), fmt.Errorf("read %s: the name of a profile's file ends in .yaml", filepath.Join(h.Dir, "profiles", e.Name())))
		}
		if !ok {
			continue
		}
		if n++; n > maxProfiles {
			return fmt.Errorf("list profiles in %s: more than %d", h.Dir, maxProfiles)
		}
		h.loadProfile(stem)
	}
	return nil
}

func (h *Home) loadProfile(stem string) {
	name := "profiles/" + stem + ".yaml"
	file := filepath.Join(h.Dir, filepath.FromSlash(name))
	data, err := strict.ReadFile(h.FS, name, strict.MaxYAMLBytes+1)
	if err != nil {
		h.problem(stem, fmt.Errorf("read %s: %w", file, err))
		return
	}
	p, err := ParseProfile(file, stem, data)
	if err != nil {
		h.problem(stem, err)
		return
	}
	h.Profiles[p.Name] = p
	if Reads(p.Role) && !p.ReadOnly {
		h.problem(stem, strict.Faults{{File: file, Line: lineOf(data, "read_only"), Key: "read_only",
			Message: "a " + p.Role + " only reads and must be read-only", Hint: "write read_only: true; until then the profile is refused"}})
	}
}

// lineOf finds a top-level key of a document that is known to be well formed.
func lineOf(data []byte, key string) int {
	for i, l := range strings.Split(string(data), "\n") {
		if strings.HasPrefix(l, key) {
			return i + 1
		}
	}
	return 1
}

// ProfileNames are the names of the loaded profiles, sorted.
func (h Home) ProfileNames() []string { return slices.Sorted(maps.Keys(h.Profiles)) }

// Dangling lists the profiles that the policy names and the home does not have,
// each as "role -> name", sorted.
func (h Home) Dangling() []string {
	var out []string
	for _, role := range slices.Sorted(maps.Keys(h.Policy.Roles)) {
		for _, name := range h.Policy.Roles[role].Profiles {
			if _, ok := h.Profiles[name]; !ok {
				out = append(out, role+" -> "+name)
			}
		}
	}
	return out
}

// WritingJudges lists the profiles of reading roles that are able to write,
// each as "role -> name", sorted. A run with one of them must not start.
func (h Home) WritingJudges() []string {
	var out []string
	for _, role := range slices.Sorted(maps.Keys(h.Policy.Roles)) {
		for _, name := range h.Policy.Roles[role].Profiles {
			if p, ok := h.Profiles[name]; ok && Reads(role) && !p.ReadOnly {
				out = append(out, role+" -> "+name)
			}
		}
	}
	return out
}

// ReadFile reads a prompt or a schema that a profile names: a path relative to
// the home, or an absolute one inside it.
func (h Home) ReadFile(name string) ([]byte, error) {
	rel := filepath.ToSlash(name)
	if filepath.IsAbs(name) {
		r, err := filepath.Rel(h.Dir, name)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		rel = filepath.ToSlash(r)
	}
	rel = path.Clean(rel)
	if !fs.ValidPath(rel) {
		return nil, fmt.Errorf("read %s: it lies outside of %s", name, h.Dir)
	}
	data, err := strict.ReadFile(h.FS, rel, maxSupport)
	if err != nil {
		return nil, fmt.Errorf("read %s of %s: %w", name, h.Dir, err)
	}
	return data, nil
}
