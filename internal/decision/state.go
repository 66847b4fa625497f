package decision

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/tolboy/warden/internal/ledger"
)

// FileName is the projection beside the chain.
const FileName = "decision.json"

// The states of a question.
const (
	Pending  = "pending"
	Resolved = "resolved"
)

// State is decision.json: the question as it stands. Decision, Actor and Note
// are null while it is pending.
type State struct {
	SchemaVersion int       `json:"schema_version"`
	RunID         string    `json:"run_id"`
	TaskID        string    `json:"task_id"`
	State         string    `json:"state"`
	Kind          Kind      `json:"kind"`
	Reason        string    `json:"reason"`
	Options       []string  `json:"options"`
	CreatedAt     time.Time `json:"created_at"`
	UpdatedAt     time.Time `json:"updated_at"`
	SummaryPath   string    `json:"summary_path"`
	Fingerprint   string    `json:"candidate_fingerprint,omitempty"`
	Commit        string    `json:"candidate_commit,omitempty"`
	SealedHead    string    `json:"sealed_head"`
	Decision      *string   `json:"decision"`
	Actor         *string   `json:"actor"`
	ActorID       int64     `json:"actor_id,omitempty"`
	Source        string    `json:"source,omitempty"`
	Note          *string   `json:"note"`
	NoteSHA256    string    `json:"note_sha256,omitempty"`
	ExpiresAt     time.Time `json:"expires_at,omitzero"`
	// Voided are answers that were given and no longer hold. They stay as they
	// were recorded.
	Voided []Voided `json:"voided,omitempty"`
}

// Voided is an answer that no longer holds, and why.
type Voided struct {
	Decision  string    `json:"decision"`
	Actor     string    `json:"actor"`
	DecidedAt time.Time `json:"decided_at"`
	Reason    string    `json:"reason"`
	VoidedAt  time.Time `json:"voided_at"`
}

// Token is what an answer names to say which state it was given to.
func (s State) Token() string { return s.UpdatedAt.Format(time.RFC3339Nano) }

// Answer returns the recorded answer, or "" while the question is pending.
func (s State) Answer() string {
	if s.Decision == nil {
		return ""
	}
	return *s.Decision
}

// errNoQuestion means that nobody was asked about the run yet.
var errNoQuestion = errors.New("no question was put about it")

// FromHistory computes the state from the chain. ok is false when no question
// was put. An error means that the events contradict each other.
func FromHistory(h ledger.History) (s State, ok bool, err error) {
	var answer ledger.Line // that of the recorded answer
	for _, l := range h.Lines {
		p, err := l.Payload()
		if err != nil {
			continue // of a later version, or damaged: not a decision
		}
		switch e := p.(type) {
		case *ledger.DecisionPending:
			if ok {
				return State{}, true, fmt.Errorf("line %d puts a second question", l.Seq)
			}
			s, ok = asked(h, l, e), true
			err = s.check()
		case *ledger.HumanDecision:
			if !ok || s.State != Pending {
				return State{}, true, fmt.Errorf("line %d answers a question that is not open", l.Seq)
			}
			s.resolve(l, e)
			answer = l
			err = s.check()
		case *ledger.DecisionVoid:
			if s.State != Resolved || e.LineSHA256 != answer.SHA256 {
				return State{}, true, fmt.Errorf("line %d voids an answer that does not hold", l.Seq)
			}
			s.reopen(l, e)
		}
		if err != nil {
			return State{}, true, fmt.Errorf("line %d: %w", l.Seq, err)
		}
	}
	return s, ok, nil
}

func asked(h ledger.History, l ledger.Line, e *ledger.DecisionPending) State {
	return State{
		SchemaVersion: ledger.SchemaVersion, RunID: h.Run.RunID, TaskID: h.Run.TaskID, State: Pending,
		Kind: Kind(e.Kind), Reason: e.Reason, Options: e.Options, CreatedAt: l.At, UpdatedAt: l.At,
		SummaryPath: e.SummaryPath, Fingerprint: e.Fingerprint, Commit: e.Commit, SealedHead: e.SealedHead, ExpiresAt: e.ExpiresAt,
	}
}

func (s *State) resolve(l ledger.Line, e *ledger.HumanDecision) {
	s.State, s.UpdatedAt = Resolved, l.At
	s.Decision, s.Actor, s.ActorID = &e.Decision, &e.Actor.Login, e.Actor.ID
	s.Source, s.NoteSHA256 = e.Source, e.NoteSHA256
	if e.Note != "" {
		s.Note = &e.Note
	}
}

func (s *State) reopen(l ledger.Line, e *ledger.DecisionVoid) {
	s.Voided = append(s.Voided, Voided{
		Decision: *s.Decision, Actor: *s.Actor, DecidedAt: s.UpdatedAt, Reason: e.Reason, VoidedAt: l.At,
	})
	s.State, s.UpdatedAt = Pending, l.At
	s.Decision, s.Actor, s.ActorID, s.Source, s.Note, s.NoteSHA256 = nil, nil, 0, "", nil, ""
}

// Projection computes decision.json. It is an error while no question was put.
func Projection(h ledger.History) ([]byte, error) {
	s, ok, err := FromHistory(h)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, errNoQuestion
	}
	return s.encode()
}

func (s State) encode() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "\t")
	if err := enc.Encode(s); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
