package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/tolboy/warden/internal/land"
	"github.com/tolboy/warden/internal/ledger"
)

// landOptions is the command line of `warden land`.
type landOptions struct {
	land.Options
	project, title, bodyFile, messageFile string
}

func (a *app) land() *cobra.Command {
	var o landOptions
	cmd := &cobra.Command{
		Use:   "land RUN",
		Short: "Commit, push or offer an accepted candidate, as its operator; merges nothing",
		Long:  "Commit, push or offer an accepted candidate, as its operator; merges nothing.\nWithout --commit, --push or --pull-request it says what would run, and changes nothing.",
		Args:  exactly("RUN"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := stated(cmd, "remote", "base"); err != nil {
				return err
			}
			return a.runLand(cmd.Context(), o, args[0])
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.Commit, "commit", false, "commit the candidate on the branch that is checked out")
	f.BoolVar(&o.Push, "push", false, "push that branch, after the commit")
	f.BoolVar(&o.PullRequest, "pull-request", false, "run land.pull_request of project.yaml, after the push")
	f.BoolVar(&o.PullRequest, "pr", false, "the same as --pull-request")
	f.StringVar(&o.title, "title", "", "title of the pull request")
	f.StringVar(&o.bodyFile, "body-file", "", "file that holds the text of the pull request")
	f.StringVar(&o.messageFile, "message-file", "", "file that holds the commit message")
	f.StringVar(&o.Base, "base", "", "branch that the pull request asks to take the candidate")
	f.StringVar(&o.Remote, "remote", "", "name of the remote to push to")
	f.StringVar(&o.project, "project", ".", "directory of the project")
	return cmd
}

// runLand plans, and performs as many steps as were asked for. Everything up to the
// first step refuses with nothing changed.
func (a *app) runLand(ctx context.Context, o landOptions, id string) error {
	w, err := a.openLanding(ctx, o, id)
	if err != nil {
		return landRefusal(err)
	}
	defer w.close()
	out := w.result()
	if !o.Escalated().Commit {
		out.OK, out.Code, out.Next = true, land.Planned, w.local.program+" land "+id+w.local.at()+" --commit"
		return a.print(out)
	}
	run, err := ledger.Open(w.local.runsDir, id, w.red)
	if err != nil {
		return w.local.refusal(ctx, id, err)
	}
	defer run.Close()
	code, err := w.perform(ctx, o.Escalated(), land.Journal{Run: run, Now: a.now}, &out)
	out.OK, out.Code = err == nil, code
	if err != nil {
		out.Message = err.Error()
		var no *land.RefusedError
		if errors.As(err, &no) {
			out.Next = no.Hint
		}
		a.complain(err)
		return a.print(out)
	}
	a.narrate("%s: commit %.12s on %s; nothing is merged", code, out.Commit, out.Branch)
	return a.print(out)
}

func landRefusal(err error) error {
	var no *land.RefusedError
	if errors.As(err, &no) {
		return &refused{Code: string(no.Code), Message: no.Message, Hint: no.Hint}
	}
	return err
}
