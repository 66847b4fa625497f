package land

import (
	"context"
	"errors"

	"github.com/tolboy/warden/internal/git"
	"github.com/tolboy/warden/internal/push"
)

// Push brings the commit to the branch of its name on the plan's remote, as the
// operator, and lets the branch follow it. It is made there, or moved forward from
// where this repository saw it last; never forced.
func (p Performer) Push(ctx context.Context, plan Plan, commit string) error {
	expect, err := p.tracked(ctx, *plan.Remote, plan.Branch)
	if err != nil {
		return failed(GitPushFailed, err)
	}
	if err := p.searched(ctx, plan, commit); err != nil {
		return failed(GitPushFailed, err)
	}
	operator := push.Operator{Git: p.Git, Environ: p.Environ}
	err = operator.Branch(ctx, plan.Remote.URLs[0], p.Common, commit, plan.Branch, expect)
	switch {
	case errors.Is(err, push.ErrDefaultBranch):
		return refuse(RefusesDefaultBranch, "git switch -c NAME", "%v", err)
	case errors.Is(err, push.ErrLease), errors.Is(err, push.ErrRewrite):
		return refuse(GitPushFailed, "somebody moved the branch: git fetch "+plan.Remote.Name+" and look at it", "%v", err)
	case err != nil:
		return failed(GitPushFailed, err)
	}
	for _, args := range p.follow(plan, commit) {
		if _, err := p.Git.Do(ctx, git.Call{Dir: p.Root, Args: args}); err != nil {
			return refuse(GitPushFailed, "the branch is pushed; run the same command again", "%v", err)
		}
	}
	return nil
}

// follow is what git push -u leaves besides.
func (p Performer) follow(plan Plan, commit string) [][]string {
	out := [][]string{
		{"config", "branch." + plan.Branch + ".remote", plan.Remote.Name},
		{"config", "branch." + plan.Branch + ".merge", "refs/heads/" + plan.Branch},
	}
	if plan.Remote.Tracks {
		out = append(out, []string{"update-ref", "refs/remotes/" + plan.Remote.Name + "/" + plan.Branch, commit})
	}
	return out
}

// WouldRun lists, as a person would type them, the commands of every step that is
// still owed. The file of the body is made when the command runs.
func (p Performer) WouldRun(ctx context.Context, plan Plan, d Draft, run, title string, command []string) ([]string, error) {
	out := []string{}
	say := func(args ...string) { out = append(out, Shell(append([]string{"git"}, args...))) }
	if !d.Already {
		for _, args := range p.commands(d, plan.Branch, run) {
			say(args...)
		}
	}
	if plan.Remote == nil {
		return out, nil
	}
	expect, err := p.tracked(ctx, *plan.Remote, plan.Branch)
	if err != nil {
		return nil, err
	}
	say(push.Operator{}.Args(push.Shown(plan.Remote.URLs[0]), d.Commit, plan.Branch, expect)...)
	for _, args := range p.follow(plan, d.Commit) {
		say(args...)
	}
	if len(command) > 0 {
		out = append(out, Shell(Render(command, plan.values(title, "BODY_FILE"))))
	}
	return out, nil
}

func (p Plan) values(title, bodyFile string) map[string]string {
	return map[string]string{"remote": p.Remote.Name, "branch": p.Branch, "base": p.Base, "title": title, "body_file": bodyFile}
}
