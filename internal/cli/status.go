package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/tolboy/warden/internal/decision"
	"github.com/tolboy/warden/internal/land"
)

func (a *app) statusCommand() *cobra.Command {
	var dir string
	var worktrees bool
	cmd := &cobra.Command{
		Use:   "status [RUN]",
		Short: "Show which runs wait for a person, here or in every worktree",
		Args:  atMost(1, ""),
		RunE: func(cmd *cobra.Command, args []string) error {
			if worktrees {
				return a.statusOfWorktrees(cmd.Context(), dir)
			}
			l, err := a.openLocal(dir)
			if err != nil {
				return err
			}
			running, err := a.takeOver(cmd.Context(), l, args...)
			if err != nil {
				return l.refusal(cmd.Context(), "", err)
			}
			if len(args) == 1 && len(running) > 0 {
				return a.print(object{"ok": true, "project": l.project.Name, "running": running})
			}
			if len(args) == 1 {
				s, err := decision.Load(l.runsDir, args[0])
				if err != nil {
					return l.refusal(cmd.Context(), args[0], err)
				}
				return a.print(object{"ok": true, "project": l.project.Name, "decision": s, "decision_path": filepath.Join(l.runsDir, args[0], decision.FileName)})
			}
			pending, err := decision.AllPending(l.runsDir)
			if err != nil {
				return l.refusal(cmd.Context(), "", err)
			}
			if pending == nil {
				pending = []decision.State{}
			}
			out := object{"ok": true, "project": l.project.Name, "decisions": pending, "running": running}
			if n := l.waitingElsewhere(cmd.Context()); n > 0 {
				out["hint"] = fmt.Sprintf("%d more in other worktrees of the repository: %s status --worktrees%s", n, l.program, l.at())
				a.narrate("%s", out["hint"])
			}
			return a.print(out)
		},
	}
	cmd.Flags().StringVar(&dir, "project", ".", "directory of the project")
	cmd.Flags().BoolVar(&worktrees, "worktrees", false, "look in every worktree of the repository")
	return cmd
}

// waiting is one question, with a command for each answer.
type waiting struct {
	Worktree string           `json:"worktree,omitempty"`
	RunID    string           `json:"run_id,omitempty"`
	TaskID   string           `json:"task_id,omitempty"`
	Kind     decision.Kind    `json:"kind,omitempty"`
	Options  []string         `json:"options,omitempty"`
	Approve  []map[string]any `json:"approve,omitempty"`
	Expires  time.Time        `json:"expires_at,omitzero"`
	Path     string           `json:"path,omitempty"`
	Error    string           `json:"error,omitempty"`
}

func (a *app) statusOfWorktrees(ctx context.Context, dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	m, err := a.machine(ctx, dir)
	if err != nil {
		return err
	}
	if _, err := m.Git.Root(ctx, dir); err != nil {
		return noRepository(dir)
	}
	trees, err := projects(ctx, m.Git, dir)
	if err != nil {
		return &refused{Code: "worktree_list_failed", Message: err.Error()}
	}
	rows, working := []waiting{}, []runningRow{}
	for _, tree := range trees {
		if err := unlinked(tree, ".warden"); err != nil {
			rows = append(rows, waiting{Path: tree, Error: err.Error()})
			continue
		}
		l := &local{root: tree, program: a.program(), runsDir: filepath.Join(tree, ".warden", "runs")}
		running, err := a.takeOver(ctx, l)
		if err != nil {
			rows = append(rows, waiting{Path: tree, Error: err.Error()})
			continue
		}
		for _, r := range running {
			r.Worktree = tree
			working = append(working, r)
		}
		rows = append(rows, waitingIn(tree, a.program())...)
	}
	return a.print(object{"ok": true, "worktrees": rows, "running": working})
}

func waitingIn(tree, program string) []waiting {
	var rows []waiting
	if err := unlinked(tree, ".warden"); err != nil {
		return []waiting{{Path: tree, Error: err.Error()}}
	}
	entries, err := decision.List(filepath.Join(tree, ".warden", "runs"))
	if err != nil && !os.IsNotExist(err) {
		return []waiting{{Path: tree, Error: err.Error()}}
	}
	for _, e := range entries {
		switch {
		case e.Problem != "":
			rows = append(rows, waiting{Path: filepath.Join(tree, ".warden", "runs", e.RunID, decision.FileName), Error: e.Problem})
		case e.State.State == decision.Pending:
			w := waiting{Worktree: tree, RunID: e.RunID, TaskID: e.State.TaskID, Kind: e.State.Kind, Options: e.State.Options, Expires: e.State.ExpiresAt}
			for _, o := range e.State.Options {
				w.Approve = append(w.Approve, map[string]any{"decision": o,
					"command": answerWith(program, e.RunID, " --project "+quoted(tree), o)})
			}
			rows = append(rows, w)
		}
	}
	return rows
}

// quoted makes a path one word of a shell.
func quoted(path string) string { return land.Shell([]string{path}) }
