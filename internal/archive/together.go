package archive

import (
	"context"
	"errors"
	"fmt"

	"github.com/tolboy/warden/internal/push"
)

// Entry is a ledger to publish, as Save takes it.
type Entry struct {
	RunID string
	Reach []string
}

// Branch is a branch of Warden's own that moves with a ledger. Its commit is one
// that the ledger reaches.
type Branch struct{ Name, Commit, Expect string }

// ErrApart is returned by SaveTogether where nothing was published, and each part
// has to be published by itself: the forge takes no two refs at once, or one of
// them is not as it was expected to be.
var ErrApart = errors.New("the forge did not take them together")

// SaveTogether publishes the ledgers, and moves the branch if there is one, all of
// them or none. Each of the ledgers must have been saved before, else ErrApart.
func (a *Archive) SaveTogether(ctx context.Context, entries []Entry, branch *Branch) error {
	if a.apart {
		return ErrApart
	}
	var updates []push.Update
	for _, e := range entries {
		tip := a.tip(e.RunID)
		if tip == "" {
			return ErrApart // a claim is made alone
		}
		commit, err := a.commit(ctx, e.RunID, tip, e.Reach)
		if err != nil {
			return fmt.Errorf("publish the ledger of %s: %w", e.RunID, err)
		}
		updates = append(updates, push.Update{Ref: Ref(e.RunID), Commit: commit, Expect: tip})
	}
	if branch != nil {
		updates = append(updates, push.Update{Ref: "refs/heads/" + branch.Name, Commit: branch.Commit, Expect: branch.Expect})
	}
	if err := a.Transport.Together(ctx, a.Remote, a.GitDir, updates...); err != nil {
		a.apart = errors.Is(err, push.ErrNotAtomic)
		if push.Declined(err) {
			err = ErrApart
		}
		return fmt.Errorf("publish %d refs: %w", len(updates), err)
	}
	for i, e := range entries {
		if err := a.setTip(e.RunID, updates[i].Commit); err != nil {
			return err
		}
	}
	return nil
}
