package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/draft"
	"github.com/tolboy/warden/internal/gate"
	"github.com/tolboy/warden/internal/runner"
)

// taskFor is the task of a goal: the one that is there, the one that a planner
// drafts, or one made of what was said. It is done when nothing is left to run.
func (a *app) taskFor(ctx context.Context, m *runner.Machine, l *local, goal string, o *doOptions, out *doResult) (t contract.Task, done bool, err error) {
	if o.run.prepare == "off" {
		t, err = a.draft(l, goal, *o, out)
		return t, false, err
	}
	warden, err := gate.OpenContract(l.root)
	if err != nil {
		return t, false, err
	}
	defer warden.Close()
	there, exists, err := reusable(warden, l.project, goal, *o)
	if err != nil {
		return t, false, err
	}
	if exists {
		out.Existed, out.Scope, out.Risk = true, strings.Join(there.Scope, ", "), there.Risk
	}
	if exists && o.run.prepare == "auto" {
		a.narrate("note: task %s is there and says the same, so no planner is asked", there.ID)
		return there, false, nil
	}
	var asked planning
	if asked.task, asked.settled, err = provisional(l.project, os.DirFS(l.root), goal, *o); err != nil {
		return t, false, err
	}
	if asked.exists = exists; exists {
		asked.task = there
	}
	return a.plan(ctx, m, l, asked, o, out)
}

// reusable is the task that is there. It stands only when it says the goal, the
// scope and the risk that were given; another one of its name is a conflict.
func reusable(warden fs.FS, p contract.Project, goal string, o doOptions) (contract.Task, bool, error) {
	t, err := contract.LoadTask(warden, o.taskID+".yaml", p)
	var missing *contract.TaskNotFoundError
	if errors.As(err, &missing) {
		return t, false, nil
	}
	if err != nil {
		return t, false, err
	}
	var differs []string
	if t.ID != o.taskID {
		differs = append(differs, "id")
	}
	if t.Goal != goal {
		differs = append(differs, "goal")
	}
	if o.scope != "" {
		if paths, ok := p.ScopePaths(o.scope); !ok || !slices.Equal(paths, t.Scope) {
			differs = append(differs, "scope")
		}
	}
	if o.risk != "" && o.risk != t.Risk {
		differs = append(differs, "risk")
	}
	if len(differs) > 0 {
		return t, false, conflict(&draft.ConflictError{File: ".warden/" + t.Path, Differs: differs})
	}
	return t, true, nil
}

// provisional is the task as it could be drafted without a planner, for what is
// asked and reserved before there is a contract. It is settled when nothing was
// left open; otherwise it has no scope.
func provisional(p contract.Project, repo fs.FS, goal string, o doOptions) (t contract.Task, settled bool, err error) {
	settled = true
	if o.scope == "" && p.DefaultScope() == "" && len(p.Scopes) > 0 {
		o.scope, settled = p.Scopes[0].Name, false
	}
	d, _, err := drafted(p, repo, goal, o)
	if err != nil {
		return t, false, err
	}
	if t, err = contract.ParseTask(d.File, d.YAML, p); err != nil {
		return t, false, err
	}
	t.Path = strings.TrimPrefix(d.File, ".warden/")
	if !settled {
		t.Scope = nil
	}
	return t, settled, nil
}

// readyToPlan says what would stop a planned work, as far as the commit and the
// home show it.
func (a *app) readyToPlan(ctx context.Context, m *runner.Machine, at place, warden fs.FS, p contract.Project, goal string, o doOptions) error {
	there, exists, err := reusable(warden, p, goal, o)
	if err != nil {
		return err
	}
	if exists && o.run.prepare == "auto" {
		return a.runnable(ctx, m, at.repo, at.commit, there)
	}
	t, _, err := provisional(p, emptyFS{}, goal, o)
	if err != nil {
		return err
	}
	if exists {
		t = there
	}
	if err := a.based(ctx, m, at.repo, at.commit, t); err != nil {
		return err
	}
	return a.plannable(ctx, m, at.repo, t, o.draftOnly)
}

// plannable says what would keep a planner, or the run after it, from being called.
func (a *app) plannable(ctx context.Context, m *runner.Machine, dir string, t contract.Task, alone bool) error {
	home, err := a.loadHome()
	if err != nil {
		return err
	}
	if _, ok := home.Policy.Roles["planner"]; !ok && home.Policy.Err == nil {
		return &refused{Code: "role_not_configured", Message: fmt.Sprintf("policy.yaml of %s configures no role \"planner\"", home.Dir),
			Hint: "name a profile under roles.planner, or use --prepare off; " + a.program() + " setup writes starter profiles"}
	}
	if no := m.RefusesPlan(ctx, home, t, dir); no != nil {
		return &halted{no.Code, no.Detail, true}
	}
	if alone {
		return nil
	}
	no := m.Refuses(ctx, home, t, dir)
	if no == nil {
		no = m.Blind(ctx, home, t, dir)
	}
	if no != nil {
		return &halted{no.Code, no.Detail, true}
	}
	return nil
}

// planID names the preparation of a run.
func planID(run string) string { return clip(run, 55) + "-plan" }

// taken reports whether a run of that name has left anything.
func (l *local) taken(id string) bool {
	_, err := os.Lstat(filepath.Join(l.runsDir, id))
	return err == nil
}
