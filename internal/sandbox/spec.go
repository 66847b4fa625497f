// Package sandbox builds the command line that confines a child: what it may
// see, write and reach. It starts nothing; a probe tells whether the machine
// can hold what the command line promises.
//
// The bubblewrap backend gives the child a read-only root, a private /tmp and
// HOME, its own processes, and no network but an own loopback unless allowed.
// It always maps an unprivileged user: a child that is root in its namespace
// could remount the read-only root as writable.
//
// The Landlock backend is for machines where bubblewrap cannot be had. This program
// starts itself again, gives up what the spec does not grant, and becomes the
// command. It holds less; Claims says what.
//
// Neither hides what every user of the machine may read outside the homes,
// and with Network bubblewrap cannot close abstract sockets, which belong to the
// network namespace. A process that made itself undumpable is not seen either
// way.
package sandbox

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
)

// Backend names a way to confine a child.
type Backend string

// None confines nothing and is recorded as that. What the others hold is in Claims.
const (
	Bubblewrap Backend = "bubblewrap"
	Landlock   Backend = "landlock"
	None       Backend = "none"
)

// Mount shares a file or directory of the host. Both paths are absolute. A
// shared single file cannot be replaced by rename inside, only written in
// place; share its directory where a program replaces it.
type Mount struct {
	Source   string
	Target   string
	Writable bool
}

// Spec says what one child may see, write and reach. All paths are absolute.
// Links in them are resolved first, so a path inside is the resolved one.
type Spec struct {
	Backend Backend
	// Root is the worktree, shared read-only unless Writable.
	Root     string
	Writable bool
	// Protect lists paths in Root that stay as they are although Root is
	// writable: nothing in them changes and they cannot be moved, replaced or,
	// when missing, made. None of them may be or pass through a link. The
	// directories from Root down to them cannot be moved either, and a rename
	// into or out of those is a copy.
	Protect []string
	// Mounts are shared on top of what is hidden.
	Mounts []Mount
	// Home is HOME inside: an empty private directory, or the target of one of
	// Mounts. It exists on the host or lies in a hidden directory such as /tmp.
	Home string
	// MaskHomes are the real home directories; inside they are empty.
	MaskHomes []string
	// Hide lists further files, sockets and directories that appear empty. What
	// does not exist when the command line is built is not hidden.
	Hide []string
	// Network shares the host's network. Without it only an own loopback is up.
	Network bool
	// Dir is the working directory inside; empty means Root.
	Dir string
	// StatusFD is a descriptor on which it is reported whether the command was
	// reached; 0 means no report.
	StatusFD int
	// Tmp is a private directory of this command with home and tmp in it, which
	// Landlock needs and a Claim makes.
	Tmp string
	// ABI lowers the version of Landlock that is used; 0 means the kernel's.
	ABI int
}

// Wrap returns the command line that runs argv under s: with bubblewrap, or with
// this program as the launcher of Landlock. It reads the file system and changes nothing. An error
// means that s cannot be kept, never that less than s was built. With None it
// returns argv.
func (s Spec) Wrap(program string, argv []string) ([]string, error) {
	if len(argv) == 0 || argv[0] == "" {
		return nil, errors.New("confine a command: it has no name")
	}
	switch s.Backend {
	case None:
		return append([]string(nil), argv...), nil
	case Bubblewrap, Landlock:
	default:
		return nil, fmt.Errorf("confine %q: unknown backend %q", argv[0], s.Backend)
	}
	if !filepath.IsAbs(program) {
		return nil, fmt.Errorf("confine %q: path of %s %q is not absolute", argv[0], s.Backend, program)
	}
	if s.Backend == Landlock {
		out, err := s.landlocked(program, argv)
		if err != nil {
			return nil, fmt.Errorf("confine %q: %w", argv[0], err)
		}
		return out, nil
	}
	h, err := thisHost()
	if err != nil {
		return nil, fmt.Errorf("confine %q: %w", argv[0], err)
	}
	out, err := s.build(h)
	if err != nil {
		return nil, fmt.Errorf("confine %q: %w", argv[0], err)
	}
	out = append([]string{program}, out...)
	out = append(out, "--")
	return append(out, argv...), nil
}

// build returns bubblewrap's options for s on h.
func (s Spec) build(h host) ([]string, error) {
	p, err := newPlan(s, h)
	if err != nil {
		return nil, err
	}
	uid, gid := h.uid, h.gid
	if uid == 0 {
		uid, gid = 1000, 1000
	}
	out := []string{
		"--unshare-user", "--uid", strconv.Itoa(uid), "--gid", strconv.Itoa(gid),
		"--unshare-pid", "--unshare-ipc", "--unshare-uts",
	}
	if !s.Network {
		out = append(out, "--unshare-net")
	}
	out = append(out, "--die-with-parent", "--new-session", "--cap-drop", "ALL",
		"--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc")
	if h.uid == 0 {
		// The kernel lets the real root user write these without any
		// capability, and core_pattern runs a program outside the sandbox.
		out = append(out, "--ro-bind", "/proc/sys", "/proc/sys",
			"--ro-bind-try", "/proc/sysrq-trigger", "/proc/sysrq-trigger",
			"--ro-bind-try", "/proc/pressure", "/proc/pressure")
	}
	out = append(out, p.args()...)
	out = append(out, "--setenv", "HOME", p.home, "--setenv", "TMPDIR", "/tmp")
	if s.StatusFD > 0 {
		out = append(out, "--json-status-fd", strconv.Itoa(s.StatusFD))
	}
	return append(out, "--chdir", p.dir), nil
}
