package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tolboy/warden/internal/archive"
	"github.com/tolboy/warden/internal/clean"
	"github.com/tolboy/warden/internal/git"
	"github.com/tolboy/warden/internal/land"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/push"
)

// maxRefs bounds how many ledgers of a remote are read at once.
const maxRefs = 2000

// refs looks at the ledgers that a remote has, and deletes those that may go, each only
// while it is what was read and the home has a copy of it.
func (c *cleaning) refs(ctx context.Context, remote string) error {
	to, err := c.urlOf(ctx, remote)
	if err != nil {
		return err
	}
	home, err := c.a.loadHome()
	if err != nil {
		return err
	}
	op := push.Operator{Git: c.m.Git, Environ: asOperator(c.a.environ, home, c.root)}
	there, err := op.Refs(ctx, to, archive.Prefix+"*", "refs/heads/*")
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "warden-refs-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	refs, err := c.readRefs(ctx, op, to, dir, there)
	if err != nil {
		return err
	}
	clean.Together(refs, func(name string) bool { return there["refs/heads/"+name] != "" })
	failed := map[string]string{}
	for _, r := range refs {
		row := cleanRow{Kind: "ref", Path: r.Name, At: r.At, RunID: r.Found.RunID, Code: r.Found.Reason, Detail: r.Found.Detail}
		issue, kept := clean.IssueOf(r.Found.RunID), len(c.kept)
		if by := failed[issue]; row.Code == "" && by != "" {
			row.Code, row.Detail = clean.Continued, by
		}
		c.decide(row, func() error {
			if err := c.copies(ctx, filepath.Join(dir, r.Found.RunID), []clean.Found{r.Found}); err != nil {
				return err
			}
			return op.DropLedger(ctx, to, r.Name, r.At)
		})
		if len(c.kept) > kept {
			failed[issue] = r.Found.RunID // those after it stay: the last one says what is owed
		}
	}
	return nil
}

// readRefs fetches the ledgers and writes each below dir, under its run's id.
func (c *cleaning) readRefs(ctx context.Context, op push.Operator, to, dir string, there map[string]string) ([]clean.Ref, error) {
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(there)), func(ref string) bool { return !strings.HasPrefix(ref, archive.Prefix) })
	if len(names) == 0 {
		return nil, nil
	}
	// In the order of the runs of an issue: the tenth comes after the ninth.
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
	if len(names) > maxRefs {
		return nil, fmt.Errorf("read the ledgers of the remote: more than %d refs", maxRefs)
	}
	objects := filepath.Join(dir, "ledgers.git")
	if err := git.MakeDir(git.DirSpec{Dir: objects, Bare: true}); err != nil {
		return nil, err
	}
	if err := op.Ledgers(ctx, to, objects); err != nil {
		return nil, err
	}
	var out []clean.Ref
	for _, name := range names {
		r := clean.Ref{Name: name, At: there[name], Found: clean.Found{RunID: strings.TrimPrefix(name, archive.Prefix)}}
		if ledger.CheckRunID(r.Found.RunID) != nil {
			r.Found.Reason, r.Found.Detail = clean.Altered, "the ref's name is no run's"
			out = append(out, r)
			continue
		}
		tree := filepath.Join(dir, r.Found.RunID)
		if at, err := c.m.Git.Resolve(ctx, objects, name); err != nil || at != r.At {
			r.Found.Reason, r.Found.Detail = clean.Moved, "the ref moved while it was read"
		} else if err := push.New(c.m.Git).ReadTree(ctx, objects, at, tree); err != nil {
			r.Found.Reason, r.Found.Detail = clean.Altered, err.Error()
		} else if r.Found, err = clean.ReadRef(tree, r.Found.RunID, c.before); err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

// urlOf is where the operator's git pushes to under that name.
func (c *cleaning) urlOf(ctx context.Context, name string) (string, error) {
	all, err := land.Performer{Git: c.m.Git, Root: c.root, Environ: c.a.environ}.Remotes(ctx)
	if err != nil {
		return "", err
	}
	for _, r := range all {
		if r.Name == name && len(r.URLs) == 1 {
			return r.URLs[0], nil
		}
		if r.Name == name {
			return "", &refused{Code: string(land.RemoteAmbiguous), Message: fmt.Sprintf("the remote %q has %d URLs to push to", name, len(r.URLs)), Hint: "give it one"}
		}
	}
	return "", &refused{Code: string(land.NoRemote), Message: fmt.Sprintf("the repository has no remote %q", name), Hint: "git remote lists those that are there"}
}

// lost reports whether somebody else moved the ref first.
func lost(err error) bool { return errors.Is(err, push.ErrLease) }
