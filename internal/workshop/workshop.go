// Package workshop is where the runs of one repository on a forge are made: a
// bare mirror without credentials, worktrees cut from it, the contract read from
// commits, and candidates pushed. It implements bot.Workshop.
package workshop

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/tolboy/warden/internal/bot"
	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/engine"
	"github.com/tolboy/warden/internal/git"
	"github.com/tolboy/warden/internal/policy"
	"github.com/tolboy/warden/internal/push"
	"github.com/tolboy/warden/internal/redact"
	"github.com/tolboy/warden/internal/runner"
	"github.com/tolboy/warden/internal/strict"
)

// Workshop works on one repository. It is for one goroutine at a time.
type Workshop struct {
	Machine  *runner.Machine
	Pusher   *push.Pusher
	Remote   push.Remote
	Mirror   string // bare repository that worktrees are cut from
	Ledgers  string // bare repository that holds the ledgers' commits
	RunsDir  string
	Default  string // name of the default branch
	Tip      string // its commit, where that is known; "" asks the mirror
	HomePath string // of the operator's home in the repository, such as ".github/warden"
	Identity runner.Identity
	Notice   func(o bot.Order) func(engine.Notice)
	Secrets  *redact.Set // what no candidate may hold

	once    sync.Once
	fetched error
	home    policy.Home
	tip     string
	bases   map[string]bot.Base // by commit
	kept    string              // the commit that was last found or put where ledgers reach it
}

// Open reads who runs from the default branch of the mirror, once.
func (w *Workshop) Open(ctx context.Context) error {
	w.once.Do(func() { w.fetched = w.open(ctx) })
	return w.fetched
}

func (w *Workshop) open(ctx context.Context) error {
	w.bases = map[string]bot.Base{}
	var err error
	if w.tip = w.Tip; w.tip != "" {
		return w.read(ctx)
	}
	if w.tip, err = w.Machine.Git.Resolve(ctx, w.Mirror, "refs/heads/"+w.Default); err != nil {
		return err
	}
	return w.read(ctx)
}

// read takes who runs, and the contract, from the tip.
func (w *Workshop) read(ctx context.Context) error {
	trees, err := w.Machine.Git.TreesFS(ctx, w.Mirror, w.tip, w.HomePath, ".warden")
	if err != nil {
		return fmt.Errorf("read %s and .warden of the default branch: %w", w.HomePath, err)
	}
	w.home, err = policy.Load(w.HomePath, trees[0])
	if err != nil {
		return fmt.Errorf("read %s of the default branch: %w", w.HomePath, err)
	}
	b, err := w.contract(w.tip, trees[1])
	if err == nil {
		w.bases[w.tip] = b
	}
	return err
}

// Home is who runs.
func (w *Workshop) Home() policy.Home { return w.home }

// Base implements bot.Workshop. A contract that is missing or wrong is a problem
// for a person, not an error.
func (w *Workshop) Base(ctx context.Context, commit string) (bot.Base, error) {
	if err := w.Open(ctx); err != nil {
		return bot.Base{}, err
	}
	if commit == "" {
		commit = w.tip
	}
	if b, ok := w.bases[commit]; ok {
		return b, nil
	}
	b, err := w.base(ctx, commit)
	if err == nil {
		w.bases[commit] = b
	}
	return b, err
}

func (w *Workshop) base(ctx context.Context, commit string) (bot.Base, error) {
	fsys, err := w.Machine.Git.TreeFS(ctx, w.Mirror, commit, ".warden")
	if err != nil {
		return bot.Base{}, fmt.Errorf("read .warden at %s: %w", commit, err)
	}
	return w.contract(commit, fsys)
}

// contract reads what .warden of a commit holds.
func (w *Workshop) contract(commit string, fsys fs.FS) (bot.Base, error) {
	b := bot.Base{Ref: w.Default, Commit: commit}
	var err error
	if b.Contract, err = contract.Take(fsys); err != nil {
		return b, fmt.Errorf("read .warden at %s: %w", commit, err)
	}
	b.Project, err = contract.LoadProject(fsys)
	var faults strict.Faults
	switch {
	case errors.Is(err, fs.ErrNotExist):
		b.Problem = "the default branch has no .warden/project.yaml; run `warden init` in a checkout, commit what it writes, and put the label on again"
	case errors.As(err, &faults):
		b.Problem = faults.Error()
	case err != nil:
		return b, err
	}
	return b, nil
}

// PolicySHA256 identifies who runs by everything that was loaded.
func (w *Workshop) PolicySHA256() string {
	sum := sha256.New()
	if w.home.FS != nil {
		_ = fs.WalkDir(w.home.FS, ".", func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := fs.ReadFile(w.home.FS, path)
			fmt.Fprintf(sum, "%s\x00%d\x00%s", path, len(data), data)
			return err
		})
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// Confinement implements bot.Workshop.
func (w *Workshop) Confinement() string { return w.Machine.Confinement() }

// Head implements bot.Workshop.
func (w *Workshop) Head(ctx context.Context, branch string) (string, error) {
	ref := "refs/heads/" + branch
	refs, err := w.Pusher.Refs(ctx, w.Remote, ref)
	return refs[ref], err
}

// Push implements bot.Workshop. The candidate is where the run made it, or,
// after that machine was lost, reachable from the run's ledger.
func (w *Workshop) Push(ctx context.Context, runID, branch, commit, expect string) error {
	dir, err := w.holder(ctx, runID, commit)
	if err != nil {
		return err
	}
	err = w.Pusher.Branch(ctx, w.Remote, dir, commit, branch, expect)
	var refused *push.ErrRefused
	switch {
	case errors.Is(err, push.ErrLease):
		return bot.ErrLease
	case errors.Is(err, push.ErrWorkflowScope):
		return &bot.PushRefused{Text: err.Error()}
	case errors.As(err, &refused):
		return &bot.PushRefused{Text: refused.Error()}
	}
	return err
}

// Keep implements bot.Workshop.
func (w *Workshop) Keep(ctx context.Context, runID, commit string) error {
	if w.kept == commit {
		return nil
	}
	err := w.keep(ctx, runID, commit)
	if err == nil {
		w.kept = commit
	}
	return err
}

func (w *Workshop) keep(ctx context.Context, runID, commit string) error {
	if _, err := w.Machine.Git.Run(ctx, w.Ledgers, "cat-file", "-e", commit+"^{commit}"); err == nil {
		return nil
	}
	dir, err := w.holder(ctx, runID, commit)
	if err != nil {
		return err
	}
	return w.Machine.Git.Carry(ctx, dir, w.Ledgers, commit, "refs/candidates/"+runID)
}

func (w *Workshop) holder(ctx context.Context, runID, commit string) (string, error) {
	for _, dir := range []string{w.Machine.JudgeDir(runID), w.Ledgers, w.Mirror} {
		if _, err := os.Stat(filepath.Join(dir, "objects")); err != nil {
			continue
		}
		_, err := w.Machine.Git.Run(ctx, dir, "cat-file", "-e", commit+"^{commit}")
		if err == nil {
			return dir, nil
		}
		var absent *git.CommandError
		if !errors.As(err, &absent) {
			return "", fmt.Errorf("find commit %s of %s: %w", commit, runID, err)
		}
	}
	return "", fmt.Errorf("find commit %s of %s: it is neither here nor in the ledger", commit, runID)
}
