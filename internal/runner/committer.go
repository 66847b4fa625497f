package runner

import (
	"context"
	"time"

	"github.com/tolboy/warden/internal/git"
	"github.com/tolboy/warden/internal/ledger"
)

// committer makes the candidate a commit in the run's private git directory.
type committer struct {
	judge *git.Judge
	order Order
	now   func() time.Time
}

// Commit implements engine.Committer. The parent is what the run started from,
// so that the branch only moves forward.
func (c *committer) Commit(ctx context.Context, e ledger.Ending, writers []string) (ledger.Candidate, error) {
	id := c.order.Identity
	commit, err := c.judge.Commit(ctx, git.CommitSpec{
		Parent: c.order.Head, Message: id.Message(e, writers), Name: id.Name, Email: id.Email, When: c.now(),
	})
	if err != nil {
		return ledger.Candidate{}, err
	}
	return ledger.Candidate{Commit: commit, Parent: c.order.Head, Branch: c.order.Reserved.Branch}, nil
}
