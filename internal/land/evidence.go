package land

import (
	"fmt"
	"time"

	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/plain"
)

// The purposes of a landing's events.
const (
	purposeCommit  = "land_commit"
	purposePush    = "land_push"
	purposeRequest = "land_pull_request"
)

// Journal writes down what is landed, behind the seal of the run: before each step
// what is meant, and after it what came of it, failures too.
type Journal struct {
	Run *ledger.Run
	Now func() time.Time
}

// step performs one step between its two lines. A step whose intent cannot be
// written is not performed.
func (j Journal) step(purpose, target, commit string, do func() (string, error)) error {
	key := j.Run.ID() + ":" + purpose
	if _, err := j.Run.Append(ledger.TypeIntent, j.Now(), ledger.Intent{Key: key, Purpose: purpose, Target: target, Detail: commit}); err != nil {
		return err
	}
	detail, err := do()
	done := ledger.Done{Key: key, Purpose: purpose, OK: err == nil, Detail: detail, Ref: target, Commit: commit}
	if err != nil {
		done.Detail = plain.Line(fmt.Sprintf("%s: %v", CodeOf(err), err), 500)
	}
	if _, wrote := j.Run.Append(ledger.TypeDone, j.Now(), done); wrote != nil && err == nil {
		return wrote
	}
	return err
}

// Commit is the first step.
func (j Journal) Commit(p Plan, d Draft, do func() error) error {
	return j.step(purposeCommit, "refs/heads/"+p.Branch, d.Commit, func() (string, error) { return "", do() })
}

// Push is the second.
func (j Journal) Push(p Plan, d Draft, do func() error) error {
	return j.step(purposePush, p.Remote.Name+" refs/heads/"+p.Branch, d.Commit, func() (string, error) { return "", do() })
}

// Request is the third. What the command printed is its detail.
func (j Journal) Request(p Plan, d Draft, do func() (string, error)) error {
	return j.step(purposeRequest, p.Remote.Name+" "+p.Branch+" into "+p.Base, d.Commit, do)
}
