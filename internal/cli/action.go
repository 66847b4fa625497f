package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tolboy/warden/forge"
	"github.com/tolboy/warden/forge/github"
	"github.com/tolboy/warden/internal/bot"
	"github.com/tolboy/warden/internal/ci"
	"github.com/tolboy/warden/internal/durable"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/reconcile"
	"github.com/tolboy/warden/internal/redact"
)

func (a *app) action() *cobra.Command {
	return &cobra.Command{
		Use:   "action",
		Short: "Reconcile the issue of a GitHub Actions event",
		Long:  "Reads the event file of a GitHub Actions job, finds the issue it is about, reads that\nissue's state from GitHub, and does what is owed next.",
		Args:  exactly(),
		RunE:  func(cmd *cobra.Command, _ []string) error { return a.runAction(cmd.Context()) },
	}
}

func (a *app) runAction(ctx context.Context) error {
	job, err := ci.Load(a.env, func(path string) ([]byte, error) { return durable.ReadGiven(path, ci.MaxEvent) })
	if err != nil {
		return &refused{Code: "environment_invalid", Message: err.Error()}
	}
	out, err := a.act(ctx, job)
	if err != nil {
		return a.broken(ctx, job, err)
	}
	return a.print(out)
}

// act does what the job's event asks for.
func (a *app) act(ctx context.Context, job ci.Context) (actionRun, error) {
	if job.Token.Empty() {
		return actionRun{}, &refused{Code: "credential_missing", Message: "assumed GitHub at " + job.APIURL + " because GITHUB_ACTIONS is true, and found no token",
			Hint: "looked in " + strings.Join(ci.TokenVariables(), ", ") + "; pass `token: ${{ github.token }}` to the action"}
	}
	event, err := github.ParseEvent(job.EventName, job.Event)
	if err != nil {
		return actionRun{}, &refused{Code: "event_invalid", Message: err.Error()}
	}
	log, err := ci.Open(a.stderr, rand.Reader)
	if err != nil {
		return actionRun{}, err
	}
	defer log.Close()
	shop, err := a.openShop(ctx, job, log)
	if err != nil {
		return actionRun{}, err
	}
	if err := warn(job, log, shop.warnings); err != nil {
		return actionRun{}, err
	}
	issues, err := shop.keys(ctx, event)
	if err != nil {
		return actionRun{}, err
	}
	return a.reconcile(ctx, job, log, shop, event, issues)
}

// reconcile does what is owed to one issue after the other, and tells the job.
func (a *app) reconcile(ctx context.Context, job ci.Context, log *ci.Log, shop *shop, event forge.Event, issues []int) (actionRun, error) {
	out := actionRun{OK: true, Event: event.Name, Issues: []int{}, Told: []bot.Told{}, Runs: []runRow{}, Decisions: []decisionRow{}, Warnings: shop.warnings}
	var reported bool
	var failed error
	report := func() {
		out.finish()
		failed, reported = a.report(job, log, out, shop), true
	}
	shop.bot.Cut = func(res bot.Result) {
		out.cut = true
		out.add(ctx, res, shop)
		report() // before anything that may take its time: whoever cancels a job soon kills it
	}
	for _, n := range issues {
		if ctx.Err() != nil {
			out.cut = true
			break
		}
		out.Issues = append(out.Issues, n)
		res, err := shop.bot.Reconcile(ctx, n, trigger(event))
		if !out.cut {
			out.add(ctx, res, shop)
		}
		if err != nil {
			out.OK = false
			out.Problems = append(out.Problems, err.Error())
			fmt.Fprintln(log, "warden:", err)
		}
	}
	if !reported {
		report()
	}
	return out, failed
}

// keys are the issues an event is about: the one it names, or every open one.
func (s *shop) keys(ctx context.Context, e forge.Event) ([]int, error) {
	switch {
	case e.Repo.Name != "" && !strings.EqualFold(e.Repo.String(), s.bot.Repo.String()):
		return nil, &refused{Code: "event_invalid", Message: fmt.Sprintf("the event is about %s, and this job about %s", e.Repo, s.bot.Repo)}
	case e.Number > 0 && !e.IsPullRequest:
		return []int{e.Number}, nil
	case e.Number > 0:
		pr, err := s.bot.Forge.PullRequest(ctx, e.Number)
		if errors.Is(err, forge.ErrNotFound) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		return s.issueOf(pr.HeadRef), nil
	case e.HeadRef != "":
		if n := s.issueOf(e.HeadRef); n != nil {
			return n, nil
		}
	}
	open, err := s.bot.Forge.OpenIssues(ctx, s.label)
	if err != nil {
		return nil, fmt.Errorf("list the open issues: %w", err)
	}
	slices.Sort(open)
	return open, nil
}

// issueOf reads the issue's number out of a branch of ours. The ledger says
// afterwards whether the branch really is the issue's.
func (s *shop) issueOf(branch string) []int {
	rest, ok := strings.CutPrefix(branch, s.prefix+"issue-")
	if !ok {
		return nil
	}
	digits, _, _ := strings.Cut(rest, "-")
	if n, err := strconv.Atoi(digits); err == nil && n > 0 {
		return []int{n}
	}
	return nil
}

func trigger(e forge.Event) reconcile.Trigger {
	t := reconcile.Trigger{Kind: reconcile.TriggerOther, Sender: e.Sender, Label: e.Label}
	switch e.Name {
	case "issues":
		if e.Action == "labeled" {
			t.Kind = reconcile.TriggerLabel
		}
	case "issue_comment":
		t.Kind, t.ID = reconcile.TriggerComment, e.CommentID
	case "pull_request_review":
		t.Kind, t.ID = reconcile.TriggerReview, e.ReviewID
	case "schedule", "workflow_run":
		t.Kind = reconcile.TriggerTimer
	}
	return t
}

// stateDir is where the job keeps its mirror and ledgers.
func stateDir(env func(string) string, job ci.Context) (string, error) {
	dir := env("WARDEN_STATE_DIR")
	if dir == "" {
		dir = job.TempDir
		if dir == "" {
			dir = os.TempDir()
		}
		dir = filepath.Join(dir, "warden-state")
	}
	return filepath.Abs(filepath.Join(dir, strings.ToLower(job.Repo.Owner), strings.ToLower(job.Repo.Name)))
}

// owner names this job as the worker of the runs that it makes.
func owner(job ci.Context, pid int, host string) ledger.Owner {
	return ledger.Owner{Kind: "action", ID: fmt.Sprintf("%d/%d", job.RunID, job.RunAttempt), Host: host, PID: pid}
}

// secrets are the values that must appear nowhere: the forge's token and every
// key that a profile names.
func secrets(a *app, job ci.Context, names []string) (*redact.Set, error) {
	values := append(redact.ProxySecrets(a.environ), job.Token.Reveal())
	for _, n := range names {
		values = append(values, a.env(n))
	}
	return redact.New(values...)
}
