package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
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
	eyes   *eyes
	order  Order
	now    func() time.Time
	secret *redact.Set
}

// Commit implements engine.Committer. The parent is what the run started from, so
// that the branch only moves forward. The tree has to be the one that was judged,
// and hold no known secret and nothing that the forge takes from no such token.
func (c *committer) Commit(ctx context.Context, e ledger.Ending, writers []string) (ledger.Candidate, error) {
	if c.order.Recheck {
		return c.theirs(ctx, e)
	}
	if paths := gate.Unpublishable(e.ChangedFiles); len(paths) > 0 {
		return ledger.Candidate{}, fmt.Errorf("the forge takes no workflow files from this token: %s", strings.Join(paths, ", "))
	}
	id := c.order.Identity
	message := id.Message(e, writers)
	commit, err := c.judge.Commit(ctx, git.CommitSpec{
		Parent: c.parent(), Message: message, Name: id.Name, Email: id.Email, When: c.now(), Source: e.Candidate.Fingerprint,
		Seen: c.eyes.take(),
	})
	if err != nil {
		return ledger.Candidate{}, err
	}
	if err := c.scan(ctx, commit, message, e.ChangedFiles); err != nil {
		return ledger.Candidate{}, err
	}
	return ledger.Candidate{Commit: commit, Parent: c.parent(), Branch: c.order.Reserved.Branch}, nil
}

// parent is the commit that a candidate is made on.
func (c *committer) parent() string {
	if c.order.Parent != "" {
		return c.order.Parent
	}
	return c.order.Head
}

// theirs is the commit that a person pushed, as the candidate. It has to hold the
// tree that was judged: setup and checks may have left something beside it.
func (c *committer) theirs(ctx context.Context, e ledger.Ending) (ledger.Candidate, error) {
	id, head := c.order.Identity, c.order.Head
	_, err := c.judge.Commit(ctx, git.CommitSpec{Parent: head, Message: "compared with what was pushed", Name: id.Name, Email: id.Email, When: c.now(), Source: e.Candidate.Fingerprint})
	switch {
	case err == nil:
		return ledger.Candidate{}, fmt.Errorf("what was judged is not what commit %s holds: a setup command or a check changed files", head)
	case !errors.Is(err, git.ErrNothingToCommit):
		return ledger.Candidate{}, err
	}
	if err := c.scan(ctx, head, "", e.ChangedFiles); err != nil {
		return ledger.Candidate{}, err
	}
	return ledger.Candidate{Commit: head, Branch: c.order.Reserved.Branch}, nil
}

// Park implements engine.Committer. It leaves out what the forge would refuse and
// what holds a known secret, so that the rest can be kept with the ledger.
func (c *committer) Park(ctx context.Context, e ledger.Ending) (*ledger.Parked, error) {
	id := c.order.Identity
	message := fmt.Sprintf("warden: work of %s, which ended with %s\n\nNobody judged this. It is kept to be read.\n", c.order.Ledger.ID(), e.Code)
	left := map[string]bool{}
	for range 2 { // the second time without what the first was found to hold
		commit, out, err := c.judge.Park(ctx, git.CommitSpec{Parent: c.parent(), Message: message, Name: id.Name, Email: id.Email, When: c.now()},
			func(path string) bool {
				return left[path] || len(gate.Unpublishable([]string{path})) > 0 || c.secret.Find([]byte(path))
			})
		switch {
		case errors.Is(err, git.ErrNothingToCommit) && len(out) == 0:
			return nil, nil
		case errors.Is(err, git.ErrNothingToCommit):
			return &ledger.Parked{Left: out, Problem: "nothing of it may be kept"}, nil
		case err != nil:
			return nil, err
		}
		dirty, err := c.dirty(ctx, commit)
		if err != nil {
			return nil, err
		}
		if len(dirty) == 0 {
			return &ledger.Parked{Commit: commit, Parent: c.parent(), Left: out}, nil
		}
		for _, path := range dirty {
			left[path] = true
		}
	}
	return nil, errors.New("park the work: it holds a known secret in every shape")
}

// scan looks for known secrets, plain or encoded, in what would be pushed: the
// message, the names of the changed paths, and what they hold.
func (c *committer) scan(ctx context.Context, commit, message string, changed []string) error {
	if c.secret.Find([]byte(message)) {
		return errors.New("the commit message holds a known secret")
	}
	for _, p := range changed {
		if c.secret.Find([]byte(p)) {
			return errors.New("the name of a changed file holds a known secret")
		}
	}
	dirty, err := c.dirty(ctx, commit)
	if err != nil {
		return err
	}
	if len(dirty) > 0 {
		return fmt.Errorf("%s holds a known secret", dirty[0])
	}
	return nil
}

// dirty lists the paths of a commit that differ from the base and hold a known
// secret.
func (c *committer) dirty(ctx context.Context, commit string) ([]string, error) {
	base, err := c.git.ListTree(ctx, c.judge.GitDir(), c.order.Base, "")
	if err != nil {
		return nil, fmt.Errorf("look for secrets in the commit: %w", err)
	}
	all, err := c.git.ListTree(ctx, c.judge.GitDir(), commit, "")
	if err != nil {
		return nil, fmt.Errorf("look for secrets in the commit: %w", err)
	}
	known := map[string]string{}
	for _, e := range base {
		known[e.Path] = e.ID
	}
	entries := slices.DeleteFunc(all, func(e git.TreeEntry) bool { return e.Size < 0 || known[e.Path] == e.ID })
	blobs, err := c.git.Blobs(ctx, c.judge.GitDir(), entries)
	if err != nil {
		return nil, fmt.Errorf("look for secrets in the commit: %w", err)
	}
	var dirty []string
	for i, b := range blobs {
		if c.secret.Find(b) {
			dirty = append(dirty, entries[i].Path)
		}
	}
	return dirty, nil
}
