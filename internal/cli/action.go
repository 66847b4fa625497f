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
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return a.runAction(cmd.Context()) },
	}
}

// actionRun is what one `warden action` printed.
type actionRun struct {
	OK          bool          `json:"ok"`
	Outcome     string        `json:"outcome"`
	Event       string        `json:"event"`
	Issues      []int         `json:"issues"`
	Told        []bot.Told    `json:"actions"`
	Runs        []runRow      `json:"runs"`
	Branch      string        `json:"branch,omitempty"`
	PullRequest *pullRow      `json:"pull_request"`
	Decisions   []decisionRow `json:"decisions"`
	Problems    []string      `json:"problems,omitempty"`

	markdown string // for the step summary
}

func (r actionRun) succeeded() bool { return r.OK }

type runRow struct {
	RunID      string `json:"run_id"`
	Reason     string `json:"reason"`
	NextAction string `json:"next_action"`
	RoleRuns   int    `json:"role_runs"`
	Candidate  string `json:"candidate"`
	LedgerRef  string `json:"ledger_ref"`
	LedgerHead string `json:"ledger_head"`
}

type pullRow struct {
	Number int    `json:"number"`
	Draft  bool   `json:"draft"`
	Merged bool   `json:"merged"`
	Head   string `json:"head"`
	URL    string `json:"url"`
}

type decisionRow struct {
	RunID      string `json:"run_id"`
	Decision   string `json:"decision"`
	Actor      string `json:"actor"`
	Source     string `json:"source"`
	Candidate  string `json:"candidate"`
	NoteSHA256 string `json:"note_sha256"`
}

func (a *app) runAction(ctx context.Context) error {
	job, err := ci.Load(a.env, func(path string) ([]byte, error) { return durable.ReadGiven(path, ci.MaxEvent) })
	if err != nil {
		return &refused{Code: "environment_invalid", Message: err.Error()}
	}
	if job.Token.Empty() {
		return &refused{Code: "credential_missing", Message: "assumed GitHub at " + job.APIURL + " because GITHUB_ACTIONS is true, and found no token",
			Hint: "looked in " + strings.Join(ci.TokenVariables(), ", ") + "; pass `token: ${{ github.token }}` to the action"}
	}
	event, err := github.ParseEvent(job.EventName, job.Event)
	if err != nil {
		return &refused{Code: "event_invalid", Message: err.Error()}
	}
	log, err := ci.Open(a.stderr, rand.Reader)
	if err != nil {
		return err
	}
	defer log.Close()
	shop, err := a.openShop(ctx, job, log)
	if err != nil {
		return err
	}
	out := actionRun{OK: true, Event: event.Name, Issues: []int{}, Told: []bot.Told{}, Runs: []runRow{}, Decisions: []decisionRow{}}
	issues, err := shop.keys(ctx, event)
	if err != nil {
		return err
	}
	for _, n := range issues {
		out.Issues = append(out.Issues, n)
		res, err := shop.bot.Reconcile(ctx, n, trigger(event))
		out.add(res, shop)
		out.markdown += shop.bot.Summary(ctx, res) + "\n"
		if err != nil {
			out.OK = false
			out.Problems = append(out.Problems, err.Error())
			fmt.Fprintln(log, "warden:", err)
		}
	}
	out.finish()
	if err := a.report(job, log, out, shop); err != nil {
		return err
	}
	return a.print(out)
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

// add folds what was reconciled into the result.
func (r *actionRun) add(res bot.Result, s *shop) {
	r.Told = append(r.Told, res.Told...)
	for _, run := range res.Observed.Runs {
		r.Runs = append(r.Runs, s.row(run))
		r.Branch = run.Branch
		for _, d := range run.Decisions {
			row := decisionRow{RunID: run.ID, Decision: string(d.Word), Actor: d.Actor.Login, Source: d.Source, Candidate: d.Candidate}
			if len(d.Note) > 0 {
				row.NoteSHA256 = noteDigest(d.Note)
			}
			r.Decisions = append(r.Decisions, row)
		}
	}
	if p := res.Observed.Pull; p != nil {
		r.PullRequest = &pullRow{Number: p.Number, Draft: p.Draft, Merged: p.Merged, Head: p.HeadSHA, URL: p.URL}
	}
}

// finish names what was done last that a person would ask about.
func (r *actionRun) finish() {
	r.Outcome = "nothing"
	if len(r.Issues) == 0 {
		r.Outcome = "ignored"
	}
	for _, t := range r.Told {
		switch t.Kind {
		case reconcile.Ignore:
			r.Outcome = "ignored"
		case reconcile.Ask:
			r.Outcome = string(t.Reason)
		}
	}
	for _, t := range r.Told {
		switch t.Kind {
		case reconcile.StartRun, reconcile.ContinueRun:
			for _, run := range r.Runs {
				if run.RunID == t.RunID {
					r.Outcome = run.Reason
				}
			}
		case reconcile.RecordDecision:
			for _, d := range r.Decisions {
				if d.RunID == t.RunID {
					r.Outcome = d.Decision
				}
			}
		}
	}
	if !r.OK {
		r.Outcome = "failed"
	}
}

// report writes outputs, summary and annotations for the job.
func (a *app) report(job ci.Context, log *ci.Log, out actionRun, s *shop) error {
	o := ci.Outputs{Outcome: out.Outcome}
	if n := len(out.Runs); n > 0 {
		o.RunID, o.LedgerHead = out.Runs[n-1].RunID, out.Runs[n-1].LedgerHead
	}
	if out.PullRequest != nil {
		o.PullRequest = strconv.Itoa(out.PullRequest.Number)
	}
	if n := len(out.Decisions); n > 0 {
		o.Decision = out.Decisions[n-1].Decision
	}
	if job.OutputPath != "" {
		if err := ci.WriteOutputs(job.OutputPath, o, rand.Reader); err != nil {
			return err
		}
	}
	if job.SummaryPath != "" {
		if _, err := ci.WriteSummary(job.SummaryPath, out.markdown); err != nil {
			return err
		}
	}
	for _, f := range s.blocking(out) {
		if err := log.Annotate(f); err != nil {
			return err
		}
	}
	return nil
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
	values := []string{job.Token.Reveal()}
	for _, n := range names {
		values = append(values, a.env(n))
	}
	return redact.New(values...)
}
