package bot

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/tolboy/warden/internal/archive"
	"github.com/tolboy/warden/internal/decision"
	"github.com/tolboy/warden/internal/grace"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/reconcile"
)

// start claims a run and performs it to its seal.
func (b *Bot) start(ctx context.Context, o reconcile.Observed, a reconcile.Action, told *Told) error {
	plan, err := b.prepare(ctx, o, a)
	if err != nil {
		return err
	}
	told.RunID = plan.head.RunID
	run, err := b.reserve(plan.head)
	if err != nil {
		return fmt.Errorf("reserve %s: %w", plan.head.RunID, err)
	}
	defer run.Close()
	text, err := run.WriteFile(run.ID()+"/"+issueFile, plan.text) // the claim carries it
	if err != nil {
		return err
	}
	claimed := b.claim(ctx, run.ID())
	if plan.problem != "" {
		if err := claimed(); err != nil {
			return err
		}
		return b.stopBefore(run, plan, text)
	}
	order := plan.order
	order.Claimed = claimed
	order.Given = []ledger.File{text}
	order.Ledger = run
	order.Cross = func(ctx context.Context, next string, limit time.Duration) (outcome.Code, string) {
		return b.cross(ctx, o.Issue.Number, run, limit)
	}
	order.Charged = func(ctx context.Context) error { return b.save(ctx, run.ID()) }
	failed := b.Workshop.Run(ctx, order)
	if err := claimed(); err != nil {
		return err
	}
	if run.Sealed() == "" {
		if err := b.stopOn(run, failed); err != nil {
			return err
		}
	}
	if err := b.ask(run); err != nil {
		return err
	}
	made := commits(run)
	lasting, done := grace.Context(ctx, grace.Period)
	defer done()
	for _, c := range made {
		if err := b.Workshop.Keep(lasting, run.ID(), c); err != nil {
			b.later(run.ID()) // the evidence goes out without what it names
			return err
		}
	}
	b.later(run.ID(), made...)
	return nil
}

// claim publishes the ledger for the first time, while the workshop makes room for
// the run. Until the result is asked for, nobody may touch a ledger.
func (b *Bot) claim(ctx context.Context, runID string) func() error {
	done := make(chan error, 1)
	go func() { done <- b.save(ctx, runID) }()
	return sync.OnceValue(func() error {
		err := <-done
		if errors.Is(err, archive.ErrTaken) {
			_ = os.RemoveAll(filepath.Join(b.RunsDir, runID)) // it was never ours
		}
		return err
	})
}

// reserve makes the run's directory. One that a worker left which died before its
// claim reached the forge is nobody's: nothing was done in it.
func (b *Bot) reserve(head ledger.RunHead) (*ledger.Run, error) {
	run, err := ledger.Create(b.RunsDir, head, b.Redact)
	if !errors.Is(err, ledger.ErrExists) {
		return run, err
	}
	left, readErr := ledger.Read(b.RunsDir, head.RunID)
	if readErr != nil || len(left.Lines) > 0 {
		return nil, err
	}
	var alive *bool
	if b.Alive != nil {
		alive = b.Alive(left.Run.Owner)
	}
	if alive != nil && *alive || alive == nil && b.Now().Sub(left.Run.ReservedAt) < quiet {
		return nil, archive.ErrTaken
	}
	if err := os.RemoveAll(filepath.Join(b.RunsDir, head.RunID)); err != nil {
		return nil, err
	}
	return ledger.Create(b.RunsDir, head, b.Redact)
}

// ask puts the question about a sealed run into its chain.
func (b *Bot) ask(run *ledger.Run) error {
	for _, l := range run.History().Lines {
		var e ledger.Ending
		if !ledger.Seals(l.Type) {
			continue
		}
		if err := l.Decode(&e); err != nil {
			return err
		}
		q := decision.Question{Kind: decision.Kind(question(e)), Reason: string(e.Code) + ": " + e.Detail}
		if e.OK && e.Candidate != nil {
			q.Reason, q.Fingerprint, q.Commit = e.SafeNextStep, e.Candidate.Fingerprint, e.Candidate.Commit
		}
		_, err := decision.Open(run, q, b.Now())
		return err
	}
	return nil
}

// stopBefore seals a run that cannot begin, with the reason for a person.
func (b *Bot) stopBefore(run *ledger.Run, plan plan, text ledger.File) error {
	end := ledger.Ending{Code: outcome.RunPreflightFailed, Detail: plan.problem, NextAction: "human_escalation",
		SafeNextStep: "correct what is named above, then retry", Confinement: plan.head.Confinement}
	if _, err := run.Append(ledger.TypeNote, b.Now(), ledger.Note{About: "issue", Text: "the text that the task was to be made from"}, text); err != nil {
		return err
	}
	if _, err := run.Append(ledger.TypeStopped, b.Now(), end); err != nil {
		return err
	}
	if err := b.ask(run); err != nil {
		return err
	}
	b.later(run.ID())
	return nil
}

// stopOn seals a run that ended without a word of its own.
func (b *Bot) stopOn(run *ledger.Run, failed error) error {
	code, detail := outcome.UnexpectedError, "the run ended without a result"
	var stopped *StoppedError
	if errors.As(failed, &stopped) {
		code = stopped.Code
	}
	if failed != nil {
		detail = failed.Error()
	}
	_, err := run.Append(ledger.TypeStopped, b.Now(), ledger.Ending{Code: code, Detail: detail,
		NextAction: "human_escalation", SafeNextStep: "read the ledger, then retry or abort"})
	return err
}

// commits are what has to stay reachable from the ledger: the candidate, or the
// work of a run that came to none.
func commits(run *ledger.Run) []string {
	for _, l := range run.History().Lines {
		var e ledger.Ending
		switch {
		case !ledger.Seals(l.Type) || l.Decode(&e) != nil:
		case e.Candidate != nil && e.Candidate.Commit != "":
			return []string{e.Candidate.Commit}
		case e.Parked != nil && e.Parked.Commit != "":
			return []string{e.Parked.Commit}
		}
	}
	return nil
}
