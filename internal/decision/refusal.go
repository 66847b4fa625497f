package decision

import (
	"errors"
	"fmt"

	"github.com/tolboy/warden/internal/ledger"
)

// Code says why a question or an answer was refused.
type Code string

// The codes.
const (
	UnknownRun            Code = "unknown_run"
	UnsafeRunID           Code = "unsafe_run_id"
	DuplicateDecision     Code = "duplicate_decision"
	StaleDecision         Code = "stale_decision"
	UnknownDecision       Code = "unknown_decision"
	MalformedDecision     Code = "malformed_decision"
	CandidateChanged      Code = "candidate_changed"
	ContractChanged       Code = "contract_changed"
	CandidateUnverifiable Code = "candidate_unverifiable"
	InvalidActor          Code = "invalid_actor"
	RejectionTextNeeded   Code = "rejection_text_needed"
	GateExpired           Code = "gate_expired"
)

// RefusedError is an answer that was not taken. Nothing was recorded.
type RefusedError struct {
	Code   Code
	RunID  string
	Detail string
}

// Error implements error.
func (e *RefusedError) Error() string {
	return fmt.Sprintf("decide run %q: %s: %s", e.RunID, e.Code, e.Detail)
}

// CodeOf returns the code of a refusal, or "" for any other error.
func CodeOf(err error) Code {
	var refused *RefusedError
	if errors.As(err, &refused) {
		return refused.Code
	}
	return ""
}

func refuse(run string, code Code, format string, args ...any) error {
	return &RefusedError{Code: code, RunID: run, Detail: fmt.Sprintf(format, args...)}
}

// fromLedger turns what the ledger says about a run into a refusal.
func fromLedger(run string, err error) error {
	switch {
	case errors.Is(err, ledger.ErrUnsafeRunID):
		return refuse(run, UnsafeRunID, "%v", err)
	case errors.Is(err, ledger.ErrUnknownRun):
		return refuse(run, UnknownRun, "there is no such run here")
	case errors.Is(err, ledger.ErrAltered):
		return refuse(run, MalformedDecision, "%v", err)
	}
	return fmt.Errorf("decide run %q: %w", run, err)
}
