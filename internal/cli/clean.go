package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tolboy/warden/internal/clean"
	"github.com/tolboy/warden/internal/runner"
	"github.com/tolboy/warden/internal/worktree"
)

// keepDays is the retention where nobody said another.
const keepDays = 30

// cleanRow is something that is taken away, or stays.
type cleanRow struct {
	Kind   string       `json:"kind"`         // "run", "worktree", "leftover", "mirror" or "ref"
	Path   string       `json:"path"`         // or the ref's name in full
	At     string       `json:"at,omitempty"` // the commit that a ref was read at
	RunID  string       `json:"run_id,omitempty"`
	Code   clean.Reason `json:"code,omitempty"` // why it stays
	Detail string       `json:"detail,omitempty"`
}

// cleaning is one look at what there is, and what is done about it.
type cleaning struct {
	a      *app
	m      *runner.Machine
	root   string    // the project's worktree
	main   string    // the repository's first worktree
	before time.Time // what is younger stays
	apply  bool
	remote string // whose ledgers are looked at; "" for none
	gone   []cleanRow
	kept   []cleanRow
}

func (a *app) clean() *cobra.Command {
	var dir, remote string
	var days int
	var apply, refs bool
	cmd := &cobra.Command{
		Use:   "clean",
		Short: "List old worktrees, runs and leftovers that nobody needs any more, or take them away",
		Args:  atMost(0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if days < 0 || days > 36500 {
				return usagef("--keep-days is a number from 0 to 36500")
			}
			if refs != (remote != "") {
				return usagef("--refs needs --remote, and --remote is for --refs")
			}
			root, err := findRoot(dir)
			if err != nil {
				return err
			}
			m, err := a.machine(cmd.Context(), root)
			if err != nil {
				return err
			}
			c := &cleaning{a: a, m: m, root: root, before: a.now().AddDate(0, 0, -days), apply: apply, remote: remote,
				gone: []cleanRow{}, kept: []cleanRow{}}
			if err := c.run(cmd.Context()); err != nil {
				return err
			}
			return a.print(c.answer(days))
		},
	}
	cmd.Flags().BoolVar(&apply, "apply", false, "take away what is listed; without it nothing is changed")
	cmd.Flags().IntVar(&days, "keep-days", keepDays, "keep what is younger")
	cmd.Flags().BoolVar(&refs, "refs", false, "also the ledgers of old runs that a remote has; their candidates go with them")
	cmd.Flags().StringVar(&remote, "remote", "", "name of the remote for --refs")
	cmd.Flags().StringVar(&dir, "project", ".", "directory of the project")
	return cmd
}

func (c *cleaning) run(ctx context.Context) error {
	main, own, err := worktree.Owned(ctx, c.m.Git, c.root, "w-")
	if err != nil {
		return &refused{Code: "worktree_list_failed", Message: err.Error()}
	}
	c.main = main
	done := map[string]bool{} // a tree that stays keeps the runs that explain it
	for _, t := range own {
		done[t.Dir] = true
		if err := c.tree(ctx, t); err != nil {
			return err
		}
	}
	rest, err := projects(ctx, c.m.Git, c.root)
	if err != nil {
		return &refused{Code: "worktree_list_failed", Message: err.Error()}
	}
	for _, tree := range rest {
		if real, err := filepath.EvalSymlinks(tree); err == nil && !done[real] {
			if err := c.runsOf(ctx, real); err != nil {
				return err
			}
		}
	}
	if err := c.jobs(ctx); err != nil {
		return err
	}
	if c.remote != "" {
		if err := c.refs(ctx, c.remote); err != nil {
			return err
		}
	}
	return c.leftovers()
}

