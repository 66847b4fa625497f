package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/draft"
	"github.com/tolboy/warden/internal/runner"
	"github.com/tolboy/warden/internal/worktree"
)

// doOptions is the command line of `warden do`.
type doOptions struct {
	run       runOptions
	project   string
	scope     string
	risk      string
	taskID    string
	baseRef   string
	goal      string
	goalFile  string
	inPlace   bool
	isolation string
	initRepo  bool
	draftOnly bool
}

func (a *app) do() *cobra.Command {
	var o doOptions
	cmd := &cobra.Command{
		Use:   "do GOAL",
		Short: "From a goal to a candidate: worktree, contract, loop, human gate",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				if o.goal != "" {
					return usagef("the goal is given twice")
				}
				o.goal = args[0]
			}
			out, err := a.doGoal(cmd.Context(), o)
			if err != nil {
				return err
			}
			return a.print(out)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.project, "project", ".", "directory of the project")
	f.StringVar(&o.scope, "scope", "", "name of the scope that may change")
	f.StringVar(&o.risk, "risk", "", "low, medium or high")
	f.StringVar(&o.taskID, "task-id", "", "name of the task; made from the goal when empty")
	f.StringVar(&o.baseRef, "base-ref", "HEAD", "what the worktree is cut from")
	f.StringVar(&o.goal, "goal", "", "the goal")
	f.StringVar(&o.goalFile, "goal-file", "", "file that holds the goal, in UTF-8")
	f.BoolVar(&o.inPlace, "in-place", false, "work in the checkout itself")
	f.StringVar(&o.isolation, "isolation", "git", "git")
	f.BoolVar(&o.initRepo, "init-repo", false, "make a directory without .git a repository, with what is there as its first commit")
	f.BoolVar(&o.draftOnly, "draft-only", false, "stop when the contract is drafted")
	o.run.flags(cmd)
	return cmd
}

// doResult is what `warden do` prints.
type doResult struct {
	runResult
	Code      string `json:"code"`
	Goal      string `json:"goal"`
	TaskID    string `json:"task_id"`
	TaskFile  string `json:"task_file,omitempty"`
	Existed   bool   `json:"task_existed"`
	Project   string `json:"project"`
	Worktree  string `json:"worktree"`
	Isolated  bool   `json:"isolated"`
	Isolation string `json:"isolation,omitempty"`
	StartRef  string `json:"worktree_start_ref,omitempty"`
	Scope     string `json:"scope"`
	Risk      string `json:"risk"`
	Lands     bool   `json:"lands"`
}

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
		return doResult{}, &refused{Code: "project_not_found", Message: fmt.Sprintf("%s is no directory", dir)}
	}
	m, err := a.machine(ctx, dir)
	if err != nil {
		return doResult{}, err
	}
	if err := a.repository(ctx, m, dir, o); err != nil {
		return doResult{}, err
	}
	if o.taskID == "" {
		o.taskID = contract.TaskSlug(goal)
	}
	out := doResult{Goal: goal, TaskID: o.taskID, Project: dir, Worktree: dir}
	if !o.inPlace {
		if err := a.isolate(ctx, m, dir, o, &out); err != nil {
			return doResult{}, err
		}
	}
	if o.run.id == "" {
		o.run.id = a.freshID("do-" + clip(o.taskID, 40))
	}
	release, err := a.hold(ctx, m, out.Worktree, o.run.id)
	if err != nil {
		return doResult{}, err
	}
	defer release()
	o.run.held = true
	l, err := a.contractIn(ctx, out.Worktree, o)
	if err != nil {
		return doResult{}, err
	}
	task, err := a.draft(l, goal, o, &out)
	if err != nil {
		return doResult{}, err
	}
	if o.draftOnly {
		out.OK, out.Code, out.NextAction = true, "drafted", "review_the_contract"
		out.TaskFile = filepath.Join(out.Worktree, ".warden", filepath.FromSlash(task.Path))
		a.narrate("drafted %s", out.TaskFile)
		return out, nil
	}
	o.run.setup = out.Isolation == string(worktree.Created)
	if out.runResult, err = a.runTask(ctx, l, task, o.run); err != nil {
		return doResult{}, err
	}
	out.Code = string(out.Reason)
	return out, nil
}

