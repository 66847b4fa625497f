package github_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/tolboy/warden/forge"
	"github.com/tolboy/warden/forge/forgetest"
)

// TestDescriptionFinds shows that the validation can fail, in both directions.
func TestDescriptionFinds(t *testing.T) {
	t.Parallel()
	d, err := loadDescription()
	if err != nil {
		t.Fatal(err)
	}
	header := http.Header{"Content-Type": {"application/json"}}
	const comment = `{"id":1,"node_id":"n","html_url":"https://h","issue_url":"https://h","user":null,"url":"https://h","created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z"}`
	for _, c := range []struct {
		name, method, path, request string
		status                      int
		response                    string
		fault                       string // "" for none
	}{
		{"fine", "POST", "/repos/o/r/issues/1/comments", `{"body":"x"}`, 201, comment, ""},
		{"no body", "POST", "/repos/o/r/issues/1/comments", `{}`, 201, comment, "request"},
		{"draft as text", "POST", "/repos/o/r/pulls", `{"head":"a","base":"b","draft":"yes"}`, 201, `{}`, "request"},
		{"a check without a commit", "POST", "/repos/o/r/check-runs", `{"name":"x"}`, 201, `{}`, "request"},
		{"an id as text", "POST", "/repos/o/r/issues/1/comments", `{"body":"x"}`, 201, strings.Replace(comment, `"id":1`, `"id":"1"`, 1), "response"},
		{"an answer without an id", "POST", "/repos/o/r/issues/1/comments", `{"body":"x"}`, 201, strings.Replace(comment, `"id":1,`, ``, 1), "response"},
		{"a time that is none", "POST", "/repos/o/r/issues/1/comments", `{"body":"x"}`, 201, strings.Replace(comment, "2026-01-01T", "soon", 1), "response"},
		{"a status that is not described", "POST", "/repos/o/r/issues/1/comments", `{"body":"x"}`, 200, comment, "response"},
		{"a null that is not allowed", "GET", "/repos/o/r/issues/1/events", ``, 200, `[null]`, "response"},
		{"an unknown route", "GET", "/repos/o/r/nothing", ``, 200, `{}`, "no such route"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			req, err := http.NewRequestWithContext(t.Context(), c.method, "http://h/api/v3"+c.path, strings.NewReader(c.request))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", "application/json")
			err = d.validate(req, []byte(c.request), c.status, header, []byte(c.response))
			if c.fault == "" && err != nil || c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)) {
				t.Errorf("error %v, want %q", err, c.fault)
			}
		})
	}
}

