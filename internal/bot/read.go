package bot

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/tolboy/warden/forge"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/reconcile"
)

// leaseNote marks the note in which a worker says how long it will be quiet.
const leaseNote = "lease"

// mergedNote marks the note that somebody merged the candidate.
const mergedNote = "merged"

// toRun reads a ledger as reconcile sees a run.
func (b *Bot) toRun(h ledger.History) (reconcile.Run, error) {
	head := h.Run
	r := reconcile.Run{
		ID: head.RunID, Continues: head.Continues, StartedAt: head.ReservedAt, State: reconcile.Running, Branch: head.Branch,
		Lease: reconcile.Lease{Owner: head.Owner.ID, Until: head.ReservedAt.Add(quiet)},
	}
	if f := head.Forge; f != nil {
		r.Trigger, r.LabelEventID, r.Labeler, r.Recheck = f.Trigger, f.LabelEventID, user(f.Actor), f.Recheck
	}
	for _, l := range h.Lines {
		if err := b.fold(&r, l); err != nil {
			return r, err
		}
	}
	if r.State == reconcile.Running && b.Alive != nil {
		r.Lease.Alive = b.Alive(head.Owner)
	}
	return r, nil
}

func (b *Bot) fold(r *reconcile.Run, l ledger.Line) error {
	p, err := l.Payload()
	if err != nil {
		return err
	}
	switch v := p.(type) {
	case *ledger.Ending:
		r.State, r.OK, r.Reason, r.NextAction = reconcile.Sealed, v.OK, v.Code, v.NextAction
		r.SealedAt, r.SealedHead, r.Kind = l.At, l.SHA256, question(*v)
		if v.Candidate != nil {
			r.Candidate = v.Candidate.Commit
		}
	case *ledger.Note:
		if v.About == mergedNote {
			return b.foldDecision(r, l)
		}
		if until, err := time.Parse(time.RFC3339, v.Text); v.About == leaseNote && err == nil {
			r.Lease.Until = until
		}
	case *ledger.Intent:
		if v.Key == "branch:"+r.ID && r.PublishedAt.IsZero() {
			r.PublishedAt = l.At
		}
	case *ledger.Done:
		if v.OK {
			r.Done = append(r.Done, v.Key)
		} else {
			r.Refused = append(r.Refused, reconcile.Refusal{Key: v.Key, Reason: reconcile.Reason(v.Detail)})
		}
	case *ledger.DecisionPending:
		r.ExpiresAt = v.ExpiresAt
	case *ledger.HumanDecision, *ledger.DecisionVoid:
		return b.foldDecision(r, l)
	}
	return nil
}

func (b *Bot) foldDecision(r *reconcile.Run, l ledger.Line) error {
	d, err := b.readDecision(l)
	if err == nil {
		r.Decisions = append(r.Decisions, d)
	}
	return err
}

// question is what a sealed run asks a person.
func question(e ledger.Ending) reconcile.GateKind {
	switch {
	case e.OK:
		return reconcile.GateSuccess
	case e.Code == outcome.FailoverNeedsConfirmation:
		return reconcile.GateFailover
	}
	return reconcile.GateFailure
}

// readDecision reads the frozen record that the line names. The chain has its
// hash, which was verified.
func (b *Bot) readDecision(l ledger.Line) (reconcile.Decision, error) {
	var d reconcile.Decision
	if len(l.Files) != 1 {
		return d, fmt.Errorf("line %d: a decision names %d files, not its record", l.Seq, len(l.Files))
	}
	data, err := os.ReadFile(filepath.Join(b.RunsDir, filepath.FromSlash(l.Files[0].Path)))
	if err != nil {
		return d, fmt.Errorf("read the decision of line %d: %w", l.Seq, err)
	}
	if err := json.Unmarshal(data, &d); err != nil {
		return d, fmt.Errorf("read the decision of line %d: %w", l.Seq, err)
	}
	return d, nil
}

// readLog reads what was answered and consumed beside the runs.
func (b *Bot) readLog(id string, o *reconcile.Observed) error {
	h, err := ledger.Read(b.RunsDir, id)
	if err != nil {
		return fmt.Errorf("read the log %s: %w", id, err)
	}
	for _, l := range h.Lines {
		p, err := l.Payload()
		if err != nil {
			return err
		}
		if d, ok := p.(*ledger.Done); ok && d.OK {
			o.Answered = append(o.Answered, d.Key)
		}
	}
	return nil
}

func user(a ledger.Actor) forge.User { return forge.User{ID: a.ID, Login: a.Login, Bot: a.Bot} }

func actor(u forge.User) ledger.Actor { return ledger.Actor{ID: u.ID, Login: u.Login, Bot: u.Bot} }
