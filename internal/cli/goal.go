package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/draft"
	"github.com/tolboy/warden/internal/runner"
	"github.com/tolboy/warden/internal/worktree"
)

// doGoal goes from a goal to a candidate. What can be refused is refused before a
// worktree is made for it.
func (a *app) doGoal(ctx context.Context, o doOptions) (doResult, error) {
	if err := o.check(); err != nil {
		return doResult{}, err
	}
	goal, err := a.goal(o)
	if err != nil {
		return doResult{}, err
	}
	dir, err := filepath.Abs(o.project)
	if err != nil {
		return doResult{}, err
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return doResult{}, noDirectory(dir)
	}
	m, err := a.machine(ctx, dir)
	if err != nil {
		return doResult{}, err
	}
	root, err := a.repository(ctx, m, dir, o)
	if err != nil {
		return doResult{}, err
	}
	if o.taskID == "" {
		o.taskID = contract.TaskSlug(goal)
	}
	if o.run.id == "" {
		o.run.id = a.freshID("do-" + clip(o.taskID, 40))
	}
	out := doResult{Prepare: o.run.prepare, Goal: goal, TaskID: o.taskID, Project: root, Worktree: root}
	if o.inPlace {
		release, err := a.hold(ctx, m, out.Worktree, o.run.id)
		if err != nil {
			return out, err
		}
		defer release()
		err = a.work(ctx, m, goal, o, &out)
		return out, err
	}
	err = a.inTree(ctx, m, goal, o, &out)
	return out, err
}

// inTree does the work in a worktree of its own.
func (a *app) inTree(ctx context.Context, m *runner.Machine, goal string, o doOptions, out *doResult) error {
	p, err := a.foresee(ctx, m, out.Project, o)
	if err != nil {
		return err
	}
	if err := a.committed(ctx, m, p); err != nil {
		return err
	}
	if o.isolation == "orca" {
		if err := a.orcaAnswers(ctx, p.repo); err != nil {
			return err
		}
	}
	if p.tree.Placement != worktree.Joined {
		if err := a.ready(ctx, m, p, goal, o); err != nil {
			return err
		}
	}
	if err := a.stale(ctx, m, p); err != nil {
		return err
	}
	release, err := a.holdPlace(m, p, o.run.id)
	if err != nil {
		return err
	}
	defer release()
	if err := a.cut(ctx, m, &p, out); err != nil {
		return err
	}
	if o.isolation == "orca" {
		if err := a.orcaKnows(ctx, p); err != nil {
			a.undo(ctx, m, p)
			return err
		}
	}
	o.start, o.run.isolated, o.run.fresh = p.start, true, p.tree.Placement != worktree.Joined
	failed := a.work(ctx, m, goal, o, out)
	if failed == nil {
		return nil
	}
	if hasBegun(failed) {
		a.narrate("tree  %s was left as it is", p.tree.Dir)
		return failed
	}
	for _, id := range []string{o.run.id, planID(o.run.id)} {
		if _, err := os.Lstat(filepath.Join(out.Worktree, ".warden", "runs", id)); err == nil {
			return failed // what is there is evidence
		}
	}
	a.undo(context.WithoutCancel(ctx), m, p)
	if p.tree.Placement != worktree.Joined {
		out.Worktree, out.Isolated, out.Isolation = out.Project, false, ""
	}
	return failed
}

// work drafts the task in the tree, or in the checkout, and runs it. Either is held.
func (a *app) work(ctx context.Context, m *runner.Machine, goal string, o doOptions, out *doResult) error {
	o.run.held = true
	l, made, err := a.contractIn(ctx, m, *out, o)
	if err != nil {
		return err
	}
	task, done, err := a.taskFor(ctx, m, l, goal, &o, out)
	if err != nil || done {
		return err
	}
	if made && out.Isolated && !o.draftOnly {
		head, err := m.Git.Resolve(ctx, l.root, "HEAD")
		if err != nil {
			return err
		}
		if err := a.runnable(ctx, m, l.root, head, task); err != nil {
			return err
		}
	}
	if o.draftOnly {
		out.OK, out.Code, out.NextAction = true, "drafted", "review_the_contract"
		out.TaskFile = filepath.Join(out.Worktree, ".warden", filepath.FromSlash(task.Path))
		out.Next = next(l, task, o)
		a.narrate("drafted %s", out.TaskFile)
		a.narrate("next  %s", out.Next)
		return nil
	}
	out.runResult, err = a.runTask(ctx, l, task, o.run)
	return err
}

