package decision

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/tolboy/warden/internal/durable"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/plain"
	"github.com/tolboy/warden/internal/redact"
)

// Question is what a person is asked once a run has ended.
type Question struct {
	Kind        Kind
	Reason      string
	Fingerprint string // of the candidate; a success needs it or Commit
	Commit      string
	SummaryPath string // "" is task-run.json of the run
}

// Answer is what a person, or something automatic that refuses, says.
type Answer struct {
	Decision    string
	Actor       ledger.Actor
	Source      string
	SourceID    int64 // of the review, comment or label event
	SourceURL   string
	Note        string    // word for word; invalid UTF-8 is replaced
	Fingerprint string    // of the tree as it is now, where it can be computed
	Changed     []string  // paths of the tree that are not as they were shown, where they are known
	Commit      string    // that the review or comment names
	Contract    string    // digest of .warden as it is now, where the tree is at hand
	SealedHead  string    // that the person saw; "" is not compared
	Expected    string    // State.Token that the answer is for; "" is the one found
	AnsweredAt  time.Time // when the person said it
	// AcknowledgeExpired says that the person knows that the question may have expired.
	AcknowledgeExpired bool
}

// ErrAsked is another question that was put about the run already.
var ErrAsked = errors.New("another question was put")

// Open puts the question about a sealed run. The same question again is the same
// question; another one is ErrAsked.
func Open(run *ledger.Run, q Question, at time.Time) (State, error) {
	event := ledger.DecisionPending{
		Kind: string(q.Kind), Reason: strings.ToValidUTF8(q.Reason, "\uFFFD"), Options: q.Kind.Options(),
		Fingerprint: q.Fingerprint, Commit: q.Commit, SummaryPath: q.SummaryPath, SealedHead: run.Sealed(),
		ExpiresAt: expiry(run.History(), at),
	}
	if len(event.Reason) > maxReason {
		event.Reason = strings.ToValidUTF8(event.Reason[:maxReason], "") + "..."
	}
	if event.SummaryPath == "" {
		event.SummaryPath = path.Join(".warden/runs", run.ID(), "task-run.json")
	}
	if event.SealedHead == "" {
		return State{}, fmt.Errorf("ask about run %q: its work has not ended", run.ID())
	}
	s, asked, err := FromHistory(run.History())
	if err != nil {
		return State{}, refuse(run.ID(), MalformedDecision, "%v", err)
	}
	if asked {
		if sameQuestion(s, event) {
			return s, Project(run)
		}
		return State{}, fmt.Errorf("ask about run %q: it is %s already: %w", run.ID(), s.State, ErrAsked)
	}
	trial := State{State: Pending, Kind: q.Kind, Options: event.Options, Fingerprint: q.Fingerprint, Commit: q.Commit}
	if err := trial.check(); err != nil {
		return State{}, refuse(run.ID(), MalformedDecision, "%v", err)
	}
	if _, err := run.Append(ledger.TypeDecisionPending, at, event); err != nil {
		return State{}, fmt.Errorf("ask about run %q: %w", run.ID(), err)
	}
	if s, _, err = FromHistory(run.History()); err != nil {
		return State{}, fmt.Errorf("ask about run %q: %w", run.ID(), err)
	}
	return s, Project(run)
}

// Record takes the one answer to the open question of a run, under a lock that
// holds across processes. Of several at once exactly one is taken. What is
// refused is a *RefusedError and leaves nothing behind.
func Record(ctx context.Context, runsDir, runID string, red *redact.Set, a Answer, at time.Time) (State, error) {
	return locked(ctx, runsDir, runID, red, func(run *ledger.Run, s State) error {
		if a.AnsweredAt.IsZero() {
			a.AnsweredAt = at
		}
		if err := admissible(s, a); err != nil {
			return err
		}
		if err := checkContract(run.History().Run, a); err != nil {
			return err
		}
		note := strings.ToValidUTF8(a.Note, "\uFFFD")
		if len(note) > MaxNote {
			return refuse(runID, MalformedDecision, "the note is longer than %d bytes", MaxNote)
		}
		clean, _ := run.Redact([]byte(note))
		event := ledger.HumanDecision{
			Kind: string(s.Kind), Decision: a.Decision, Actor: a.Actor, Source: a.Source, SourceID: a.SourceID,
			SourceURL: a.SourceURL, Note: string(clean), Fingerprint: a.Fingerprint, Commit: a.Commit,
			SealedHead: s.SealedHead, CreatedAt: s.CreatedAt, AnsweredAt: a.AnsweredAt.UTC(), DecidedAt: at.UTC(),
			WaitMillis: max(0, at.Sub(s.CreatedAt).Milliseconds()), AcknowledgedExpired: a.AcknowledgeExpired && s.Expired(a.Decision, a.AnsweredAt),
		}
		if len(clean) > 0 {
			event.NoteSHA256 = NoteSHA256(string(clean))
		}
		_, err := run.Append(ledger.TypeHumanDecision, notBefore(at, s.UpdatedAt), event)
		return err
	})
}

