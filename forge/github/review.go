package github

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-github/v66/github"

	"github.com/tolboy/warden/forge"
)

// Reviews implements forge.Reader. The inline comments come from the list of the
// whole pull request, because the list of one review leaves out lines and sides.
func (c *Client) Reviews(ctx context.Context, number int) ([]forge.Review, error) {
	action := fmt.Sprintf("read reviews of pull request %d", number)
	reviews, err := pages(c, action, func(o github.ListOptions) ([]*github.PullRequestReview, *github.Response, error) {
		return c.api.PullRequests.ListReviews(ctx, c.repo.Owner, c.repo.Name, number, &o)
	})
	if err != nil {
		return nil, err
	}
	notes, err := c.notes(ctx, number)
	if err != nil {
		return nil, err
	}
	edits, err := c.reviewEdits(ctx, number)
	unknown := errors.Is(err, forge.ErrForbidden) || errors.Is(err, forge.ErrNotFound)
	if err != nil && !unknown {
		return nil, err
	}
	var out []forge.Review
	for _, r := range unique(reviews, (*github.PullRequestReview).GetID) {
		if r.GetState() == "PENDING" {
			continue
		}
		if r.GetID() == 0 || r.SubmittedAt == nil {
			return nil, &apiError{action, "a review has no id or no time", nil}
		}
		at, listed := edits[r.GetID()]
		out = append(out, forge.Review{
			ID: r.GetID(), Author: userOf(r.User), State: forge.ReviewState(strings.ToLower(r.GetState())), Body: r.GetBody(),
			CommitID: r.GetCommitID(), SubmittedAt: r.GetSubmittedAt().Time, URL: r.GetHTMLURL(), Comments: notes[r.GetID()],
			EditedAt: at, EditsUnknown: unknown || !listed,
		})
	}
	slices.SortStableFunc(out, func(a, b forge.Review) int {
		return cmp.Or(a.SubmittedAt.Compare(b.SubmittedAt), cmp.Compare(a.ID, b.ID))
	})
	return out, nil
}

// notes reads the inline comments by review.
func (c *Client) notes(ctx context.Context, number int) (map[int64][]forge.ReviewComment, error) {
	action := fmt.Sprintf("read inline comments of pull request %d", number)
	all, err := pages(c, action, func(o github.ListOptions) ([]*github.PullRequestComment, *github.Response, error) {
		return c.api.PullRequests.ListComments(ctx, c.repo.Owner, c.repo.Name, number,
			&github.PullRequestListCommentsOptions{Sort: "created", Direction: "asc", ListOptions: o})
	})
	if err != nil {
		return nil, err
	}
	out := map[int64][]forge.ReviewComment{}
	for _, n := range unique(all, (*github.PullRequestComment).GetID) {
		id := n.GetPullRequestReviewID()
		out[id] = append(out[id], noteOf(n))
	}
	for _, list := range out {
		slices.SortStableFunc(list, func(a, b forge.ReviewComment) int { return cmp.Compare(a.ID, b.ID) })
	}
	return out, nil
}

// noteOf reads the lines a comment was made on. On an outdated one the forge
// says null for where it would be now; then it is where it was.
func noteOf(n *github.PullRequestComment) forge.ReviewComment {
	line, start, commit := n.Line, n.StartLine, n.GetCommitID()
	if line == nil {
		line, start = n.OriginalLine, n.OriginalStartLine
		commit = cmp.Or(n.GetOriginalCommitID(), commit)
	}
	out := forge.ReviewComment{
		ID: n.GetID(), Path: n.GetPath(), Side: cmp.Or(n.GetSide(), "RIGHT"), DiffHunk: n.GetDiffHunk(), Body: n.GetBody(), CommitID: commit,
	}
	if line != nil {
		out.Line = *line
	}
	if start != nil {
		out.StartLine = *start
	}
	return out
}
