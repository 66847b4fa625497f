package github

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/go-github/v66/github"

	"github.com/tolboy/warden/forge"
)

func pullOf(action string, p *github.PullRequest) (forge.PullRequest, error) {
	if p.GetNumber() == 0 || p.GetHead().GetSHA() == "" {
		return forge.PullRequest{}, &apiError{action, "the answer is no pull request", nil}
	}
	return forge.PullRequest{
		Number: p.GetNumber(), NodeID: p.GetNodeID(), Title: p.GetTitle(), Body: p.GetBody(), Open: p.GetState() == "open",
		Draft: p.GetDraft(), Merged: p.GetMerged() || p.MergedAt != nil, MergedBy: userOf(p.MergedBy), Author: userOf(p.User),
		HeadRef: p.GetHead().GetRef(), HeadSHA: p.GetHead().GetSHA(), HeadRepo: p.GetHead().GetRepo().GetFullName(),
		BaseRef: p.GetBase().GetRef(), BaseSHA: p.GetBase().GetSHA(), URL: p.GetHTMLURL(), ClosedAt: p.GetClosedAt().Time,
	}, nil
}

// PullRequest implements forge.Reader.
func (c *Client) PullRequest(ctx context.Context, number int) (forge.PullRequest, error) {
	action := fmt.Sprintf("read pull request %d", number)
	p, _, err := c.api.PullRequests.Get(ctx, c.repo.Owner, c.repo.Name, number)
	if err != nil {
		return forge.PullRequest{}, c.explain(action, err)
	}
	if p.GetNumber() != number {
		return forge.PullRequest{}, &apiError{action, "the answer is not that pull request", nil}
	}
	return pullOf(action, p)
}

// PullRequests implements forge.Reader. The forge's own filter goes by the
// owner's name, which a fork in the same organisation shares.
func (c *Client) PullRequests(ctx context.Context, branch string) ([]forge.PullRequest, error) {
	action := fmt.Sprintf("list pull requests of branch %q", branch)
	opts := github.PullRequestListOptions{
		State: "all", Head: c.repo.Owner + ":" + branch, Sort: "created", Direction: "desc",
	}
	pulls, err := pages(c, action, func(o github.ListOptions) ([]*github.PullRequest, *github.Response, error) {
		opts.ListOptions = o
		return c.api.PullRequests.List(ctx, c.repo.Owner, c.repo.Name, &opts)
	})
	if err != nil {
		return nil, err
	}
	var out []forge.PullRequest
	for _, p := range unique(pulls, (*github.PullRequest).GetID) {
		home := p.GetBase().GetRepo().GetID()
		if p.GetHead().GetRef() != branch || home == 0 || p.GetHead().GetRepo().GetID() != home {
			continue
		}
		f, err := pullOf(action, p)
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	slices.SortStableFunc(out, func(a, b forge.PullRequest) int { return b.Number - a.Number })
	return out, nil
}

// OpenDraft implements forge.Writer.
func (c *Client) OpenDraft(ctx context.Context, pr forge.NewPullRequest) (forge.PullRequest, error) {
	return c.open(ctx, pr, true)
}

// OpenPull implements forge.Writer.
func (c *Client) OpenPull(ctx context.Context, pr forge.NewPullRequest) (forge.PullRequest, error) {
	return c.open(ctx, pr, false)
}

func (c *Client) open(ctx context.Context, pr forge.NewPullRequest, draft bool) (forge.PullRequest, error) {
	action := fmt.Sprintf("open a pull request for branch %q", pr.HeadRef)
	p, _, err := c.api.PullRequests.Create(ctx, c.repo.Owner, c.repo.Name, &github.NewPullRequest{
		Title: &pr.Title, Body: &pr.Body, Head: &pr.HeadRef, Base: &pr.BaseRef, Draft: &draft,
	})
	if err != nil {
		return forge.PullRequest{}, c.explain(action, err)
	}
	return pullOf(action, p)
}

// UpdatePull implements forge.Writer.
func (c *Client) UpdatePull(ctx context.Context, number int, title, body string) (forge.PullRequest, error) {
	action := fmt.Sprintf("update pull request %d", number)
	p, _, err := c.api.PullRequests.Edit(ctx, c.repo.Owner, c.repo.Name, number, &github.PullRequest{Title: &title, Body: &body})
	if err != nil {
		return forge.PullRequest{}, c.explain(action, err)
	}
	return pullOf(action, p)
}

// RequestReview implements forge.Writer.
func (c *Client) RequestReview(ctx context.Context, number int, login string) error {
	_, _, err := c.api.PullRequests.RequestReviewers(ctx, c.repo.Owner, c.repo.Name, number, github.ReviewersRequest{Reviewers: []string{login}})
	return c.explain(fmt.Sprintf("request a review of pull request %d from %s", number, login), err)
}
