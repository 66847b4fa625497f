package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/draft"
	"github.com/tolboy/warden/internal/engine"
	"github.com/tolboy/warden/internal/ledger"
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
	browser   bool   // a page could be looked at here
	start     string // what the worktree was cut from, "" in place
}

func (a *app) do() *cobra.Command {
	var o doOptions
	cmd := &cobra.Command{
		Use:   "do GOAL",
		Short: "From a goal to a candidate: worktree, contract, loop, human gate",
		Args:  atMost(1, "put the goal in quotes"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				if o.goal != "" {
					return usagef("the goal is given twice")
				}
				o.goal = args[0]
			}
			o.browser = a.browser(o.project).Path != ""
			out, err := a.doGoal(cmd.Context(), o)
			var no *halted
			if errors.As(err, &no) {
				out.runResult = runResult{Reason: no.code, NextAction: engine.HumanEscalation, Detail: no.detail, SafeNextStep: no.next(a.program(), out.Project)}
				err = nil
			}
			if err != nil {
				return err
			}
			a.finish(&out.runResult, o.run.quiet)
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
	f.StringVar(&o.isolation, "isolation", "git", "git, or orca: a worktree that Orca shows too")
	f.BoolVar(&o.initRepo, "init-repo", false, "make a directory without .git a repository, with what is there as its first commit")
	f.BoolVar(&o.draftOnly, "draft-only", false, "stop when the contract is drafted")
	o.run.flags(cmd)
	return cmd
}

// doResult is what `warden do` prints.
type doResult struct {
	runResult
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

	Prepare     string       `json:"prepare"`
	Preparation *preparation `json:"preparation,omitempty"`
	// GoalAddition is what the planner would add; the goal is without it.
	GoalAddition string `json:"goal_addition,omitempty"`
	Next         string `json:"next,omitempty"`
}

func (o *doOptions) check() error {
	if err := o.run.check(); err != nil {
		return err
	}
	if err := ledger.CheckRunID(o.run.id); o.run.id != "" && err != nil {
		return usagef("%v", err)
	}
	if err := contract.CheckTaskID(o.taskID); o.taskID != "" && err != nil {
		return usagef("--task-id %v", err)
	}
	switch o.isolation {
	case "git":
	case "orca":
		if o.inPlace {
			return usagef("--isolation orca and --in-place exclude each other")
		}
	default:
		return usagef("--isolation %q: choose git or orca", o.isolation)
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

func noDirectory(dir string) error {
	return &refused{Code: "project_not_found", Message: fmt.Sprintf("%s is no directory", dir)}
}

func clip(s string, most int) string {
	if len(s) > most {
		s = strings.TrimRight(s[:most], "-._")
	}
	return s
}
