package runner

import (
	"os"
	"path/filepath"

	"github.com/tolboy/warden/internal/role"
	"github.com/tolboy/warden/internal/sandbox"
)

func (m *Machine) homeOf(runID string) string { return filepath.Join(m.StateDir, "home", runID) }

// confine is what holds the vendors of a run: nothing of the operator's home but
// what a profile names, and nothing of ours but the prompt.
func (m *Machine) confine(string) role.Confinement {
	return role.Confinement{
		Backend: m.Sandbox.Backend, Bwrap: m.Sandbox.Path, Required: m.Required,
		HomeDir: m.HomeDir, MaskHomes: m.Homes, Hide: m.hidden(), Mounts: append(m.programs(), m.certificates()...),
	}
}

// Checks is what holds the gate commands of a run. They share one private home
// per run, so that a cache made by one command serves the next.
func (m *Machine) Checks(runID, worktree string) (*sandbox.Spec, error) {
	if m.Sandbox.Backend == sandbox.None {
		return nil, nil
	}
	home := m.homeOf(runID)
	if err := os.MkdirAll(home, 0o700); err != nil {
		return nil, err
	}
	mounts := []sandbox.Mount{{Source: home, Target: m.HomeDir, Writable: true}}
	mounts = append(mounts, m.programs()...)
	mounts = append(mounts, m.caches()...)
	mounts = append(mounts, m.certificates()...)
	return &sandbox.Spec{
		Backend: m.Sandbox.Backend, Root: worktree, Writable: true,
		Protect: []string{filepath.Join(worktree, ".warden"), filepath.Join(worktree, ".git")},
		Home:    m.HomeDir, MaskHomes: m.Homes, Mounts: mounts, Hide: m.hidden(),
	}, nil
}

// hidden are our own directories that no child has business in.
func (m *Machine) hidden() []string {
	var out []string
	for _, name := range []string{"judge", "home", "askpass", "busy", "owed", "counted", dirCaches, "visual"} {
		out = append(out, filepath.Join(m.StateDir, name))
	}
	return out
}
