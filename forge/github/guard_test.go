package github

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tolboy/warden/forge"
)

// spy stands where the wire would be and counts what reaches it.
type spy struct {
	sent   atomic.Int64
	answer func(*http.Request) (*http.Response, error)
}

func (s *spy) RoundTrip(r *http.Request) (*http.Response, error) {
	s.sent.Add(1)
	if s.answer != nil {
		return s.answer(r)
	}
	return reply(http.StatusOK, nil, `{"id":1,"number":1}`), nil
}

func reply(status int, header http.Header, body string) *http.Response {
	if header == nil {
		header = http.Header{}
	}
	return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader(body))}
}

const canary = "ghs_12345_eyJhbGciOi.canary-token_value"

func spied(t *testing.T, s *spy) *Client {
	t.Helper()
	c, err := New(Config{
		Repo:       forge.Repo{Owner: "octo", Name: "shop"},
		Token:      func(context.Context) (string, error) { return canary, nil },
		HTTPClient: &http.Client{Transport: s},
	})
	if err != nil {
		t.Fatal(err)
	}
	c.wire.wait = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	return c
}

func TestNeverMerges(t *testing.T) {
	t.Parallel()
	repo := "repos/octo/shop/"
	graphql := "https://api.github.com/graphql"
	mutation := func(name string) map[string]any {
		return map[string]any{"query": fmt.Sprintf(`mutation { %s(input: {pullRequestId: "PR_1"}) { clientMutationId } }`, name)}
	}
	for name, request := range map[string]struct {
		method, path string
		body         any
	}{
		"merge":                  {"PUT", repo + "pulls/1/merge", map[string]any{}},
		"merge by POST":          {"POST", repo + "pulls/1/merge", map[string]any{}},
		"merge-async":            {"PUT", repo + "pulls/1/merge-async", map[string]any{}},
		"merge in capitals":      {"PUT", repo + "pulls/1/MERGE", map[string]any{}},
		"merge with a slash":     {"PUT", repo + "pulls/1/merge/", map[string]any{}},
		"merge, escaped":         {"PUT", repo + "pulls/1/%6Derge", map[string]any{}},
		"merge by a detour":      {"PUT", repo + "pulls/1/x/../merge", map[string]any{}},
		"merges":                 {"POST", repo + "merges", map[string]any{"base": "main", "head": "x"}},
		"merge-upstream":         {"POST", repo + "merge-upstream", map[string]any{}},
		"update-branch":          {"PUT", repo + "pulls/1/update-branch", map[string]any{}},
		"review":                 {"POST", repo + "pulls/1/reviews", map[string]any{"event": "APPROVE"}},
		"review, submitted":      {"POST", repo + "pulls/1/reviews/2/events", map[string]any{"event": "APPROVE"}},
		"review, changed":        {"PUT", repo + "pulls/1/reviews/2", map[string]any{"body": "x"}},
		"review, dismissed":      {"PUT", repo + "pulls/1/reviews/2/dismissals", map[string]any{"message": "x"}},
		"closing":                {"PATCH", repo + "pulls/1", map[string]any{"state": "closed"}},
		"a ref":                  {"PATCH", repo + "git/refs/heads/main", map[string]any{"sha": "x"}},
		"a file":                 {"PUT", repo + "contents/a", map[string]any{}},
		"a branch's protection":  {"DELETE", repo + "branches/main/protection", nil},
		"another repository":     {"DELETE", "repos/octo/shop", nil},
		"another host":           {"GET", "https://example.invalid/repos/octo/shop", nil},
		"auto-merge":             {"POST", graphql, mutation("enablePullRequestAutoMerge")},
		"GraphQL merge":          {"POST", graphql, mutation("mergePullRequest")},
		"GraphQL merge, renamed": {"POST", graphql, map[string]any{"query": `mutation M { ok: mergePullRequest(input: {}) { clientMutationId } }`}},
		"GraphQL queue":          {"POST", graphql, mutation("enqueuePullRequest")},
		"GraphQL review":         {"POST", graphql, mutation("addPullRequestReview")},
		"GraphQL submit":         {"POST", graphql, mutation("submitPullRequestReview")},
		"GraphQL branches":       {"POST", graphql, mutation("mergeBranch")},
		"GraphQL close":          {"POST", graphql, mutation("closePullRequest")},
		"GraphQL of no use":      {"POST", graphql, map[string]any{"query": `query { viewer { email } }`}},
		"GraphQL unreadable":     {"POST", graphql, []string{"x"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &spy{}
			c := spied(t, s)
			_, err := c.send(t.Context(), request.method, request.path, request.body, nil)
			if !errors.Is(err, ErrNeverSent) {
				t.Errorf("error %v, want %v", err, ErrNeverSent)
			}
			if n := s.sent.Load(); n != 0 {
				t.Errorf("%d requests left", n)
			}
			// Two lists refuse the first kind: what is denied must not hang on what
			// is allowed.
			for start, why := range map[string]string{"merge": "it merges", "review": "it merges", "update-branch": "it merges", "GraphQL m": "it names", "auto": "it names"} {
				if strings.HasPrefix(name, start) && !strings.Contains(fmt.Sprint(err), why) {
					t.Errorf("error %v, want %q", err, why)
				}
			}
			if err := c.explain("x", err); !errors.Is(err, ErrNeverSent) || strings.Contains(err.Error(), canary) {
				t.Errorf("explained as %v", err)
			}
		})
	}
}

// The guard lets through what the client needs; without this a guard that
// refuses everything would pass the test above.
func TestGuardLetsOurWritesThrough(t *testing.T) {
	t.Parallel()
	s := &spy{}
	c := spied(t, s)
	repo := "repos/octo/shop/"
	for i, request := range []struct{ method, path string }{
		{"POST", "issues/1/comments"}, {"PATCH", "issues/comments/1"}, {"POST", "pulls"}, {"PATCH", "pulls/1"},
		{"POST", "pulls/1/requested_reviewers"}, {"POST", "check-runs"}, {"PATCH", "check-runs/1"}, {"POST", "statuses/0a1b"},
		{"GET", "pulls/1/reviews"}, {"GET", "pulls/1/merge"},
	} {
		if _, err := c.send(t.Context(), request.method, repo+request.path, map[string]string{"body": "mergePullRequest"}, nil); err != nil {
			t.Errorf("%s %s: %v", request.method, request.path, err)
		}
		if n := s.sent.Load(); n != int64(i+1) {
			t.Errorf("%s %s: it did not leave", request.method, request.path)
		}
	}
}
