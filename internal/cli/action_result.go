package cli

import (
	"context"
	"crypto/rand"
	"strconv"
	"strings"

	"github.com/tolboy/warden/internal/bot"
	"github.com/tolboy/warden/internal/ci"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/reconcile"
	"github.com/tolboy/warden/internal/usage"
)

// actionRun is what one `warden action` printed.
type actionRun struct {
	OK          bool          `json:"ok"`
	Code        string        `json:"code,omitempty"`    // of a failure
	Message     string        `json:"message,omitempty"` // of a failure
	Outcome     string        `json:"outcome"`
	Event       string        `json:"event"`
	Issues      []int         `json:"issues"`
	Told        []bot.Told    `json:"actions"`
	Runs        []runRow      `json:"runs"`
	Branch      string        `json:"branch,omitempty"`
	PullRequest *pullRow      `json:"pull_request"`
	Decisions   []decisionRow `json:"decisions"`
	Problems    []string      `json:"problems,omitempty"`
	Warnings    []string      `json:"warnings,omitempty"`

	markdown string // for the step summary
	cut      bool   // the job was cancelled before all was done
}

func (r actionRun) succeeded() bool { return r.OK }

type runRow struct {
	RunID      string       `json:"run_id"`
	Reason     string       `json:"reason"`
	NextAction string       `json:"next_action"`
	RoleRuns   int          `json:"role_runs"`
	CostUSD    usage.Amount `json:"cost_usd"`       // of the calls that told; null when none did
	Unpriced   int          `json:"unpriced_calls"` // those that did not
	Candidate  string       `json:"candidate"`
	LedgerRef  string       `json:"ledger_ref"`
	LedgerHead string       `json:"ledger_head"`
	// DecisionHead is an anchor that covers the last decision on the run too.
	DecisionHead string `json:"decision_head,omitempty"`
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

// add folds what was reconciled into the result.
func (r *actionRun) add(ctx context.Context, res bot.Result, s *shop) {
	r.markdown += s.bot.Summary(context.WithoutCancel(ctx), res) + "\n"
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
	switch {
	case r.cut:
		r.OK, r.Outcome, r.Code = false, string(outcome.Interrupted), string(outcome.Interrupted)
	case !r.OK:
		r.Outcome, r.Code = "failed", "warden_error"
	}
	if !r.OK {
		r.Message = strings.Join(r.Problems, "; ")
	}
}

// report writes outputs, summary and annotations for the job.
func (a *app) report(job ci.Context, log *ci.Log, out actionRun, s *shop) error {
	o := ci.Outputs{Outcome: out.Outcome}
	if n := len(out.Runs); n > 0 {
		last := out.Runs[n-1]
		o.RunID, o.LedgerHead, o.CostUSD, o.Unpriced = last.RunID, last.LedgerHead, amount(last.CostUSD), strconv.Itoa(last.Unpriced)
	}
	for _, r := range out.Runs {
		if r.DecisionHead != "" {
			o.DecisionHead = r.DecisionHead
		}
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