// admissible says why an answer cannot be taken, or nothing.
func admissible(s State, a Answer) error {
	switch {
	case s.State == Resolved:
		return refuse(s.RunID, DuplicateDecision, "%q was recorded already", s.Answer())
	case a.Expected != "" && a.Expected != s.Token():
		return refuse(s.RunID, StaleDecision, "the question was updated at %s", s.Token())
	case a.SealedHead != "" && a.SealedHead != s.SealedHead:
		return refuse(s.RunID, StaleDecision, "the answer is about another state of the ledger")
	case !slices.Contains(s.Options, a.Decision):
		return refuse(s.RunID, UnknownDecision, "%q is none of %s", clip(a.Decision), strings.Join(s.Options, ", "))
	}
	if err := checkActor(s.RunID, a); err != nil {
		return err
	}
	if a.Source == SourceCLI && a.Decision == Reject && plain.Blank(a.Note) {
		// It could never be carried to a writer, and an answer is not changed.
		return refuse(s.RunID, RejectionTextNeeded, "a rejection says what must change; its words go to the next run")
	}
	if s.Expired(a.Decision, a.AnsweredAt) && !a.AcknowledgeExpired {
		return refuse(s.RunID, GateExpired, "the question expired at %s: look at the result again, and say that you know it", s.ExpiresAt.Format(time.RFC3339))
	}
	return checkCandidate(s, a)
}

// Void says that a recorded answer no longer holds, because the candidate moved
// or the approval was taken back, and opens the question again. The answer stays
// in the chain as it was. A question that is open already stays as it is.
func Void(ctx context.Context, runsDir, runID string, red *redact.Set, reason string, by *ledger.Actor, headCommit string, at time.Time) (State, error) {
	return locked(ctx, runsDir, runID, red, func(run *ledger.Run, s State) error {
		if s.State != Resolved {
			return nil
		}
		event := ledger.DecisionVoid{Decision: s.Answer(), Reason: reason, Actor: by, Commit: headCommit}
		for _, l := range run.History().Lines {
			if l.Type == ledger.TypeHumanDecision {
				event.LineSHA256 = l.SHA256
			}
		}
		_, err := run.Append(ledger.TypeDecisionVoid, notBefore(at, s.UpdatedAt), event)
		return err
	})
}

// locked runs change on the run while nobody else decides, and writes the
// projection afterwards.
func locked(ctx context.Context, runsDir, runID string, red *redact.Set, change func(*ledger.Run, State) error) (State, error) {
	// Read first: a run that is not there must not get a lock file.
	if _, err := Load(runsDir, runID); err != nil {
		return State{}, err
	}
	dir, err := durable.OpenDir(runsDir)
	if err != nil {
		return State{}, fmt.Errorf("decide run %q: %w", runID, err)
	}
	defer dir.Close()
	unlock, err := dir.Lock(ctx, path.Join(runID, FileName+".lock"))
	if err != nil {
		return State{}, fmt.Errorf("decide run %q: %w", runID, err)
	}
	s, err := whileLocked(runsDir, runID, red, change)
	return s, errors.Join(err, unlock())
}

func whileLocked(runsDir, runID string, red *redact.Set, change func(*ledger.Run, State) error) (State, error) {
	before, err := Load(runsDir, runID)
	if err != nil {
		return State{}, err
	}
	run, err := ledger.Open(runsDir, runID, red)
	if err != nil {
		return State{}, fromLedger(runID, err)
	}
	defer run.Close()
	if err := change(run, before); err != nil {
		return State{}, err
	}
	after, _, err := FromHistory(run.History())
	if err != nil {
		return State{}, refuse(runID, MalformedDecision, "%v", err)
	}
	return after, Project(run)
}

// Project writes decision.json as it follows from the chain.
func Project(run *ledger.Run) error {
	raw, err := Projection(run.History())
	if err == nil {
		err = run.WriteProjection(FileName, raw)
	}
	if err != nil {
		return fmt.Errorf("write %s of run %q: %w", FileName, run.ID(), err)
	}
	return nil
}

// notBefore keeps the order of events when a clock was set back.
func notBefore(at, earliest time.Time) time.Time {
	if at.After(earliest) {
		return at
	}
	return earliest.Add(time.Nanosecond)
}

// NoteSHA256 is how a note is named where its text is not shown.
func NoteSHA256(note string) string {
	sum := sha256.Sum256([]byte(note))
	return hex.EncodeToString(sum[:])
}