// TestAllowListIsNeeded makes every answer that is allowed to differ, and shows
// that each entry of the list is there for one of them.
func TestAllowListIsNeeded(t *testing.T) {
	t.Parallel()
	d, err := loadDescription()
	if err != nil {
		t.Fatal(err)
	}
	needed := map[int]bool{}
	s, err := forgetest.New(forgetest.Options{Validate: func(req *http.Request, reqBody []byte, status int, header http.Header, respBody []byte) error {
		for _, e := range d.differences(req, reqBody, status, header, respBody) {
			if pointer, known := pointerOf(e); known {
				needed[allowance(respBody, pointer)] = true
			}
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c := client(t, s, forgetest.DefaultToken)
	ghosts(t, s, c)
	for i, a := range allowed {
		if !needed[i] {
			t.Errorf("no answer needs %s (%s)", a.pointer, a.reason)
		}
	}
	if needed[-1] {
		t.Error("an answer differs that is not allowed to")
	}
}

// ghosts reads a fork that is gone, outdated comments, and what deleted accounts
// left behind.
func ghosts(t *testing.T, s *forgetest.Server, c forge.Forge) {
	t.Helper()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ctx := context.WithoutCancel(t.Context())
	check(s.AddPerson(forgetest.Person{Login: "gus", Permission: forge.Write}))
	n, _, err := s.OpenIssue("gus", "T", "B", "warden")
	check(err)
	fork, _, err := s.OpenForkPR("gus", "t@v", "From a fork", map[string]string{"a": "a\n"})
	check(err)
	_, _, err = s.PushAs("gus", "theirs", map[string]string{"src/a": "1\n2\n3\n"})
	check(err)
	pr, err := c.OpenDraft(ctx, forge.NewPullRequest{Title: "T", HeadRef: "theirs", BaseRef: "main"})
	check(err)
	_, _, err = s.SubmitReview("gus", pr.Number, forge.Commented, "", forgetest.InlineComment{Path: "src/a", StartLine: 1, Line: 2, Body: "x"})
	check(err)
	_, _, err = s.PushAs("gus", "theirs", map[string]string{"src/a": "other\n"})
	check(err)
	check(s.DeleteFork(fork))
	check(s.DeletePerson("gus"))

	got, err := c.PullRequest(ctx, fork)
	check(err)
	if got.HeadRepo != "" || got.Author != (forge.User{}) || got.HeadRef != "t@v" {
		t.Errorf("a fork that is gone: %+v", got)
	}
	pulls, err := c.PullRequests(ctx, "t@v")
	check(err)
	if len(pulls) != 0 {
		t.Errorf("the fork's pull request counts as ours: %+v", pulls)
	}
	_, err = c.Issue(ctx, n)
	check(err)
	_, err = c.IssueEvents(ctx, n)
	check(err)
	_, err = c.Reviews(ctx, pr.Number)
	check(err)
}

func TestPeer09GhostsAndGoneForks(t *testing.T) {
	t.Parallel()
	t.Run("peer-09", func(t *testing.T) {
		t.Parallel()
		s, c := start(t, forgetest.Options{})
		ghosts(t, s, c)
	})
}

// A fork of the same owner has the same head in the eyes of the forge's filter.
func TestForkOfTheSameOwnerIsNotOurs(t *testing.T) {
	t.Parallel()
	s, c := start(t, forgetest.Options{})
	if err := s.AddPerson(forgetest.Person{Login: "octo", Permission: forge.Admin}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.OpenForkPR("octo", "warden/issue-1-x", "From a fork", map[string]string{"a": "a\n"}); err != nil {
		t.Fatal(err)
	}
	pr := openPull(t, s, c, "warden/issue-1-x")
	got := must[[]forge.PullRequest](t)(c.PullRequests(t.Context(), "warden/issue-1-x"))
	if len(got) != 1 || got[0].Number != pr.Number {
		t.Errorf("pull requests %+v, want %d alone", got, pr.Number)
	}
}

// TestDroppedRoutesAreNoticed drops each route that the client uses: something
// that is read or written then fails, or reads as less than before. Nothing goes
// on as if it were all right.
func TestDroppedRoutesAreNoticed(t *testing.T) {
	t.Parallel()
	healthy := everything(t, "")
	for _, route := range forgetest.Routes() {
		if strings.HasPrefix(route, "git.") {
			continue // git's own routes are not this client's
		}
		t.Run(route, func(t *testing.T) {
			t.Parallel()
			if got := everything(t, route); got == healthy {
				t.Error("nobody noticed")
			}
		})
	}
}

// everything does all there is once and returns the results as text.
func everything(t *testing.T, drop string) string {
	t.Helper()
	s, err := forgetest.New(forgetest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c := client(t, s, forgetest.DefaultToken)
	ctx := t.Context()
	n, _, err := s.OpenIssue(forgetest.Writer, "T", "B", "warden")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Comment(forgetest.Writer, n, "hello"); err != nil {
		t.Fatal(err)
	}
	pr := openPull(t, s, c, "warden/issue-1-x")
	if _, _, err := s.SubmitReview(forgetest.Maintainer, pr.Number, forge.Approved, "fine", forgetest.InlineComment{Path: "src/a.txt", Line: 1, Body: "x"}); err != nil {
		t.Fatal(err)
	}
	own, err := c.CreateComment(ctx, n, "own")
	if err != nil {
		t.Fatal(err)
	}
	if drop != "" {
		if err := s.DropRoute(drop, http.StatusNotFound); err != nil {
			t.Fatal(err)
		}
	}
	var out []any
	note := func(v any, err error) { out = append(out, v, fmt.Sprint(err)) }
	check := forge.Check{Name: "gate", HeadSHA: pr.HeadSHA, State: forge.CheckWaiting, Title: "t"}
	note(c.Self(ctx))
	note(c.DefaultBranch(ctx))
	note(c.Issue(ctx, n))
	note(c.IssueEvents(ctx, n))
	note(c.Comments(ctx, n))
	note(c.PullRequest(ctx, pr.Number))
	note(c.PullRequests(ctx, pr.HeadRef))
	note(c.Reviews(ctx, pr.Number))
	commits, complete, err := c.Commits(ctx, pr.Number)
	note([]any{len(commits), complete}, err)
	note(c.Permission(ctx, s.User(forgetest.Maintainer)))
	note(c.OpenIssues(ctx, "warden"))
	note(c.Checks(ctx, pr.HeadSHA, "gate"))
	note(c.CreateComment(ctx, n, "more"))
	note(c.UpdateComment(ctx, own.ID, "changed"))
	note(c.UpdatePull(ctx, pr.Number, "T2", "B2"))
	note(nil, c.SetDraft(ctx, pr, false))
	note(nil, c.SetDraft(ctx, pr, true))
	note(nil, c.RequestReview(ctx, pr.Number, forgetest.Writer))
	check, err = c.SetCheck(ctx, check)
	note(check, err)
	check.Annotations = []forge.Annotation{{Path: "a", Line: 1, Level: "notice", Message: "m"}}
	note(c.SetCheck(ctx, check))
	note(nil, c.SetStatus(ctx, check))
	note(c.OpenPull(ctx, forge.NewPullRequest{Title: "T", HeadRef: "warden/absent", BaseRef: "main"}))
	data, err := json.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(data), s.URL(), "")
}
