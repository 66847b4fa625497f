package github

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/go-github/v66/github"

	"github.com/tolboy/warden/forge"
)

func userOf(u *github.User) forge.User {
	if u == nil {
		return forge.User{}
	}
	return forge.User{ID: u.GetID(), Login: u.GetLogin(), Bot: isBot(u.GetType(), u.GetLogin())}
}

func isBot(kind, login string) bool {
	return kind != "" && kind != "User" && kind != "Organization" || strings.HasSuffix(login, "[bot]")
}

// DefaultBranch implements forge.Reader.
func (c *Client) DefaultBranch(ctx context.Context) (string, error) {
	const action = "read the repository"
	repo, _, err := c.api.Repositories.Get(ctx, c.repo.Owner, c.repo.Name)
	if err != nil {
		return "", c.explain(action, err)
	}
	if repo.GetDefaultBranch() == "" {
		return "", &apiError{action, "the answer names no default branch", nil}
	}
	return repo.GetDefaultBranch(), nil
}

// Issue implements forge.Reader. The text is read before the time of its last
// edit, so an edit between the two shows.
func (c *Client) Issue(ctx context.Context, number int) (forge.Issue, error) {
	action := fmt.Sprintf("read issue %d", number)
	i, _, err := c.api.Issues.Get(ctx, c.repo.Owner, c.repo.Name, number)
	if err != nil {
		return forge.Issue{}, c.explain(action, err)
	}
	if i.GetNumber() != number || i.CreatedAt == nil {
		return forge.Issue{}, &apiError{action, "the answer is not that issue", nil}
	}
	out := forge.Issue{
		Number: number, Title: i.GetTitle(), Body: i.GetBody(), Open: i.GetState() == "open", Author: userOf(i.User),
		IsPullRequest: i.IsPullRequest(), URL: i.GetHTMLURL(), CreatedAt: i.GetCreatedAt().Time,
	}
	for _, l := range i.Labels {
		out.Labels = append(out.Labels, l.GetName())
	}
	out.BodyEditedAt, err = c.edited(ctx, number)
	if errors.Is(err, forge.ErrForbidden) || errors.Is(err, forge.ErrNotFound) {
		out.EditsUnknown, err = true, nil
	}
	return out, err
}

// IssueEvents implements forge.Reader.
func (c *Client) IssueEvents(ctx context.Context, number int) ([]forge.IssueEvent, error) {
	action := fmt.Sprintf("read events of issue %d", number)
	events, err := pages(c, action, func(o github.ListOptions) ([]*github.IssueEvent, *github.Response, error) {
		return c.api.Issues.ListIssueEvents(ctx, c.repo.Owner, c.repo.Name, number, &o)
	})
	if err != nil {
		return nil, err
	}
	var out []forge.IssueEvent
	for _, e := range unique(events, (*github.IssueEvent).GetID) {
		kind := forge.IssueEventKind(e.GetEvent())
		switch kind {
		case forge.Labeled, forge.Unlabeled, forge.Renamed, forge.Closed, forge.Reopened:
		default:
			continue
		}
		if e.GetID() == 0 || e.CreatedAt == nil {
			return nil, &apiError{action, "an event has no id or no time", nil}
		}
		out = append(out, forge.IssueEvent{
			ID: e.GetID(), Kind: kind, Label: e.GetLabel().GetName(), Actor: userOf(e.Actor), At: e.GetCreatedAt().Time,
		})
	}
	slices.SortStableFunc(out, func(a, b forge.IssueEvent) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID))
	})
	return out, nil
}

// OpenIssues implements forge.Reader.
func (c *Client) OpenIssues(ctx context.Context, label string) ([]int, error) {
	opts := github.IssueListByRepoOptions{State: "open", Sort: "created", Direction: "asc"}
	if !strings.Contains(label, ",") { // a comma separates labels there
		opts.Labels = []string{label}
	}
	issues, err := pages(c, "list open issues", func(o github.ListOptions) ([]*github.Issue, *github.Response, error) {
		opts.ListOptions = o
		return c.api.Issues.ListByRepo(ctx, c.repo.Owner, c.repo.Name, &opts)
	})
	if err != nil {
		return nil, err
	}
	var out []int
	for _, i := range issues {
		has := slices.ContainsFunc(i.Labels, func(l *github.Label) bool { return strings.EqualFold(l.GetName(), label) })
		if has && !i.IsPullRequest() && i.GetState() == "open" {
			out = append(out, i.GetNumber())
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// comment is an issue comment; go-github's has no performed_via_github_app.
type comment struct {
	ID        int64        `json:"id"`
	User      *github.User `json:"user"`
	Body      string       `json:"body"`
	CreatedAt *time.Time   `json:"created_at"`
	UpdatedAt *time.Time   `json:"updated_at"`
	HTMLURL   string       `json:"html_url"`
	App       *struct {
		ID int64 `json:"id"`
	} `json:"performed_via_github_app"`
}

func (m *comment) forge(action string) (forge.Comment, error) {
	if m.ID == 0 || m.CreatedAt == nil || m.UpdatedAt == nil {
		return forge.Comment{}, &apiError{action, "a comment has no id or no time", nil}
	}
	return forge.Comment{
		ID: m.ID, Author: userOf(m.User), Body: m.Body, CreatedAt: *m.CreatedAt, UpdatedAt: *m.UpdatedAt, URL: m.HTMLURL,
		ViaApp: m.App != nil,
	}, nil
}

// Comments implements forge.Reader.
func (c *Client) Comments(ctx context.Context, number int) ([]forge.Comment, error) {
	action := fmt.Sprintf("read comments of issue %d", number)
	all, err := pages(c, action, func(o github.ListOptions) ([]*comment, *github.Response, error) {
		var page []*comment
		path := fmt.Sprintf("repos/%s/issues/%d/comments?per_page=%d&page=%d", c.repo, number, o.PerPage, o.Page)
		resp, err := c.send(ctx, http.MethodGet, path, nil, &page)
		return page, resp, err
	})
	if err != nil {
		return nil, err
	}
	var out []forge.Comment
	for _, m := range unique(all, func(m *comment) int64 { return m.ID }) {
		f, err := m.forge(action)
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	slices.SortStableFunc(out, func(a, b forge.Comment) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	return out, nil
}

// CreateComment implements forge.Writer.
func (c *Client) CreateComment(ctx context.Context, number int, body string) (forge.Comment, error) {
	path := fmt.Sprintf("repos/%s/issues/%d/comments", c.repo, number)
	return c.writeComment(ctx, fmt.Sprintf("comment on issue %d", number), http.MethodPost, path, body)
}

// UpdateComment implements forge.Writer.
func (c *Client) UpdateComment(ctx context.Context, id int64, body string) (forge.Comment, error) {
	path := fmt.Sprintf("repos/%s/issues/comments/%d", c.repo, id)
	return c.writeComment(ctx, fmt.Sprintf("update comment %d", id), http.MethodPatch, path, body)
}

func (c *Client) writeComment(ctx context.Context, action, method, path, body string) (forge.Comment, error) {
	var out comment
	if _, err := c.send(ctx, method, path, map[string]string{"body": body}, &out); err != nil {
		return forge.Comment{}, c.explain(action, err)
	}
	return out.forge(action)
}

func (c *Client) send(ctx context.Context, method, path string, in, out any) (*github.Response, error) {
	req, err := c.api.NewRequest(method, path, in)
	if err != nil {
		return nil, err
	}
	return c.api.Do(ctx, req, out)
}
