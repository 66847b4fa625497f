package bot

import (
	"encoding/json"
	"fmt"

	"github.com/tolboy/warden/internal/decision"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/reconcile"
)

// decide freezes what a person said and appends it to the run's chain, before
// anything of it shows.
func (b *Bot) decide(a reconcile.Action) error {
	run, err := ledger.Open(b.RunsDir, a.RunID, b.Redact)
	if err != nil {
		return err
	}
	defer run.Close()
	d := *a.Decision
	record, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return err
	}
	file, err := run.WriteFile(fmt.Sprintf("%s/decision-%d.json", run.ID(), run.Seq()+1), record)
	if err != nil {
		return fmt.Errorf("freeze the decision: %w", err)
	}
	kind, data := b.decision(run, d)
	if _, err := run.Append(kind, b.Now(), data, file); err != nil {
		return err
	}
	if err := decision.Project(run); err != nil {
		return err
	}
	b.later(run.ID())
	return nil
}

func (b *Bot) decision(run *ledger.Run, d reconcile.Decision) (string, any) {
	switch d.Word {
	case reconcile.Void:
		v := ledger.DecisionVoid{Decision: string(reconcile.Accept), Reason: string(d.Cause), Commit: d.Candidate}
		for _, l := range run.History().Lines {
			if l.Type == ledger.TypeHumanDecision {
				v.LineSHA256 = l.SHA256
			}
		}
		return ledger.TypeDecisionVoid, v
	case reconcile.Merged: // somebody's act, and no answer to our question
		return ledger.TypeNote, ledger.Note{About: mergedNote, Text: d.Actor.Login}
	}
	who := actor(d.Actor)
	if who.Login == "" {
		who.Login = "somebody whom the forge does not name" // who closed it, or is gone
	}
	note, _ := run.Redact(d.Note)
	h := ledger.HumanDecision{
		Decision: string(d.Word), Actor: who, Source: source(d), SourceID: d.ReviewID + d.CommentID,
		Note: string(note), Commit: d.Candidate, SealedHead: run.Sealed(), AnsweredAt: d.At, DecidedAt: b.Now().UTC(),
	}
	if len(note) > 0 {
		h.NoteSHA256 = digest(string(note))
	}
	for _, l := range run.History().Lines {
		var e ledger.Ending
		if ledger.Seals(l.Type) && l.Decode(&e) == nil {
			h.Kind, h.CreatedAt = string(question(e)), l.At
			if e.Candidate != nil {
				h.Fingerprint = e.Candidate.Fingerprint
			}
		}
	}
	if !d.At.IsZero() {
		h.WaitMillis = max(d.At.Sub(h.CreatedAt).Milliseconds(), 0)
	}
	return ledger.TypeHumanDecision, h
}

func source(d reconcile.Decision) string {
	switch {
	case d.ReviewID != 0:
		return "review"
	case d.CommentID != 0:
		return "comment"
	}
	return "close"
}

// takeOver ends a run whose worker is gone as a failure gate.
func (b *Bot) takeOver(a reconcile.Action) error {
	run, err := ledger.Open(b.RunsDir, a.RunID, b.Redact)
	if err != nil {
		return err
	}
	defer run.Close()
	if _, err := run.CutOff(b.Now(), "the worker is gone ("+string(a.Reason)+")"); err != nil {
		return err
	}
	if err := b.ask(run); err != nil {
		return err
	}
	b.later(run.ID())
	return nil
}
