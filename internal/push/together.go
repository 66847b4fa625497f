package push

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tolboy/warden/internal/git"
)

// ErrNotAtomic is returned by Together where the remote cannot move several refs
// at once.
var ErrNotAtomic = errors.New("the remote moves no two refs at once")

// Update is one ref of Warden's own and where it goes.
type Update struct {
	Ref    string // in full, as Ref takes it
	Commit string
	Expect string // where it is now; "" is that it does not exist
}

// Together is Ref for several refs with one push, of which the remote takes all or
// none. A ledger's ref must be there already: git calls a ref that is at the commit
// up to date, and moves the others, though the claim was somebody else's. An error
// for which Declined is true says that none has moved, and not which of them was in
// the way: who has to know pushes them one by one.
func (p *Pusher) Together(ctx context.Context, r Remote, gitDir string, updates ...Update) error {
	if len(updates) < 2 {
		return errors.New("push refs: there are no two")
	}
	for _, u := range updates {
		if err := p.ownRef(u.Ref); err != nil {
			return fmt.Errorf("push refs: %w", err)
		}
		if u.Expect == "" && !strings.HasPrefix(u.Ref, "refs/heads/") {
			return fmt.Errorf("push refs: %s would be claimed, which is done alone", u.Ref)
		}
	}
	out, err := p.send(ctx, r, gitDir, updates)
	var failed *git.CommandError
	if errors.As(err, &failed) && strings.Contains(failed.Stderr, "does not support --atomic") {
		return fmt.Errorf("push refs: %w", ErrNotAtomic)
	}
	for _, u := range updates {
		if _, err := verdict(u.Ref, out, err); err != nil {
			return fmt.Errorf("push ref %s: %w", u.Ref, err)
		}
	}
	return nil
}

// Declined reports whether an error of Together is the remote's answer, and not a
// failure to hear it.
func Declined(err error) bool {
	var refused *ErrRefused
	return errors.Is(err, ErrLease) || errors.Is(err, ErrNotAtomic) || errors.Is(err, ErrWorkflowScope) || errors.As(err, &refused)
}
