package doctor

import (
	"context"
	"errors"
	"fmt"

	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/git"
	"github.com/tolboy/warden/internal/proc"
)

// ground is what every run stands on, whoever works in it.
type ground struct {
	repository bool // the directory is in a git repository
	gates      bool // a command could judge a candidate here
	troubles   []Trouble
}

func (g *ground) miss(problem, next string) {
	g.troubles = append(g.troubles, Trouble{problem, next})
}

// survey looks at repository and contract.
func survey(ctx context.Context, req Request, found Project, p contract.Project) ground {
	var g ground
	run, err := git.New()
	if err != nil {
		g.miss(err.Error(), "install git")
		return g
	}
	dir := req.Dir
	if found.Root != "" {
		dir = found.Root
	}
	if _, err := run.CommonDir(ctx, dir); err == nil {
		g.repository = true
	} else {
		g.miss(dir+" is in no git repository", "git init, then commit what is there")
	}
	switch {
	case found.Root == "":
		g.miss(found.Problem, "cd to a project, or make this one: "+req.program()+" init")
	case found.Problem != "":
		g.miss(found.Problem, "correct "+found.Root+"/.warden/project.yaml")
	default:
		base := g.repository && g.base(ctx, run, dir, p)
		g.gates = g.commands(req, p) && base
	}
	return g
}

// base reports whether a candidate here could be compared with something.
func (g *ground) base(ctx context.Context, run *git.Git, dir string, p contract.Project) bool {
	if _, err := run.Resolve(ctx, dir, "HEAD"); err != nil {
		g.miss("the repository has no commit yet", "git add -A && git commit")
		return false
	}
	if _, err := run.Run(ctx, dir, "cat-file", "-e", "HEAD:./.warden/project.yaml"); err != nil {
		g.miss("the contract is not committed, and a run in a worktree of its own reads it from the commit", "git add .warden && git commit")
	}
	_, err := run.MergeBase(ctx, dir, "HEAD", p.BaseRef)
	var lost *git.UnresolvableError
	if errors.As(err, &lost) {
		g.miss(fmt.Sprintf("base_ref %q: %v", p.BaseRef, err), "fetch it, or name a branch that is here as base_ref in .warden/project.yaml (git branch lists them)")
	} else if err != nil {
		g.miss(err.Error(), "")
	}
	return err == nil
}

// commands reports whether a task that names no command of its own has one.
func (g *ground) commands(req Request, p contract.Project) bool {
	_, shell := proc.LookPath("/bin/sh", req.Env)
	if shell != nil {
		g.miss(shell.Error(), "")
	}
	set, _ := p.CheckSet(p.Defaults.Checks)
	baseline, _ := p.CheckSet(p.Defaults.BaselineChecks)
	some := len(set)+len(baseline) > 0
	if !some {
		g.miss(fmt.Sprintf("the check set %q has no command, so nothing says when a task is done", p.Defaults.Checks),
			"write a command that fails when the work is wrong into checks in .warden/project.yaml")
	}
	return some && shell == nil
}
