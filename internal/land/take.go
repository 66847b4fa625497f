package land

import (
	"context"
	"fmt"
	"strings"

	"github.com/tolboy/warden/internal/git"
)

// commands are what Take runs in the worktree, besides the standard input of the second.
func (p Performer) commands(d Draft, branch, run string) [][]string {
	return [][]string{
		{"fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-maintenance", "--update-shallow", "--", d.from, d.Commit},
		{"update-index", "--add", "--replace", "-z", "--index-info"},
		{"update-ref", "-m", "warden land " + run, "refs/heads/" + branch, d.Commit, d.Parent},
	}
}

// Take brings the commit into the repository. Of the index only the paths of the
// commit move, so that what else is staged stays staged; it goes before the branch,
// since staged paths do no harm where the branch then does not move.
func (p Performer) Take(ctx context.Context, d Draft, branch, run string) error {
	if d.Already {
		return nil
	}
	quiet, err := p.Git.NoFilters(ctx, p.Root)
	if err != nil {
		return failed(GitCommitFailed, err)
	}
	for i, args := range p.commands(d, branch, run) {
		c := git.Call{Dir: p.Root, Args: args,
			// The index keeps the operator's caches, and a fetch by id needs the second protocol.
			Config: append([]string{"protocol.version=2", "core.untrackedCache=keep"}, quiet...),
			// Who moved the branch, for its log.
			Env: []string{"GIT_COMMITTER_NAME=" + d.name, "GIT_COMMITTER_EMAIL=" + d.email},
		}
		if i == 1 {
			c.Stdin = indexInfo(d.changes)
		}
		if _, err := p.Git.Do(ctx, c); err != nil {
			return failed(GitCommitFailed, err)
		}
	}
	return nil
}

// indexInfo lists deletions first: a directory may have become a file.
func indexInfo(changes []git.Change) []byte {
	var gone, here strings.Builder
	for _, c := range changes {
		if c.Kind == 'D' {
			fmt.Fprintf(&gone, "0 %s\t%s\x00", strings.Repeat("0", len(c.Before)), c.Path)
		} else {
			fmt.Fprintf(&here, "%s %s\t%s\x00", c.Mode, c.Blob, c.Path)
		}
	}
	return []byte(gone.String() + here.String())
}
