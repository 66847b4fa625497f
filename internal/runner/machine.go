// Package runner puts one run together: the judge over the worktree, the sandbox
// around its children, the roles, the gates and the ledger, and the engine that
// drives them. The command line and the forge controller both run through here.
package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"time"

	"github.com/tolboy/warden/internal/git"
	"github.com/tolboy/warden/internal/launcher"
	"github.com/tolboy/warden/internal/proc"
	"github.com/tolboy/warden/internal/role"
	"github.com/tolboy/warden/internal/sandbox"
	"github.com/tolboy/warden/internal/vendor"
)

// Machine is what runs share: where they run and what confines their children.
type Machine struct {
	Git      *git.Git
	Environ  []string // of this process; children get an allowlist of it
	HomeDir  string   // what HOME names
	Homes    []string // every home that no child sees: HOME, and what the system says is this user's
	StateDir string   // private git directories and homes of runs; no child's to write
	Sandbox  sandbox.Report
	// Required refuses to call anybody whom the sandbox would not hold.
	Required bool
	Vendor   role.Caller // starts the vendors' programs
	Now      func() time.Time
}

// NewMachine looks at the machine once, for work on the trees around dirs. The
// error says that git is missing, that git or the sandbox are only where work is
// done, or that the state directory cannot be made; a missing sandbox is in the
// report.
func NewMachine(ctx context.Context, environ []string, homeDir, stateDir string, dirs ...string) (*Machine, error) {
	held, err := Probe(ctx, environ, dirs...)
	if err != nil {
		return nil, err
	}
	return NewMachineHeld(held, environ, homeDir, stateDir, dirs...)
}

// NewMachineHeld is NewMachine with what Probe has answered in this process.
func NewMachineHeld(held sandbox.Report, environ []string, homeDir, stateDir string, dirs ...string) (*Machine, error) {
	g, err := git.New(dirs...)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(stateDir, 0o700); err != nil {
		return nil, fmt.Errorf("make the state directory: %w", err)
	}
	return &Machine{Git: g, Environ: environ, HomeDir: homeDir, Homes: homes(homeDir), StateDir: stateDir, Sandbox: held, Vendor: vendor.New(), Now: time.Now}, nil
}

// Probe runs the sandbox once and says what this machine can hold. The error says
// that its program is in a tree that is worked on and nowhere else: going on
// without it would give up confinement because of what a tree holds.
func Probe(ctx context.Context, environ []string, dirs ...string) (sandbox.Report, error) {
	var inside error
	look := func(name string) (string, error) {
		path, err := proc.LookOutside(name, environ, dirs...)
		var missing *proc.NotFoundError
		if errors.As(err, &missing) && missing.Inside {
			inside = err
		}
		return path, err
	}
	return sandbox.Probe(ctx, launcher.Self(), look, trial(environ)), inside
}

// trial starts a command line of a probe, which says by its status what holds.
func trial(environ []string) func(ctx context.Context, argv []string) error {
	return func(ctx context.Context, argv []string) error {
		res, err := proc.Run(ctx, proc.Command{Argv: argv, Dir: "/", Env: proc.Environ(environ, nil), Timeout: 20 * time.Second, Grace: time.Second, MaxOutput: 4096})
		if err != nil {
			return err
		}
		if !res.OK() {
			return fmt.Errorf("exit status %d: %s", res.ExitCode, res.Stderr.Text())
		}
		return nil
	}
}

// Confinement names what holds the children, for the ledger and the people.
func (m *Machine) Confinement() string { return m.Sandbox.String() }

// refuses reports whether no child may run here: what is required keeps children
// from the processes beside them, and only bubblewrap does.
func (m *Machine) refuses() bool { return m.Required && m.Sandbox.Backend != sandbox.Bubblewrap }

// homes adds to HOME the home that the system's user database names. In a job's
// container, or under sudo, the two differ, and credentials may be in either.
func homes(home string) []string {
	list := []string{home}
	u, err := user.Current()
	if err != nil || !filepath.IsAbs(u.HomeDir) || filepath.Clean(u.HomeDir) == "/" {
		return list
	}
	if account := filepath.Clean(u.HomeDir); account != filepath.Clean(home) {
		list = append(list, account)
	}
	return list
}

func lookup(environ []string, name string) string {
	for _, kv := range environ {
		if len(kv) > len(name) && kv[len(name)] == '=' && kv[:len(name)] == name {
			return kv[len(name)+1:]
		}
	}
	return ""
}

func within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !filepath.IsAbs(rel) && (len(rel) < 3 || rel[:3] != "../")
}
