package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/durable"
	"github.com/tolboy/warden/internal/gate"
	"github.com/tolboy/warden/internal/git"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/runner"
)

func (a *app) gates() *cobra.Command {
	var id, dir string
	cmd := &cobra.Command{
		Use:   "gates TASK",
		Short: "Run the machine gates over the worktree, with no vendor",
		Args:  exactly("TASK"),
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := a.openLocal(dir)
			if err != nil {
				return err
			}
			t, err := l.task(args[0])
			if err != nil {
				return err
			}
			if id == "" {
				id = a.freshID("gates")
			}
			report, path, err := a.runGates(cmd.Context(), l, t, id)
			if err != nil {
				return err
			}
			return a.print(object{"ok": report.OK, "code": report.Code, "message": report.Message, "report": path, "run_id": id})
		},
	}
	cmd.Flags().StringVar(&id, "run-id", "", "name of this run")
	cmd.Flags().StringVar(&dir, "project", ".", "directory of the project")
	return cmd
}

// runGates runs the gates alone and keeps their report, also that of a refused
// base. The name is taken first: what a run keeps is found, and removed, by it.
func (a *app) runGates(ctx context.Context, l *local, t contract.Task, id string) (gate.Report, string, error) {
	m, err := a.machine(ctx, l.root)
	if err != nil {
		return gate.Report{}, "", err
	}
	release, err := a.hold(ctx, m, l.root, id)
	if err != nil {
		return gate.Report{}, "", err
	}
	defer release()
	runs, stage, err := l.reserve(id, "gates")
	if err != nil {
		return gate.Report{}, "", err
	}
	defer runs.Close()
	report, err := a.passGates(ctx, m, l, t, id)
	if err != nil {
		return report, "", err
	}
	home, err := a.loadHome()
	if err != nil {
		return report, "", err
	}
	red, err := a.redactor(home)
	if err != nil {
		return report, "", err
	}
	data, err := json.MarshalIndent(report, "", "  ")
	if err != nil {
		return report, "", fmt.Errorf("encode the gate report: %w", err)
	}
	data, _ = red.Bytes(data)
	name := path.Join(stage, "machine-gate.json")
	file := filepath.Join(l.runsDir, filepath.FromSlash(name))
	a.tellGates(report, red, file)
	return report, file, runs.Create(name, append(data, '\n'))
}

// passGates judges the operator's own checkout.
func (a *app) passGates(ctx context.Context, m *runner.Machine, l *local, t contract.Task, id string) (gate.Report, error) {
	if _, err := top(ctx, m.Git, l.root); err != nil {
		return gate.Report{}, err
	}
	base, verdict, err := gate.PinBase(ctx, m.Git, l.root, t.BaseRef)
	if err != nil || !verdict.OK {
		return gate.Report{Verdict: verdict}, err
	}
	judge, err := l.judge(ctx, m, id, base.MergeBase)
	if err != nil {
		return gate.Report{}, err
	}
	defer func() { _ = m.Discard(id) }()
	spec, err := m.Checks(id, l.root)
	if err != nil {
		return gate.Report{}, err
	}
	report, failed := gate.Run(ctx, gate.Request{Task: t, Root: l.root, Judge: judge, MergeBase: base.MergeBase, Contract: l.contract,
		Runner: gate.Runner{Env: a.environ, Limit: t.Timeout, Sandbox: spec, Bwrap: m.Sandbox.Path, Started: a.running}})
	if failed != nil && report.Message == "" {
		report.Message = failed.Error()
	}
	return report, nil
}

// judge opens the private git directory over the operator's own checkout.
func (l *local) judge(ctx context.Context, m *runner.Machine, id, base string) (*git.Judge, error) {
	head, err := m.Git.Resolve(ctx, l.root, "HEAD")
	if err != nil {
		return nil, err
	}
	common, err := m.Git.CommonDir(ctx, l.root)
	if err != nil {
		return nil, err
	}
	return m.Judge(ctx, id, l.root, common, base, head, false)
}

// reserve makes the directory of a stage that belongs to no run, once.
func (l *local) reserve(id, stage string) (runs *durable.Dir, dir string, err error) {
	if err := ledger.CheckRunID(id); err != nil {
		return nil, "", usagef("%v", err)
	}
	if runs, err = durable.MakeDir(l.runsDir); err != nil {
		return nil, "", err
	}
	dir = ledger.StageDir(id, stage, 0)
	if _, taken := os.Lstat(filepath.Join(l.runsDir, id)); taken == nil {
		err = used(id)
	} else if err = runs.Claim(dir); errors.Is(err, fs.ErrExist) {
		err = used(id)
	}
	if err != nil {
		return nil, "", errors.Join(err, runs.Close())
	}
	return runs, dir, nil
}

func used(id string) *refused {
	return &refused{Code: string(outcome.RunIDExists), Message: fmt.Sprintf("run %q has been used", id), Hint: "choose a new --run-id"}
}

// freshID names a run by the time, in base 36.
func (a *app) freshID(prefix string) string {
	return prefix + "-" + strings.ToLower(strconv.FormatInt(a.now().UnixMilli(), 36))
}
