package bot

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/tolboy/warden/forge"
	"github.com/tolboy/warden/internal/archive"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/publish"
	"github.com/tolboy/warden/internal/reconcile"
)

// publish shows what a sealed run, or a decision on it, owes to the eyes of
// people. What is intended is in the ledger, and on the forge, before the first
// of it is done; each piece looks for what is there before it writes.
func (b *Bot) publish(ctx context.Context, o reconcile.Observed, a reconcile.Action) error {
	run, err := ledger.Open(b.RunsDir, a.RunID, b.Redact)
	if err != nil {
		return err
	}
	defer run.Close()
	view, err := b.view(ctx, o, run.History())
	if err != nil {
		return err
	}
	for _, p := range a.Pieces {
		if err := b.intend(run, p.Key, string(p.Kind), p.SHA); err != nil {
			return err
		}
	}
	s := &showing{bot: b, pub: publish.New(b.Forge, b.self, b.Now), run: run, view: view, observed: o}
	var fresh []ledger.File
	if showsPull(a.Pieces) {
		if fresh, err = s.hang(); err != nil {
			return err
		}
	}
	for _, f := range fresh {
		if err := b.intend(run, uploadKey(f.SHA256), uploadPurpose, f.Path); err != nil {
			return err
		}
	}
	b.ahead = ""
	next := a.Next
	if next != nil {
		if err := b.intend(run, next.Key, string(next.Kind), o.Pull.URL); err != nil {
			return err
		}
	}
	reach, err := b.reach(ctx, run)
	if err != nil {
		return err
	}
	if err := s.announce(ctx, a.Pieces, reach); err != nil {
		return err
	}
	b.pin(&s.view) // the addresses are of the commit that was just announced
	if next != nil {
		b.ahead = next.Key
	}
	for _, p := range a.Pieces {
		if p.Kind == reconcile.PiecePull {
			if err := s.upload(ctx, fresh); err != nil {
				return err
			}
		}
		done, err := s.piece(ctx, p)
		if err != nil {
			return err
		}
		if _, err := run.Append(ledger.TypeDone, b.Now(), done); err != nil {
			return err
		}
		if !done.OK {
			break // what follows was planned on top of it
		}
	}
	b.later(run.ID())
	return nil
}

// reach is the commit that a run made, when it is shown for the first time. The
// worker that made it may have died before its ledger could reach it.
func (b *Bot) reach(ctx context.Context, run *ledger.Run) ([]string, error) {
	for _, l := range run.History().Lines {
		if l.Type == ledger.TypeDone {
			return nil, nil
		}
	}
	made := commits(run)
	for _, c := range made {
		if err := b.Workshop.Keep(ctx, run.ID(), c); err != nil {
			return nil, err
		}
	}
	return made, nil
}

// intend writes an intent, unless an earlier try has written it.
func (b *Bot) intend(run *ledger.Run, key, purpose, target string) error {
	for _, l := range run.History().Lines {
		var i ledger.Intent
		if l.Type == ledger.TypeIntent && l.Decode(&i) == nil && i.Key == key {
			return nil
		}
	}
	_, err := run.Append(ledger.TypeIntent, b.Now(), ledger.Intent{Key: key, Purpose: purpose, Target: target})
	return err
}

// showing is one publication in progress.
type showing struct {
	bot      *Bot
	pub      *publish.Publisher
	run      *ledger.Run
	view     publish.View
	observed reconcile.Observed
	moved    bool // the branch is at the candidate already
}

// announce puts the intents on the forge. A branch that would be pushed next, to a
// commit that the ledger reaches, moves with them in one push.
func (s *showing) announce(ctx context.Context, pieces []reconcile.Piece, reach []string) error {
	if len(pieces) == 0 || pieces[0].Kind != reconcile.PieceBranch || !slices.Contains(reach, s.view.Candidate) {
		return s.bot.save(ctx, s.run.ID(), reach...)
	}
	branch := archive.Branch{Name: s.view.Branch, Commit: s.view.Candidate, Expect: s.pushed()}
	var err error
	s.moved, err = s.bot.saveWith(ctx, branch, s.run.ID(), reach...)
	return err
}

