package cli

import (
	"context"
	"strings"

	"github.com/tolboy/warden/internal/land"
)

// perform does the steps that were asked for, each between two lines of the ledger,
// and returns how far it came.
func (w *landing) perform(ctx context.Context, o land.Options, j land.Journal, out *landResult) (land.Code, error) {
	p, d, command := w.performer, w.draft, w.local.project.Land.PullRequest
	again := w.local.program + " land " + out.RunID + w.local.at()
	if !d.Already {
		if err := j.Commit(w.plan, d, func() error { return p.Take(ctx, d, w.plan.Branch, out.RunID) }); err != nil {
			return orCode(err, land.GitCommitFailed), err
		}
	}
	if out.Next = again + " --push"; w.plan.Before != "" {
		out.Next = w.plan.Before + "; then " + out.Next
	}
	if !o.Push {
		return land.Committed, nil
	}
	if err := j.Push(w.plan, d, func() error { return p.Push(ctx, w.plan, d.Commit) }); err != nil {
		return orCode(err, land.GitPushFailed), err
	}
	out.Next = again + " --pull-request"
	if len(command) == 0 {
		out.Next = land.Suggest(w.plan)
	}
	if !o.PullRequest {
		return land.Pushed, nil
	}
	err := j.Request(w.plan, d, func() (string, error) {
		said, err := p.Open(ctx, w.plan, command, w.texts.Title, w.texts.Body)
		out.Note = strings.TrimPrefix(out.Note+"; "+said, "; ")
		return said, err
	})
	if err != nil {
		return orCode(err, land.PullRequestFailed), err
	}
	out.Next = "a person reviews it, and merges it or not"
	return land.PullRequestOpened, nil
}

func orCode(err error, code land.Code) land.Code {
	if c := land.CodeOf(err); c != "" {
		return c
	}
	return code
}
