// Package decision is the human gate: a question about a run that has ended, and
// the one answer that a person gives. Question and answer are events of the
// run's chain; decision.json shows where they stand. Nothing here merges.
package decision

import "slices"

// Kind is what the question is about.
type Kind string

// The kinds of question.
const (
	Success  Kind = "success"
	Failure  Kind = "failure"
	Failover Kind = "failover"
	// ContractChange asks whether an edit of the contract that a reader proposed is
	// to be made.
	ContractChange Kind = "contract_change"
	// Preparation asks about a draft that a reader of plans still objects to.
	Preparation Kind = "preparation"
)

// The answers.
const (
	Accept = "accept"
	Reject = "reject"
	Retry  = "retry"
	Abort  = "abort"
	Switch = "switch"
	// Apply has the proposed edit written, exactly as it was shown.
	Apply = "apply"
	// Replan asks for another draft, and Proceed goes on with the one that is there.
	Replan  = "replan"
	Proceed = "proceed"
)

// Options returns the answers to a question of this kind in the order in which
// they are shown, or nil for a kind that is none. The order means nothing:
// whatever is automatic takes Refusal.
func (k Kind) Options() []string {
	switch k {
	case Success:
		return []string{Accept, Reject}
	case Failure:
		return []string{Retry, Abort}
	case Failover:
		return []string{Abort, Switch}
	case ContractChange:
		return []string{Abort, Apply}
	case Preparation:
		return []string{Replan, Proceed, Abort}
	}
	return nil
}

// Refusal returns the answer that permits nothing. It is the only one that a
// timeout, a missing answer or any other automatic path may give.
func (k Kind) Refusal() string {
	for _, o := range k.Options() {
		if !Permits(o) {
			return o
		}
	}
	return ""
}

// Permits reports whether the answer lets something happen. A word that is no
// answer counts as one that permits: nothing automatic may give it.
func Permits(decision string) bool {
	return !slices.Contains([]string{Reject, Abort}, decision)
}

// The ways in which an answer arrives.
const (
	SourceCLI       = "cli"
	SourceReview    = "review"
	SourceComment   = "comment"
	SourceLabel     = "label"
	SourceClose     = "close"     // a person closed the pull request or the issue
	SourceAutomatic = "automatic" // nobody answered; refuses only
)

func knownSource(s string) bool {
	switch s {
	case SourceCLI, SourceReview, SourceComment, SourceLabel, SourceClose, SourceAutomatic:
		return true
	}
	return false
}
