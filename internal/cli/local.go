package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/gate"
	"github.com/tolboy/warden/internal/policy"
	"github.com/tolboy/warden/internal/redact"
	"github.com/tolboy/warden/internal/runner"
)

// local is a project on this machine, with its contract as it stands now and the
// operator's home.
type local struct {
	root     string
	runsDir  string
	project  contract.Project
	contract contract.Snapshot
	home     policy.Home
	program  string // how a person starts this program for the same home
}

// findRoot walks up to the directory that holds .warden/project.yaml.
func findRoot(from string) (string, error) {
	dir, err := filepath.Abs(from)
	if err != nil {
		return "", err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return "", err
	}
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, ".warden", "project.yaml")); err == nil {
			return at, nil
		}
		if at == filepath.Dir(at) {
			return "", &refused{Code: "not_a_warden_project", Message: fmt.Sprintf("%s is in no Warden project: no directory above it has .warden/project.yaml", dir),
				Hint: "the run may be in another checkout; to make this a project run `warden init`"}
		}
	}
}

// unlinked refuses a link where a project has a directory of its own: a repository can
// bring one, and it leads to what is another's.
func unlinked(root string, names ...string) error {
	for _, name := range names {
		if info, err := os.Lstat(filepath.Join(root, name)); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return &refused{Code: "link_refused", Message: filepath.Join(root, name) + " is a link", Hint: "put a directory in its place"}
		}
	}
	return nil
}

// openLocal loads the project that holds dir.
func (a *app) openLocal(dir string) (*local, error) {
	root, err := findRoot(dir)
	if err != nil {
		return nil, err
	}
	if err := unlinked(root, ".warden"); err != nil {
		return nil, err
	}
	l := &local{root: root, program: a.program(), runsDir: filepath.Join(root, ".warden", "runs")}
	fsys, err := gate.OpenContract(root)
	if err != nil {
		return nil, err
	}
	defer fsys.Close()
	if l.project, err = contract.LoadProject(fsys); err != nil {
		return nil, err
	}
	l.contract, err = contract.Take(fsys)
	return l, err
}

// task loads a task of the project.
func (l *local) task(selector string) (contract.Task, error) {
	fsys, err := gate.OpenContract(l.root)
	if err != nil {
		return contract.Task{}, err
	}
	defer fsys.Close()
	t, err := contract.LoadTask(fsys, selector, l.project)
	var missing *contract.TaskNotFoundError
	if errors.As(err, &missing) {
		return t, usagef("%v", missing)
	}
	return t, err
}

// configHome is the operator's home of Warden: who runs.
func (a *app) configHome() (string, error) {
	if h := a.env("WARDEN_CONFIG_HOME"); h != "" {
		return filepath.Abs(h)
	}
	home, err := homeDir(a.env)
	return filepath.Join(home, ".warden"), err
}

// loadHome reads who runs. A home that is not there has no policy.
func (a *app) loadHome() (policy.Home, error) {
	dir, err := a.configHome()
	if err != nil {
		return policy.Home{}, err
	}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return policy.Load(dir, emptyFS{})
	}
	return policy.Load(dir, os.DirFS(dir))
}

// emptyFS is a home that was never set up.
type emptyFS struct{}

func (emptyFS) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// machine looks at this machine for work on the tree around dir.
func (a *app) machine(ctx context.Context, dir string) (*runner.Machine, error) {
	home, err := homeDir(a.env)
	if err != nil {
		return nil, err
	}
	state, err := a.stateRoot()
	if err != nil {
		return nil, err
	}
	return runner.NewMachine(ctx, a.environ, home, state, dir)
}

// stateRoot is where local runs keep what lies beside their ledgers.
func (a *app) stateRoot() (string, error) {
	state := a.env("WARDEN_STATE_DIR")
	if state == "" {
		home, err := homeDir(a.env)
		if err != nil {
			return "", err
		}
		state = filepath.Join(home, ".local", "state", "warden")
	}
	return filepath.Abs(state)
}

// redactor knows the keys that the profiles name.
func (a *app) redactor(h policy.Home) (*redact.Set, error) {
	values := redact.ProxySecrets(a.environ)
	for _, p := range h.Profiles {
		for _, name := range p.APIKeyEnv {
			values = append(values, a.env(name))
		}
	}
	set, err := redact.New(values...)
	if err != nil {
		return nil, &refused{Code: "secret_unusable", Message: "a key that a profile names, or the password of a proxy, cannot be kept out of the evidence: " + err.Error()}
	}
	return set, nil
}
