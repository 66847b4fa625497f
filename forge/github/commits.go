package github

import (
	"context"
	"fmt"

	"github.com/google/go-github/v66/github"

	"github.com/tolboy/warden/forge"
)

// mostCommits is how many commits of a pull request GitHub lists.
const mostCommits = 250

// Commits implements forge.Historian.
func (c *Client) Commits(ctx context.Context, number int) ([]forge.Commit, bool, error) {
	action := fmt.Sprintf("list the commits of pull request %d", number)
	all, err := pages(c, action, func(o github.ListOptions) ([]*github.RepositoryCommit, *github.Response, error) {
		return c.api.PullRequests.ListCommits(ctx, c.repo.Owner, c.repo.Name, number, &o)
	})
	if err != nil {
		return nil, false, err
	}
	var out []forge.Commit
	for _, r := range all {
		if r.GetSHA() == "" {
			return nil, false, &apiError{action, "a commit has no name", nil}
		}
		out = append(out, forge.Commit{SHA: r.GetSHA(), Author: userOf(r.Author), Committer: userOf(r.Committer)})
	}
	return out, len(all) < mostCommits, nil
}
