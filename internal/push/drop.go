package push

import (
	"context"
	"fmt"
	"regexp"

	"github.com/tolboy/warden/internal/git"
)

// runRef is the ref of a run's ledger, and the only kind that is ever deleted.
var runRef = regexp.MustCompile(`^refs/warden/runs/[A-Za-z0-9][A-Za-z0-9._-]*$`)

// Refs returns the refs at the URL that match the patterns of git ls-remote, by their
// full names.
func (o Operator) Refs(ctx context.Context, to string, patterns ...string) (map[string]string, error) {
	dir, done, err := emptyDir()
	if err != nil {
		return nil, fmt.Errorf("list refs: %w", err)
	}
	defer done()
	res, err := o.reach(ctx, dir, to, append([]string{"ls-remote", "--refs", "--quiet", "--", to}, patterns...)...)
	if err != nil {
		return nil, fmt.Errorf("list refs: %w", err)
	}
	return parseRefs(res.Stdout)
}

// Ledgers brings the ledgers' refs at the URL into gitDir, a git directory of Warden's
// own, under the same names. Each comes as one commit, without what it reaches.
func (o Operator) Ledgers(ctx context.Context, to, gitDir string) error {
	_, err := o.reach(ctx, gitDir, to, "fetch", "--quiet", "--depth=1", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules",
		"--no-auto-maintenance", "--", to, "+refs/warden/runs/*:refs/warden/runs/*")
	if err != nil {
		return fmt.Errorf("fetch the ledgers: %w", err)
	}
	return nil
}

// DropLedger deletes the ref of a run's ledger at the URL while it is at the object
// that was read, else ErrLease. No other ref can be named, and no branch.
func (o Operator) DropLedger(ctx context.Context, to, ref, at string) error {
	if !runRef.MatchString(ref) || git.CheckRef(ref) != nil {
		return fmt.Errorf("delete ref: %q is no ledger's", ref)
	}
	if !git.IsObjectID(at) {
		return fmt.Errorf("delete ref %s: %q is no object id", ref, at)
	}
	dir, done, err := emptyDir()
	if err != nil {
		return fmt.Errorf("delete ref %s: %w", ref, err)
	}
	defer done()
	res, err := o.reach(ctx, dir, to, "push", "--porcelain", "--no-verify", "--no-follow-tags", "--no-signed", "--recurse-submodules=no",
		"--force-with-lease="+ref+":"+at, "--", to, ":"+ref)
	if _, err = verdict(ref, string(res.Stdout), err); err != nil {
		return fmt.Errorf("delete ref %s: %w", ref, err)
	}
	return nil
}

// reach runs git as the operator in a git directory of Warden's own.
func (o Operator) reach(ctx context.Context, dir, to string, args ...string) (git.Result, error) {
	if err := CheckOperatorURL(to); err != nil {
		return git.Result{}, err
	}
	res, err := o.Git.Operate(ctx, o.Environ, git.Call{Dir: dir, GitDir: dir, Args: args, Limit: operatorLimit})
	return res, secretOf(to).cleanError(err)
}
