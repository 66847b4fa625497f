package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/draft"
	"github.com/tolboy/warden/internal/gate"
	"github.com/tolboy/warden/internal/git"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/runner"
	"github.com/tolboy/warden/internal/strict"
)

// halted is what would stop a run before anyone is called. There is no run then,
// and nothing to answer.
type halted struct {
	code   outcome.Code
	detail string
	known  bool // doctor says what to do about it
}

// next is what to do about it in a project, "" where the detail says it.
func (e *halted) next(program, project string) string {
	if !e.known {
		return ""
	}
	return program + " doctor --project " + quoted(project) + " says what is missing"
}

func (e *halted) Error() string { return string(e.code) + ": " + e.detail }

// ready says what would stop the work, as far as the commit and the home show it.
// Without a contract at the commit, one is drafted in the tree, and looked at there.
func (a *app) ready(ctx context.Context, m *runner.Machine, p place, goal string, o doOptions) error {
	warden, err := m.Git.TreeFS(ctx, p.repo, p.commit, ".warden")
	if err != nil {
		return err
	}
	if _, err := fs.Stat(warden, "project.yaml"); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	project, err := contract.LoadProject(warden)
	if err != nil {
		return err
	}
	if o.run.prepare != "off" {
		return a.readyToPlan(ctx, m, p, warden, project, goal, o)
	}
	d, _, err := drafted(project, emptyFS{}, goal, o)
	if err != nil {
		return err
	}
	existed, err := draft.Exists(warden, d, project)
	if err != nil {
		return conflict(err)
	}
	t, err := contract.ParseTask(d.File, d.YAML, project)
	if existed {
		t, err = contract.LoadTask(warden, d.ID, project)
	}
	if err != nil {
		return err
	}
	if o.draftOnly {
		return a.based(ctx, m, p.repo, p.commit, t)
	}
	return a.runnable(ctx, m, p.repo, p.commit, t)
}

// runnable says what would stop a run of the task over a commit.
func (a *app) runnable(ctx context.Context, m *runner.Machine, dir, commit string, t contract.Task) error {
	if err := a.based(ctx, m, dir, commit, t); err != nil {
		return err
	}
	home, err := a.loadHome()
	if err != nil {
		return err
	}
	if _, err := a.redactor(home); err != nil {
		return err
	}
	if no := m.Refuses(ctx, home, t, dir); no != nil {
		return &halted{no.Code, no.Detail, true}
	}
	return nil
}

// based refuses a task whose base is not there.
func (a *app) based(ctx context.Context, m *runner.Machine, dir, commit string, t contract.Task) error {
	_, verdict, err := gate.PinBase(ctx, headAt{m.Git, commit}, dir, t.BaseRef)
	if err == nil && !verdict.OK {
		return &halted{verdict.Code, verdict.Message, false}
	}
	return err
}

// headAt resolves as a worktree would that has the commit checked out.
type headAt struct {
	*git.Git
	commit string
}

// Resolve implements gate.Resolver.
func (h headAt) Resolve(ctx context.Context, dir, rev string) (string, error) {
	if rev == "HEAD" {
		rev = h.commit
	}
	return h.Git.Resolve(ctx, dir, rev)
}

// drafted is the task of a goal in a project, and the name of its scope.
func drafted(p contract.Project, repo fs.FS, goal string, o doOptions) (draft.Task, string, error) {
	var names []string
	for _, s := range p.Scopes {
		names = append(names, s.Name)
	}
	scope := o.scope
	if scope == "" {
		scope = p.DefaultScope()
	}
	switch _, ok := p.ScopePaths(scope); {
	case len(names) == 0:
		return draft.Task{}, "", &refused{Code: "scope_required", Message: "the project declares no scope", Hint: "add the paths that a task may change under scopes in .warden/project.yaml"}
	case scope == "":
		return draft.Task{}, "", &refused{Code: "scope_required", Message: "the project declares several scopes", Hint: "name one with --scope: " + strings.Join(names, ", ")}
	case !ok:
		hint := "declared: " + strings.Join(names, ", ")
		if near := strict.Nearest(scope, names); near != "" {
			hint = fmt.Sprintf("did you mean %q? %s", near, hint)
		}
		return draft.Task{}, "", &refused{Code: "scope_unknown", Message: fmt.Sprintf("the project declares no scope %q", scope), Hint: hint}
	}
	d, err := draft.Draft(draft.TaskRequest{ID: o.taskID, Goal: goal, Scope: scope, Risk: o.risk, Browser: o.browser}, p, repo)
	return d, scope, err
}

func conflict(err error) error {
	var conflict *draft.ConflictError
	if errors.As(err, &conflict) {
		return &refused{Code: "task_conflict", Message: conflict.Error()}
	}
	return err
}