func (o *doOptions) check() error {
	if err := o.run.check(); err != nil {
		return err
	}
	switch o.isolation {
	case "git":
	case "orca":
		return &refused{Code: "isolation_unsupported", Message: "--isolation orca is not built yet", Hint: "use --isolation git"}
	default:
		return usagef("--isolation %q: choose git", o.isolation)
	}
	switch o.risk {
	case "", "low", "medium", "high":
		return nil
	}
	return &refused{Code: "risk_unknown", Message: fmt.Sprintf("--risk %q: choose low, medium or high", o.risk)}
}

// goal returns the goal from where it was given.
func (a *app) goal(o doOptions) (string, error) {
	goal := o.goal
	if o.goalFile != "" {
		if goal != "" {
			return "", usagef("the goal is given twice")
		}
		data, err := a.given("goal", o.goalFile)
		if err != nil {
			return "", err
		}
		goal = strings.TrimRight(strings.TrimPrefix(string(data), "\uFEFF"), "\r\n")
	}
	if goal == "" {
		return "", usagef("no goal: give it as an argument, or in a file with --goal-file")
	}
	if err := draft.CheckGoal(goal); errors.Is(err, draft.ErrMangled) {
		return "", &refused{Code: draft.MangledCode, Message: err.Error()}
	} else if err != nil {
		return "", usagef("%v", err)
	}
	return goal, nil
}

// repository makes sure that dir is one.
func (a *app) repository(ctx context.Context, m *runner.Machine, dir string, o doOptions) error {
	if _, err := m.Git.Root(ctx, dir); err == nil {
		return nil
	}
	if !o.initRepo {
		return &refused{Code: "not_a_git_repository", Message: fmt.Sprintf("%s is no git repository", dir), Hint: "use --init-repo to make it one, with what is there as its first commit"}
	}
	if err := draft.InitRepo(ctx, m.Git, dir); err != nil {
		return &refused{Code: "git_init_failed", Message: err.Error()}
	}
	return nil
}

// contractIn loads the contract of the tree, drafting the project's own first
// where there is none.
func (a *app) contractIn(ctx context.Context, dir string, o doOptions) (*local, error) {
	if _, err := os.Stat(filepath.Join(dir, ".warden", "project.yaml")); errors.Is(err, os.ErrNotExist) {
		_, err := draft.Init(ctx, draft.InitRequest{Root: dir, BaseRef: o.baseRef})
		var unknown *draft.UnrecognisedError
		if errors.As(err, &unknown) {
			return nil, &refused{Code: "project_not_initialized", Message: unknown.Error()}
		}
		if err != nil {
			return nil, err
		}
	}
	return a.openLocal(dir)
}

// draft writes the task's contract, or joins the one that is there.
func (a *app) draft(l *local, goal string, o doOptions, out *doResult) (contract.Task, error) {
	scope := o.scope
	if scope == "" {
		scope = l.project.DefaultScope()
	}
	if scope == "" {
		return contract.Task{}, &refused{Code: "scope_required", Message: "the project declares several scopes", Hint: "name one with --scope"}
	}
	if _, ok := l.project.ScopePaths(scope); !ok {
		return contract.Task{}, &refused{Code: "scope_unknown", Message: fmt.Sprintf("the project declares no scope %q", scope)}
	}
	d, err := draft.Draft(draft.TaskRequest{ID: o.taskID, Goal: goal, Scope: scope, Risk: o.risk}, l.project, os.DirFS(l.root))
	if err != nil {
		return contract.Task{}, err
	}
	existed, err := draft.Write(l.root, d, l.project)
	var conflict *draft.ConflictError
	if errors.As(err, &conflict) {
		return contract.Task{}, &refused{Code: "task_conflict", Message: conflict.Error()}
	}
	if err != nil {
		return contract.Task{}, err
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

func clip(s string, most int) string {
	if len(s) > most {
		s = strings.TrimRight(s[:most], "-._")
	}
	return s
}
