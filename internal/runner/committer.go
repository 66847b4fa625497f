package runner

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/tolboy/warden/internal/gate"
	"github.com/tolboy/warden/internal/git"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/redact"
)

// committer makes the candidate a commit in the run's private git directory.
type committer struct {
	git    *git.Git
	judge  *git.Judge
	order  Order
	now    func() time.Time
	secret *redact.Set
}

// Commit implements engine.Committer. The parent is what the run started from, so
// that the branch only moves forward. The tree has to be the one that was judged,
// and hold no known secret and nothing that the forge takes from no such token.
func (c *committer) Commit(ctx context.Context, e ledger.Ending, writers []string) (ledger.Candidate, error) {
	if paths := gate.Unpublishable(e.ChangedFiles); len(paths) > 0 {
		return ledger.Candidate{}, fmt.Errorf("the forge takes no workflow files from this token: %s", strings.Join(paths, ", "))
	}
	id := c.order.Identity
	message := id.Message(e, writers)
	commit, err := c.judge.Commit(ctx, git.CommitSpec{
		Parent: c.order.Head, Message: message, Name: id.Name, Email: id.Email, When: c.now(), Source: e.Candidate.Fingerprint,
	})
	if err != nil {
		return ledger.Candidate{}, err
	}
	if err := c.scan(ctx, commit, message, e.ChangedFiles); err != nil {
		return ledger.Candidate{}, err
	}
	return ledger.Candidate{Commit: commit, Parent: c.order.Head, Branch: c.order.Reserved.Branch}, nil
}

// scan looks for known secrets, plain or encoded, in what would be pushed: the
// message, the names of the changed paths, and what they hold.
func (c *committer) scan(ctx context.Context, commit, message string, changed []string) error {
	if c.secret.Find([]byte(message)) {
		return fmt.Errorf("the commit message holds a known secret")
	}
	paths := map[string]bool{}
	for _, p := range changed {
		if c.secret.Find([]byte(p)) {
			return fmt.Errorf("the name of a changed file holds a known secret")
		}
		paths[p] = true
	}
	all, err := c.git.ListTree(ctx, c.judge.GitDir(), commit, "")
	if err != nil {
		return fmt.Errorf("look for secrets in the candidate: %w", err)
	}
	var entries []git.TreeEntry
	for _, e := range all {
		if paths[e.Path] && e.Size >= 0 {
			entries = append(entries, e)
		}
	}
	blobs, err := c.git.Blobs(ctx, c.judge.GitDir(), entries)
	if err != nil {
		return fmt.Errorf("look for secrets in the candidate: %w", err)
	}
	for i, b := range blobs {
		if c.secret.Find(b) {
			return fmt.Errorf("%s holds a known secret", entries[i].Path)
		}
	}
	return nil
}