// repository returns the top of the repository that holds dir. A directory that is
// made one gets its first contract with it, so that there is a file to edit.
func (a *app) repository(ctx context.Context, m *runner.Machine, dir string, o doOptions) (string, error) {
	if _, err := m.Git.Root(ctx, dir); err == nil || !o.initRepo {
		return top(ctx, m.Git, dir)
	}
	if _, err := os.Lstat(filepath.Join(dir, ".warden", "project.yaml")); errors.Is(err, os.ErrNotExist) {
		if _, err := first(ctx, draft.InitRequest{Root: dir, BaseRef: draft.FirstBranch}); err != nil {
			return "", err
		}
	}
	if err := draft.InitRepo(ctx, m.Git, dir); err != nil {
		return "", &refused{Code: "git_init_failed", Message: err.Error()}
	}
	a.narrate("made  %s a git repository, with a contract in .warden/project.yaml", dir)
	return top(ctx, m.Git, dir)
}

// contractIn loads the contract of the tree. Where there is none, the project's
// first is drafted, and said to be: it belongs to the tree alone.
func (a *app) contractIn(ctx context.Context, m *runner.Machine, out doResult, o doOptions) (l *local, made bool, err error) {
	dir := out.Worktree
	if _, err := os.Lstat(filepath.Join(dir, ".warden", "project.yaml")); errors.Is(err, os.ErrNotExist) {
		req := draft.InitRequest{Root: dir, BaseRef: o.start, Name: filepath.Base(out.Project)}
		if req.BaseRef == "" {
			if req.BaseRef, err = m.Git.CurrentBranch(ctx, dir); err != nil {
				return nil, false, err
			}
		}
		if req.BaseRef == "" {
			req.BaseRef = "HEAD"
		}
		begun, err := first(ctx, req)
		if err != nil {
			return nil, false, err
		}
		if len(begun.Checks) == 0 && out.Isolated {
			return nil, false, &refused{Code: "project_not_initialized", Message: "the repository has no contract, and nothing in it tells whether the work is done",
				Hint: "run `warden init`, add a command to checks.fast in .warden/project.yaml, and commit it"}
		}
		made = true
		a.narrate("note: the repository has no contract; one was drafted in %s, compared with %s; `warden init` makes one to keep", filepath.Join(dir, ".warden"), req.BaseRef)
	}
	l, err = a.openLocal(dir)
	return l, made, err
}

// first writes the first contract.
func first(ctx context.Context, req draft.InitRequest) (draft.Initialised, error) {
	out, err := draft.Init(ctx, req)
	var unknown *draft.UnrecognisedError
	switch {
	case errors.Is(err, draft.ErrExists):
		return out, &refused{Code: "already_initialised", Message: err.Error()}
	case errors.As(err, &unknown):
		return out, &refused{Code: "project_not_initialized", Message: unknown.Error()}
	}
	return out, err
}

// draft writes the task's contract, or joins the one that is there.
func (a *app) draft(l *local, goal string, o doOptions, out *doResult) (contract.Task, error) {
	d, scope, err := drafted(l.project, os.DirFS(l.root), goal, o)
	if err != nil {
		return contract.Task{}, err
	}
	existed, err := draft.Write(l.root, d, l.project)
	if err != nil {
		return contract.Task{}, conflict(err)
	}
	for _, note := range d.Notes {
		a.narrate("note  %s", note)
	}
	fresh, err := a.openLocal(l.root)
	if err != nil {
		return contract.Task{}, err
	}
	*l = *fresh
	t, err := l.task(d.ID)
	out.Existed, out.Scope, out.Risk = existed, scope, t.Risk
	return t, err
}
