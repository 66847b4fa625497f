package role

import (
	"fmt"
	"path/filepath"

	"github.com/tolboy/warden/internal/policy"
	"github.com/tolboy/warden/internal/sandbox"
)

// Confinement is what this machine can hold and what the run asks of it.
type Confinement struct {
	Backend   sandbox.Backend // what a probe found; "" is none
	Bwrap     string          // path of the program that confines
	Required  bool            // a call that would run without bubblewrap is refused
	HomeDir   string          // the operator's real home, for what profiles share
	Home      string          // HOME inside; empty takes HomeDir, or a place in /tmp
	MaskHomes []string        // homes that no child sees
	Hide      []string        // further files and directories that no child sees
	Protect   []string        // paths in the worktree that stay as they are
	Mounts    []sandbox.Mount // shared beside what a profile shares
}

// spec makes the sandbox of one call: writable only for a role that writes. Nil
// runs the call as it is, which is what a profile may ask for and what a machine
// without a backend leaves.
func (c Confinement) spec(p policy.Profile, root string) (*sandbox.Spec, error) {
	wanted := p.Sandbox == "" || p.Sandbox == "warden"
	if c.Required && (!wanted || c.Backend != sandbox.Bubblewrap) {
		return nil, fmt.Errorf("profile %q would run without the sandbox that this run requires, which is bubblewrap (sandbox: %s, backend here: %s)", p.Name, orWord(p.Sandbox, "warden"), orWord(string(c.Backend), "none"))
	}
	if !wanted || c.Backend != sandbox.Bubblewrap && c.Backend != sandbox.Landlock {
		return nil, nil
	}
	home := c.Home
	if home == "" {
		home = c.HomeDir
	}
	if home == "" {
		home = "/tmp/home"
	}
	protect := c.Protect
	if protect == nil {
		protect = []string{filepath.Join(root, ".warden"), filepath.Join(root, ".git")}
	}
	return &sandbox.Spec{
		Backend: c.Backend, Root: root, Writable: !p.ReadOnly, Protect: protect,
		Mounts: c.Mounts, Home: home, MaskHomes: c.MaskHomes, Hide: c.Hide, Network: true,
	}, nil
}

func orWord(s, word string) string {
	if s == "" {
		return word
	}
	return s
}
