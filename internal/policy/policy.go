// Package policy reads who runs: the operator's home with its policy, profiles
// and prompts. It knows nothing of what a project calls done.
package policy

import (
	"io/fs"
	"time"

	"github.com/tolboy/warden/internal/strict"
	"github.com/tolboy/warden/internal/workflow"
)

// Policy is policy.yaml of the operator's home. When Present and Err is not
// nil, the file exists but could not be read as a policy: nothing else of the
// value means anything, and a run must stop.
type Policy struct {
	Present          bool
	Err              error
	Roles            map[string]Roster
	ReviewRisks      []string // risks that require a review
	Failover         string   // confirm, auto or stop
	RepairReserve    string   // full or partial
	Stages           []workflow.Stage
	WorkflowDeclared bool
	AllowUnconfined  bool
	RateLimitRetry   RateLimitRetry
	Escalation       Escalation
	Notes            map[string]string // by key, such as "review.note"
}

// Escalation says which pair takes over after so many blocking reviews of a run, and
// again after as many more. Without rungs there is none.
type Escalation struct {
	After int
	Rungs []Peer
}

// RateLimitRetry bounds how often a rate-limited call is made again.
type RateLimitRetry struct {
	MaxAttempts int
	Backoff     time.Duration
}

// Roster is who may fill a role, in order of preference.
type Roster struct {
	Role        string
	Profiles    []string
	Strategy    string // rotate or first
	Independent bool   // must not share a vendor with a writer
	Peer        *Peer  // the one exception, where a task allows it too
}

// Peer is a pair of profiles of one vendor: the reader may read what the writer
// wrote.
type Peer struct{ Implementer, Reviewer string }

// Home is the operator's directory, loaded. Problems holds one text per file
// that is not as it should be, keyed by profile name or "policy.yaml"; Faults
// holds the same with file, line and key.
type Home struct {
	Dir      string
	Policy   Policy
	Profiles map[string]Profile
	Problems map[string]string
	Faults   strict.Faults
	FS       fs.FS
}
