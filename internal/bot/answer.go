package bot

import (
	"context"
	"errors"
	"fmt"

	"github.com/tolboy/warden/forge"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/publish"
	"github.com/tolboy/warden/internal/reconcile"
)

// answer says something to a person where they will see it, once. The issue's
// own log keeps that it was said, also when no run was ever made.
func (b *Bot) answer(ctx context.Context, o reconcile.Observed, a reconcile.Action) error {
	log, err := b.log(ctx, o.Issue.Number)
	if err != nil {
		return err
	}
	defer log.Close()
	if err := b.intend(log, a.Key, "answer", a.Source); err != nil {
		return err
	}
	if err := b.save(ctx, log.ID()); err != nil {
		return err
	}
	number := o.Issue.Number
	if a.Place == reconcile.OnPull && o.Pull != nil {
		number = o.Pull.Number
	}
	state, err := b.latest(ctx, o)
	if err != nil {
		return err
	}
	id, said, err := publish.New(b.Forge, b.self, b.Now).Reply(ctx, number, publish.Answer{
		Key: a.Key, Reason: string(a.Reason), To: a.To.Login, Issue: o.Issue.Number, RunID: a.RunID, URL: a.URL, Detail: a.Detail,
		Rules: rules(o), State: state,
	})
	done := ledger.Done{Key: a.Key, Purpose: "answer", OK: true, Detail: string(a.Reason), ID: id, Number: number, Found: !said}
	if errors.Is(err, forge.ErrForbidden) {
		done.Detail = "the forge refuses comments here: " + string(a.Reason) // heard, recorded, and not said again
	} else if err != nil {
		return err
	}
	if _, err := log.Append(ledger.TypeDone, b.Now(), done); err != nil {
		return err
	}
	b.later(log.ID())
	return nil
}

// log opens the ledger of the issue itself, or makes it.
func (b *Bot) log(ctx context.Context, issue int) (*ledger.Run, error) {
	id := logID(issue)
	run, err := ledger.Open(b.RunsDir, id, b.Redact)
	if err == nil || !errors.Is(err, ledger.ErrUnknownRun) {
		return run, err
	}
	base, err := b.Workshop.Base(ctx, "")
	if err != nil {
		return nil, err
	}
	run, err = ledger.Create(b.RunsDir, ledger.RunHead{SchemaVersion: ledger.SchemaVersion, RunID: id, TaskID: fmt.Sprintf("issue-%d", issue),
		ReservedAt: b.Now().UTC(), Owner: b.Owner, Forge: &ledger.ForgeRef{Kind: b.Kind, Repo: b.Repo.String(), Issue: issue, Trigger: "log"},
		BaseCommit: base.Commit, StartCommit: base.Commit, GoalSHA256: digest(""), TaskSHA256: digest(""), ContractSHA256: base.Contract.SHA256(),
		PolicySHA256: b.Workshop.PolicySHA256(), WardenVersion: b.Version, Confinement: b.Workshop.Confinement()}, b.Redact)
	if err != nil {
		return nil, fmt.Errorf("make the log of issue %d: %w", issue, err)
	}
	return run, nil
}

// latest is the newest run as people see it.
func (b *Bot) latest(ctx context.Context, o reconcile.Observed) (publish.View, error) {
	if len(o.Runs) == 0 {
		return publish.View{Issue: o.Issue.Number}, nil
	}
	h, err := ledger.Read(b.RunsDir, o.Runs[len(o.Runs)-1].ID)
	if err != nil {
		return publish.View{}, err
	}
	return b.view(ctx, o, h)
}
