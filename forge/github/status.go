package github

import (
	"context"
	"fmt"

	"github.com/google/go-github/v66/github"

	"github.com/tolboy/warden/forge"
)

// maxDescription is the longest description of a status, in characters.
const maxDescription = 140

// SetStatus writes the commit status of that name: what stands in for a check
// run where those are refused. It shows the title and nothing else.
func (c *Client) SetStatus(ctx context.Context, check forge.Check) error {
	state := "pending"
	if check.State == forge.CheckSuccess || check.State == forge.CheckFailure {
		state = string(check.State)
	}
	title := []rune(check.Title)
	if len(title) > maxDescription {
		title = append(title[:maxDescription-1], '…')
	}
	_, _, err := c.api.Repositories.CreateStatus(ctx, c.repo.Owner, c.repo.Name, check.HeadSHA, &github.RepoStatus{
		State: &state, Context: &check.Name, Description: github.String(string(title)),
	})
	return c.explain(fmt.Sprintf("set status %q on %.12s", check.Name, check.HeadSHA), err)
}

// statuses reads the commit statuses of that name, newest first.
func (c *Client) statuses(ctx context.Context, sha, name string) ([]forge.Check, error) {
	action := fmt.Sprintf("list statuses %q on %.12s", name, sha)
	all, err := pages(c, action, func(o github.ListOptions) ([]*github.RepoStatus, *github.Response, error) {
		return c.api.Repositories.ListStatuses(ctx, c.repo.Owner, c.repo.Name, sha, &o)
	})
	if err != nil {
		return nil, err
	}
	states := map[string]forge.CheckState{"success": forge.CheckSuccess, "pending": forge.CheckWaiting}
	var out []forge.Check
	for _, st := range unique(all, (*github.RepoStatus).GetID) {
		if st.GetContext() != name {
			continue
		}
		state, known := states[st.GetState()]
		if !known {
			state = forge.CheckFailure
		}
		out = append(out, forge.Check{Name: name, HeadSHA: sha, State: state, Title: st.GetDescription()})
	}
	return out, nil
}