// tree looks at a worktree of a task.
func (c *cleaning) tree(ctx context.Context, t worktree.Own) error {
	row := cleanRow{Kind: "worktree", Path: t.Dir}
	switch {
	case t.Gone:
		return nil // git forgets it by itself
	case t.Locked:
		row.Code = clean.Locked
	case t.Dir == c.root || c.standsIn(t.Dir):
		row.Code, row.Detail = clean.InUse, "it is where this command was started, or its --project"
	}
	runs := filepath.Join(t.Dir, ".warden", "runs")
	found, err := c.found(ctx, t.Dir)
	if err != nil {
		return err
	}
	tasks := map[string]bool{}
	for _, f := range found {
		tasks[".warden/tasks/"+f.TaskID+".yaml"] = true
		if row.Code == "" && f.Reason != "" {
			row.Code, row.RunID, row.Detail = f.Reason, f.RunID, f.Detail
		}
	}
	if row.Code == "" {
		if row.Code, row.Detail, err = c.work(ctx, t.Dir, tasks); err != nil {
			return err
		}
	}
	if info, err := os.Stat(t.Dir); row.Code == "" && len(found) == 0 && (err != nil || !info.ModTime().Before(c.before)) {
		row.Code = clean.TooRecent
	}
	if row.Code != "" {
		c.kept = append(c.kept, row)
		return nil
	}
	if c.apply {
		err := c.holding(ctx, t.Dir, func() error {
			if err := c.copies(ctx, runs, found); err != nil {
				return err
			}
			return worktree.Remove(ctx, c.m.Git, c.main, t.Dir)
		})
		c.settle(row, err)
		return nil
	}
	c.gone = append(c.gone, row)
	return nil
}

// work looks for what nobody committed. The task that a run drafted is in its ledger.
func (c *cleaning) work(ctx context.Context, dir string, tasks map[string]bool) (clean.Reason, string, error) {
	changes, err := worktree.Changes(ctx, c.m.Git, dir)
	if err != nil {
		return "", "", err
	}
	left := slices.DeleteFunc(append(changes.Other, changes.Contract...), func(path string) bool { return tasks[path] })
	if len(left) > 0 {
		return clean.Uncommitted, few(left), nil
	}
	return "", "", nil
}

func (c *cleaning) standsIn(dir string) bool {
	at, err := os.Getwd()
	if err == nil {
		at, err = filepath.EvalSymlinks(at)
	}
	return err != nil || at == dir || strings.HasPrefix(at, dir+string(filepath.Separator))
}

// holding does something while no command works in a worktree.
func (c *cleaning) holding(ctx context.Context, dir string, do func() error) error {
	release, err := c.a.hold(ctx, c.m, dir, "clean")
	if err != nil {
		return err
	}
	defer release()
	return do()
}

// settle notes what came of taking something away.
func (c *cleaning) settle(row cleanRow, err error) {
	if err == nil {
		c.gone = append(c.gone, row)
		return
	}
	var no *refused
	var lacks *notCopied
	switch row.Detail = err.Error(); {
	case errors.As(err, &lacks):
		row.Code, row.RunID = clean.NotCopied, lacks.id
	case lost(err):
		row.Code = clean.Moved
	case errors.As(err, &no) && no.Code == "worktree_busy":
		row.Code = clean.InUse
	default:
		row.Code = clean.NotRemoved
	}
	c.kept = append(c.kept, row)
}

func (c *cleaning) leftovers() error {
	found, err := clean.Leftovers(c.m.StateDir, os.TempDir(), c.a.now(), running)
	if err != nil {
		return err
	}
	for _, l := range found {
		row := cleanRow{Kind: "leftover", Path: l.Path, RunID: l.RunID, Code: l.Reason, Detail: l.Detail}
		switch {
		case l.Reason != "":
			c.kept = append(c.kept, row)
		case c.apply:
			c.settle(row, os.RemoveAll(l.Path))
		default:
			c.gone = append(c.gone, row)
		}
	}
	return nil
}

func (c *cleaning) answer(days int) object {
	out := object{"ok": true, "code": "planned", "project": c.root, "keep_days": days, "removes": c.gone, "kept": c.kept}
	if !c.apply {
		if len(c.gone) > 0 {
			more := ""
			if c.remote != "" {
				more = " --refs --remote " + quoted(c.remote)
			}
			out["next"] = fmt.Sprintf("%s clean --apply --keep-days %d%s%s", c.a.program(), days, more, (&local{root: c.root}).at())
		}
		return out
	}
	out["code"] = "cleaned"
	for _, row := range c.kept {
		if row.Code == clean.NotCopied || row.Code == clean.NotRemoved || row.Code == clean.Moved {
			out["ok"], out["code"] = false, "clean_incomplete"
			c.a.narrate("%s", harmless(row.Path+": "+row.Detail))
		}
	}
	return out
}