// piece shows one thing and says what came of it. A refusal of the forge that
// will not change is a result; anything else is an error, and is tried again.
func (s *showing) piece(ctx context.Context, p reconcile.Piece) (ledger.Done, error) {
	done := ledger.Done{Key: p.Key, Purpose: string(p.Kind), OK: true}
	switch p.Kind {
	case reconcile.PieceBranch:
		return s.branch(ctx, done)
	case reconcile.PiecePull:
		pull, err := s.pub.Pull(ctx, s.view)
		if err != nil {
			return refusedFor(done, err)
		}
		done.Number, done.NodeID, done.URL, done.Found = pull.Request.Number, pull.Request.NodeID, pull.Request.URL, !pull.Opened
		// What it asks to be merged into, which may have moved since the base was judged.
		done.Ref, done.Commit = "refs/heads/"+pull.Request.BaseRef, pull.Request.BaseSHA
		if pull.DraftUnsupported {
			done.Detail = "draft_unsupported"
		}
		s.view.PullNumber, s.view.PullURL, s.view.DraftUnsupported = pull.Request.Number, pull.Request.URL, pull.DraftUnsupported
		return done, nil
	case reconcile.PieceCheck:
		check, err := s.pub.Gate(ctx, s.view, p.SHA, p.Check)
		done.ID, done.Commit = check.ID, p.SHA
		return refusedFor(done, err)
	case reconcile.PieceStatus:
		st, err := s.pub.Status(ctx, s.view, s.known())
		done.ID = st.CommentID
		return refusedFor(done, err)
	case reconcile.PieceReviewRequest:
		asked, err := s.pub.RequestReview(ctx, s.view.PullNumber, p.Login)
		if !asked {
			done.Detail = "the forge does not ask this person"
		}
		return done, err
	}
	return done, fmt.Errorf("show %s: no such piece", p.Kind)
}

// pushed is the newest candidate that an earlier run put on this branch: where the
// branch is if nobody else has moved it. A run that began afresh, after the label
// was put on again, replaces it.
func (s *showing) pushed() string {
	at := ""
	for _, r := range s.observed.Runs {
		if r.ID == s.run.ID() {
			return at
		}
		if r.Branch == s.view.Branch && r.Candidate != "" && slices.Contains(r.Done, "branch:"+r.ID) {
			at = r.Candidate
		}
	}
	return at
}

// branch pushes the candidate, if the branch is where our last one left it.
func (s *showing) branch(ctx context.Context, done ledger.Done) (ledger.Done, error) {
	done.Commit, done.Ref = s.view.Candidate, "refs/heads/"+s.view.Branch
	if s.moved {
		return done, nil
	}
	expect := s.pushed()
	err := s.bot.Workshop.Push(ctx, s.run.ID(), s.view.Branch, s.view.Candidate, expect)
	var no *PushRefused
	switch {
	case errors.Is(err, ErrLease):
		// It is elsewhere, unless an earlier try of ours has pushed it already.
		at, err := s.bot.Workshop.Head(ctx, s.view.Branch)
		if err != nil || at == s.view.Candidate {
			done.Found = true
			return done, err
		}
		done.OK, done.Code, done.Detail = false, outcome.CandidateUnpublishable, "the branch was moved by somebody else"
		return done, nil
	case errors.As(err, &no):
		done.OK, done.Code, done.Detail = false, outcome.CandidateUnpublishable, no.Text
		return done, nil
	}
	return done, err
}

// known is the id of the status comment, if an earlier piece recorded it.
func (s *showing) known() int64 {
	var id int64
	for _, l := range s.run.History().Lines {
		var d ledger.Done
		if l.Type == ledger.TypeDone && l.Decode(&d) == nil && d.Purpose == string(reconcile.PieceStatus) && d.ID != 0 {
			id = d.ID
		}
	}
	return id
}

// refusedFor keeps a refusal that will not change as a result.
func refusedFor(done ledger.Done, err error) (ledger.Done, error) {
	var foreign *publish.ForeignPullError
	if err == nil {
		return done, nil
	}
	if errors.Is(err, forge.ErrForbidden) || errors.As(err, &foreign) {
		done.OK, done.Code, done.Detail = false, outcome.ForgeRefused, err.Error()
		return done, nil
	}
	return done, err
}

// setDraft turns the pull request ready, or into a draft again.
func (b *Bot) setDraft(ctx context.Context, o reconcile.Observed, a reconcile.Action, draft bool) error {
	run, err := ledger.Open(b.RunsDir, a.RunID, b.Redact)
	if err != nil {
		return err
	}
	defer run.Close()
	if o.Pull == nil {
		return errors.New("there is no pull request")
	}
	if err := b.intend(run, a.Key, string(a.Kind), o.Pull.URL); err != nil {
		return err
	}
	if b.ahead != a.Key { // else the forge has it since the publication before
		if err := b.save(ctx, run.ID()); err != nil {
			return err
		}
	}
	b.ahead = ""
	done := ledger.Done{Key: a.Key, Purpose: string(a.Kind), OK: true, Number: o.Pull.Number}
	switch err := b.Forge.SetDraft(ctx, *o.Pull, draft); {
	case errors.Is(err, forge.ErrForbidden), errors.Is(err, errors.ErrUnsupported):
		done.OK, done.Code, done.Detail = false, outcome.ForgeRefused, err.Error()
	case err != nil:
		return err
	}
	if _, err := run.Append(ledger.TypeDone, b.Now(), done); err != nil {
		return err
	}
	b.later(run.ID())
	return nil
}
