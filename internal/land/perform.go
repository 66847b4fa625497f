package land

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tolboy/warden/internal/git"
)

// Performer does what a plan says, in one worktree of the operator's.
type Performer struct {
	Git     *git.Git
	Environ []string // of the operator, without the keys that profiles name
	Root    string   // of the worktree
	Common  string   // git directory of the repository
	// Secret finds what must not leave, in content and in names.
	Secret func([]byte) bool
}

// Draft is the commit that holds the accepted candidate. It is in the judge's git
// directory, unless Already says that the branch has it.
type Draft struct {
	Commit, Parent string
	Already        bool

	from        string
	name, email string
	changes     []git.Change
}

// Request is what Draft commits.
type Request struct {
	OnHead  *git.Judge // whose base and head are both Head
	Head    string
	Base    string       // that Seen was compared with
	Seen    git.Snapshot // as it was accepted
	Message string
	Now     time.Time // of the accept, so that a landing done again makes the same commit
}

// Draft writes the accepted source on top of HEAD as a commit, and compares it with
// what was accepted, file by file. No hook, no filter and no staged file has a part
// in it, and nothing in the repository changes.
func (p Performer) Draft(ctx context.Context, r Request) (Draft, error) {
	// A candidate that is in HEAD was landed before, or by hand: it is that commit.
	if r.OnHead.Holds(ctx, r.Base, r.Head, r.Seen) == nil {
		return Draft{Commit: r.Head, Parent: r.Head, Already: true, from: r.OnHead.GitDir()}, nil
	}
	d := Draft{Parent: r.Head, from: r.OnHead.GitDir()}
	settings, err := p.Git.OperatorSettings(ctx, p.Root, `^user\.(name|email)$`)
	if err != nil {
		return Draft{}, failed(GitCommitFailed, err)
	}
	if d.name, d.email = last(settings["user.name"]), last(settings["user.email"]); d.name == "" || d.email == "" {
		return Draft{}, refuse(GitCommitFailed, "git config --global user.name and user.email", "git does not know who commits: user.name or user.email is not set")
	}
	when, err := p.notBefore(ctx, r.Head, r.Now)
	if err != nil {
		return Draft{}, failed(GitCommitFailed, err)
	}
	d.Commit, err = r.OnHead.Commit(ctx, git.CommitSpec{Parent: r.Head, Message: r.Message, Name: d.name, Email: d.email, When: when})
	if err == nil {
		err = r.OnHead.Holds(ctx, r.Base, d.Commit, r.Seen)
	}
	if err == nil {
		d.changes, err = r.OnHead.Between(ctx, r.Head, d.Commit)
	}
	if err == nil {
		err = p.clean(ctx, d, r.Message)
	}
	if err != nil {
		return Draft{}, failed(GitCommitFailed, err)
	}
	return d, nil
}

// notBefore is when the commit is dated: no earlier than its parent, which may be
// younger than the accept.
func (p Performer) notBefore(ctx context.Context, parent string, at time.Time) (time.Time, error) {
	out, err := p.Git.Run(ctx, p.Root, "log", "-1", "--format=%ct", parent, "--")
	if err != nil {
		return at, err
	}
	var seconds int64
	if _, err := fmt.Sscan(string(out), &seconds); err != nil {
		return at, fmt.Errorf("read the date of %.12s: %w", parent, err)
	}
	if earliest := time.Unix(seconds, 0); at.Before(earliest) {
		return earliest, nil
	}
	return at, nil
}

// clean refuses a commit that holds a key of a profile.
func (p Performer) clean(ctx context.Context, d Draft, message string) error {
	if p.Secret == nil {
		return nil
	}
	changed := map[string]bool{}
	if p.Secret([]byte(message)) {
		return errors.New("the commit message holds a known secret")
	}
	for _, c := range d.changes {
		if p.Secret([]byte(c.Path)) {
			return errors.New("the name of a changed file holds a known secret")
		}
		changed[c.Path] = true
	}
	tree, err := p.Git.ListTree(ctx, d.from, d.Commit, "")
	if err != nil {
		return err
	}
	for _, e := range tree {
		if !changed[e.Path] || e.Size < 0 {
			continue
		}
		blobs, err := p.Git.Blobs(ctx, d.from, []git.TreeEntry{e})
		if err != nil {
			return err
		}
		if p.Secret(blobs[0]) {
			return fmt.Errorf("%q holds a known secret", e.Path)
		}
	}
	return nil
}

// failed is a step that was begun and did not succeed.
func failed(code Code, err error) error {
	return &RefusedError{Code: code, Message: err.Error()}
}

func last(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return strings.TrimSpace(values[len(values)-1])
}
