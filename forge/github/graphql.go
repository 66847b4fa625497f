package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tolboy/warden/forge"
)

// The GraphQL documents: what REST does not say or cannot do. No other may be
// sent.
const (
	viewerQuery = `query { viewer { login databaseId } }`

	issueQuery = `query($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    issueOrPullRequest(number: $number) { ... on Issue { lastEditedAt } ... on PullRequest { lastEditedAt } }
  }
}`

	// A review's databaseId is 32 bits wide; ids outgrew that.
	reviewsQuery = `query($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      reviews(first: 100, after: $after) {
        nodes { fullDatabaseId lastEditedAt }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
}`

	readyMutation = `mutation($id: ID!) {
  markPullRequestReadyForReview(input: {pullRequestId: $id}) { pullRequest { isDraft } }
}`

	draftMutation = `mutation($id: ID!) {
  convertPullRequestToDraft(input: {pullRequestId: $id}) { pullRequest { isDraft } }
}`
)

var documents = []string{viewerQuery, issueQuery, reviewsQuery, readyMutation, draftMutation}

type graphqlRequest struct {
	Query     string         `json:"query"`
	Variables map[string]any `json:"variables,omitempty"`
}

type graphqlError struct {
	Type    string `json:"type"`
	Message string `json:"message"`
}

// ask runs a document and decodes its data into out. An answer that carries
// errors is an error, whatever data comes with it.
func (c *Client) ask(ctx context.Context, action, document string, variables map[string]any, out any) error {
	req, err := c.api.NewRequest(http.MethodPost, c.graphql, graphqlRequest{document, variables})
	if err != nil {
		return c.explain(action, err)
	}
	answer := struct {
		Data   any            `json:"data"`
		Errors []graphqlError `json:"errors"`
	}{Data: out}
	resp, err := c.api.Do(ctx, req, &answer)
	if err != nil {
		return c.explain(action, err)
	}
	if len(answer.Errors) == 0 {
		return nil
	}
	first := answer.Errors[0]
	for _, e := range answer.Errors {
		if e.Type == "RATE_LIMITED" {
			return &apiError{action, "GitHub refuses more requests for now", &forge.RateLimitError{Until: resp.Rate.Reset.Time}}
		}
	}
	var cause error
	switch {
	case first.Type == "FORBIDDEN", strings.Contains(first.Message, "Resource not accessible by"):
		cause = forge.ErrForbidden
	case first.Type == "NOT_FOUND":
		cause = forge.ErrNotFound
	}
	return &apiError{action, c.secrets.scrub(cut(first.Message)), cause}
}

// Self implements forge.Reader.
func (c *Client) Self(ctx context.Context) (forge.User, error) {
	var out struct {
		Viewer struct {
			Login      string `json:"login"`
			DatabaseID int64  `json:"databaseId"`
		} `json:"viewer"`
	}
	const action = "read who we are"
	if err := c.ask(ctx, action, viewerQuery, nil, &out); err != nil {
		return forge.User{}, err
	}
	if out.Viewer.DatabaseID == 0 || out.Viewer.Login == "" {
		return forge.User{}, &apiError{action, "the answer names nobody", nil}
	}
	return forge.User{ID: out.Viewer.DatabaseID, Login: out.Viewer.Login, Bot: strings.HasSuffix(out.Viewer.Login, "[bot]")}, nil
}

func (c *Client) variables(number int) map[string]any {
	return map[string]any{"owner": c.repo.Owner, "name": c.repo.Name, "number": number}
}

// edited reads when the body of an issue or pull request was last changed.
func (c *Client) edited(ctx context.Context, number int) (*time.Time, error) {
	var out struct {
		Repository *struct {
			Subject *struct {
				LastEditedAt *time.Time `json:"lastEditedAt"`
			} `json:"issueOrPullRequest"`
		} `json:"repository"`
	}
	action := fmt.Sprintf("read edits of issue %d", number)
	if err := c.ask(ctx, action, issueQuery, c.variables(number), &out); err != nil {
		return nil, err
	}
	if out.Repository == nil || out.Repository.Subject == nil {
		return nil, &apiError{action, "the answer is empty", forge.ErrNotFound}
	}
	return out.Repository.Subject.LastEditedAt, nil
}

// reviewEdits reads when each review was last changed. Every review that exists
// has an entry, nil for one that never was.
func (c *Client) reviewEdits(ctx context.Context, number int) (map[int64]*time.Time, error) {
	type page struct {
		Repository *struct {
			PullRequest *struct {
				Reviews struct {
					Nodes []struct {
						ID           string     `json:"fullDatabaseId"`
						LastEditedAt *time.Time `json:"lastEditedAt"`
					} `json:"nodes"`
					PageInfo struct {
						HasNextPage bool   `json:"hasNextPage"`
						EndCursor   string `json:"endCursor"`
					} `json:"pageInfo"`
				} `json:"reviews"`
			} `json:"pullRequest"`
		} `json:"repository"`
	}
	action := fmt.Sprintf("read edits of the reviews of pull request %d", number)
	edits := map[int64]*time.Time{}
	variables := c.variables(number)
	for range maxPages {
		var p page
		if err := c.ask(ctx, action, reviewsQuery, variables, &p); err != nil {
			return nil, err
		}
		if p.Repository == nil || p.Repository.PullRequest == nil {
			return nil, &apiError{action, "the answer is empty", forge.ErrNotFound}
		}
		reviews := p.Repository.PullRequest.Reviews
		for _, n := range reviews.Nodes {
			id, err := strconv.ParseInt(n.ID, 10, 64)
			if err != nil {
				return nil, &apiError{action, "a review has no id", nil}
			}
			edits[id] = n.LastEditedAt
		}
		if !reviews.PageInfo.HasNextPage {
			return edits, nil
		}
		if reviews.PageInfo.EndCursor == "" || reviews.PageInfo.EndCursor == variables["after"] {
			return nil, &apiError{action, "the pages do not go on", nil}
		}
		variables["after"] = reviews.PageInfo.EndCursor
	}
	return nil, errors.New(action + ": too many pages")
}

// SetDraft implements forge.Writer.
func (c *Client) SetDraft(ctx context.Context, pr forge.PullRequest, draft bool) error {
	document, word := readyMutation, "ready"
	if draft {
		document, word = draftMutation, "a draft"
	}
	action := fmt.Sprintf("make pull request %d %s", pr.Number, word)
	if pr.NodeID == "" {
		return &apiError{action, "it has no node id", nil}
	}
	type payload struct {
		PullRequest *struct {
			IsDraft bool `json:"isDraft"`
		} `json:"pullRequest"`
	}
	var out map[string]*payload
	if err := c.ask(ctx, action, document, map[string]any{"id": pr.NodeID}, &out); err != nil {
		return err
	}
	for _, p := range out {
		if p != nil && p.PullRequest != nil && p.PullRequest.IsDraft == draft {
			return nil
		}
	}
	return &apiError{action, "GitHub accepted it and nothing changed", nil}
}
