package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/gate"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/policy"
	"github.com/tolboy/warden/internal/runner"
	"github.com/tolboy/warden/internal/strict"
)

func (a *app) role() *cobra.Command {
	var dryRun bool
	var id, writer, contextFile, dir string
	cmd := &cobra.Command{
		Use:   "role ROLE TASK",
		Short: "Dispatch one role by itself; --dry-run renders its prompt and calls nobody",
		Args:  exactly("ROLE", "TASK"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if known := policy.Roles(); !slices.Contains(known, args[0]) {
				return usagef("no such role %q (%s)", args[0], strict.Suggest(args[0], known))
			}
			l, err := a.openLocal(dir)
			if err != nil {
				return err
			}
			t, err := l.task(args[1])
			if err != nil {
				return err
			}
			if l.home, err = a.loadHome(); err != nil {
				return err
			}
			one := runner.OneRole{Role: args[0], DryRun: dryRun}
			if writer != "" {
				one.Writers = []string{writer}
			}
			if contextFile != "" {
				if one.Context, err = a.given("context", contextFile); err != nil {
					return err
				}
			}
			if id == "" {
				id = a.freshID("role")
			}
			return a.runRole(cmd.Context(), l, t, one, id)
		},
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "resolve and render, call nobody")
	cmd.Flags().StringVar(&id, "run-id", "", "name of this run")
	cmd.Flags().StringVar(&writer, "implementer-vendor", "", "vendor that wrote the candidate, for the independence of a reader")
	cmd.Flags().StringVar(&contextFile, "context", "", "file that is handed to the role as what happened before")
	cmd.Flags().StringVar(&dir, "project", ".", "directory of the project")
	return cmd
}

func (a *app) runRole(ctx context.Context, l *local, t contract.Task, one runner.OneRole, id string) error {
	if _, ok := l.home.Policy.Roles[one.Role]; !ok {
		return &refused{Code: "role_not_configured", Message: fmt.Sprintf("policy.yaml of %s configures no role %q", l.home.Dir, one.Role), Hint: a.program() + " setup writes a starter policy"}
	}
	m, err := a.machine(ctx, l.root)
	if err != nil {
		return err
	}
	if _, err := top(ctx, m.Git, l.root); err != nil {
		return err
	}
	release, err := a.hold(ctx, m, l.root, id)
	if err != nil {
		return err
	}
	defer release()
	base, verdict, err := gate.PinBase(ctx, m.Git, l.root, t.BaseRef)
	if err != nil {
		return err
	}
	if !verdict.OK {
		return &refused{Code: string(verdict.Code), Message: verdict.Message}
	}
	o := runOptions{id: id, dryRun: one.DryRun}
	order, err := a.order(ctx, m, l, t, o, base)
	if err != nil {
		return err
	}
	red, err := a.redactor(l.home)
	if err != nil {
		return err
	}
	run, err := ledger.Create(l.runsDir, a.head(m, l, t, o, base, order), red)
	if errors.Is(err, ledger.ErrExists) {
		return &refused{Code: string(outcome.RunIDExists), Message: err.Error(), Hint: "choose a new --run-id"}
	}
	if err != nil {
		return err
	}
	defer run.Close()
	defer func() { _ = m.Discard(id) }()
	order.Ledger = run
	out, err := m.Role(ctx, order, one)
	if err != nil {
		return err
	}
	res := object{"ok": out.OK, "code": out.Code, "message": out.Detail, "role": one.Role, "profile": out.Profile, "vendor": out.Vendor,
		"rejected_profiles": out.Rejected, "run_id": id, "details": out}
	a.row("role", string(out.Code)+": "+out.Detail)
	for _, f := range []struct{ key, path string }{{"prompt", out.Prompt}, {"report", out.Report}} {
		if f.path == "" {
			continue // nobody was found to write it for
		}
		path := filepath.Join(l.runsDir, filepath.FromSlash(f.path))
		res[f.key] = path
		a.row(f.key, path)
	}
	return a.print(res)
}
