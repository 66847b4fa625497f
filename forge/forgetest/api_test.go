package forgetest_test

import (
	"bytes"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/tolboy/warden/forge"
	"github.com/tolboy/warden/forge/forgetest"
)

func random(n int) string {
	r := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.UintN(256))
	}
	return string(b)
}

func send(t *testing.T, s *forgetest.Server, method, url, token string, in any) (*http.Response, map[string]any) {
	t.Helper()
	body, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasPrefix(url, "/") {
		url = s.APIURL() + url
	}
	req, err := http.NewRequestWithContext(t.Context(), method, url, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if bytes.HasPrefix(data, []byte("{")) {
		if err := json.Unmarshal(data, &out); err != nil {
			t.Fatal(err)
		}
	} else {
		var list []any
		if err := json.Unmarshal(data, &list); err != nil {
			t.Fatalf("%s: %v", data, err)
		}
		out = map[string]any{"list": list}
	}
	return resp, out
}

func post(t *testing.T, s *forgetest.Server, path string, in any) (int, map[string]any) {
	t.Helper()
	resp, out := send(t, s, "POST", path, forgetest.DefaultToken, in)
	return resp.StatusCode, out
}

func get(t *testing.T, s *forgetest.Server, path string) (int, map[string]any) {
	t.Helper()
	resp, out := send(t, s, "GET", path, forgetest.DefaultToken, nil)
	return resp.StatusCode, out
}

func TestViolations(t *testing.T) {
	t.Parallel()
	s := start(t, forgetest.Options{})
	const repo = "/repos/octo/shop"
	graphql := s.GraphQLURL()
	query := func(text string) map[string]any { return map[string]any{"query": text} }
	for _, c := range []struct {
		method, path, token string
		body                any
		status              int
		kind                string
	}{
		{"PUT", repo + "/pulls/1/merge", forgetest.DefaultToken, nil, 405, forgetest.ForbiddenAct},
		{"PUT", repo + "/pulls/1/merge-async", forgetest.DefaultToken, nil, 405, forgetest.ForbiddenAct},
		{"POST", repo + "/merges", forgetest.DefaultToken, nil, 405, forgetest.ForbiddenAct},
		{"PUT", repo + "/pulls/1/update-branch", forgetest.DefaultToken, nil, 405, forgetest.ForbiddenAct},
		{"POST", repo + "/pulls/1/reviews", forgetest.DefaultToken, map[string]any{"event": "APPROVE"}, 405, forgetest.ForbiddenAct},
		{"PUT", repo + "/pulls/1/reviews/3/dismissals", forgetest.DefaultToken, nil, 405, forgetest.ForbiddenAct},
		{"PATCH", repo + "/pulls/1", forgetest.DefaultToken, map[string]any{"state": "closed"}, 405, forgetest.ForbiddenAct},
		{"POST", graphql, forgetest.DefaultToken, query(`mutation { enablePullRequestAutoMerge(input: {}) { clientMutationId } }`), 405, forgetest.ForbiddenAct},
		{"POST", graphql, forgetest.DefaultToken, query(`mutation { mergePullRequest(input: {}) { clientMutationId } }`), 405, forgetest.ForbiddenAct},
		{"POST", graphql, forgetest.DefaultToken, query(`query { organization(login: "x") { id } }`), 404, forgetest.UnknownRoute},
		{"POST", graphql, forgetest.DefaultToken, query(`query { viewer { email } }`), 200, forgetest.NotDescribed},
		{"GET", repo + "/branches", forgetest.DefaultToken, nil, 404, forgetest.UnknownRoute},
		{"GET", "/repos/octo/other", forgetest.DefaultToken, nil, 404, forgetest.UnknownRoute},
		{"GET", repo + "/issues/one", forgetest.DefaultToken, nil, 404, forgetest.UnknownRoute},
		{"GET", repo, "", nil, 401, forgetest.BadCredential},
		{"GET", repo, "ghs_wrong", nil, 401, forgetest.BadCredential},
		{"GET", s.URL() + "/octo/shop.git/HEAD", forgetest.DefaultToken, nil, 404, forgetest.UnknownRoute},
	} {
		if strings.HasSuffix(c.path, "/HEAD") {
			resp, err := http.Get(c.path)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
		} else if resp, _ := send(t, s, c.method, c.path, c.token, c.body); resp.StatusCode != c.status {
			t.Errorf("%s %s: status %d, want %d", c.method, c.path, resp.StatusCode, c.status)
		}
		if v := s.TakeViolations(); len(v) != 1 || v[0].Kind != c.kind {
			t.Errorf("%s %s: violations %v, want %s", c.method, c.path, v, c.kind)
		}
	}
}

func TestEveryRouteCanBeDropped(t *testing.T) {
	t.Parallel()
	s := start(t, forgetest.Options{})
	if err := s.DropRoute("no such route", 500); err == nil {
		t.Error("a route that is not there was dropped")
	}
	names := forgetest.Routes()
	if !slices.IsSorted(names) || len(names) < 25 {
		t.Errorf("routes %v", names)
	}
	if err := s.DropRoute("repo.get", 404); err != nil {
		t.Fatal(err)
	}
	if status, _ := get(t, s, "/repos/octo/shop"); status != 404 {
		t.Errorf("status %d, want the dropped one", status)
	}
	if err := s.DropRoute("graphql.viewer", 500); err != nil {
		t.Fatal(err)
	}
	viewer := map[string]any{"query": "{ viewer { login } }"}
	if status, _ := post(t, s, s.GraphQLURL(), viewer); status != 500 {
		t.Errorf("status %d, want the dropped one", status)
	}
	s.RestoreRoutes()
	if status, _ := get(t, s, "/repos/octo/shop"); status != 200 {
		t.Errorf("status %d after restoring", status)
	}
}

func TestPagesOfTwo(t *testing.T) {
	t.Parallel()
	s := start(t, forgetest.Options{})
	for range 5 {
		if _, _, err := s.OpenIssue(forgetest.Writer, "T", "B"); err != nil {
			t.Fatal(err)
		}
	}
	url, sizes := s.APIURL()+"/repos/octo/shop/issues?per_page=100&state=all", []int{}
	for url != "" && len(sizes) < 10 {
		resp, out := send(t, s, "GET", url, forgetest.DefaultToken, nil)
		sizes = append(sizes, len(out["list"].([]any)))
		url = ""
		for link := range strings.SplitSeq(resp.Header.Get("Link"), ", ") {
			if target, is := strings.CutSuffix(link, `>; rel="next"`); is {
				url = strings.TrimPrefix(target, "<")
			}
		}
	}
	if !slices.Equal(sizes, []int{2, 2, 1}) {
		t.Errorf("pages %v", sizes)
	}
}

func TestSameActsSameState(t *testing.T) {
	t.Parallel()
	var seen []string
	for range 2 {
		s := start(t, forgetest.Options{})
		n, _, err := s.OpenIssue(forgetest.Writer, "T", "B", "warden")
		if err != nil {
			t.Fatal(err)
		}
		commit, _, err := s.PushAs(forgetest.Writer, "b", map[string]string{"a": "a\n"})
		if err != nil {
			t.Fatal(err)
		}
		_, issue := get(t, s, "/repos/octo/shop/issues/1")
		if n != 1 || issue["created_at"] == issue["updated_at"] {
			t.Errorf("issue %d created at %v, labelled at %v", n, issue["created_at"], issue["updated_at"])
		}
		seen = append(seen, commit+issue["updated_at"].(string))
	}
	if seen[0] != seen[1] {
		t.Errorf("two runs differ: %v", seen)
	}
}

func TestPeopleAreRefusedWhatThePagesRefuse(t *testing.T) {
	t.Parallel()
	s := start(t, forgetest.Options{})
	n, _, err := s.OpenIssue(forgetest.Writer, "T", "B")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.PushAs(forgetest.Bot, "warden/x", map[string]string{"a": "a\n"}); err != nil {
		t.Fatal(err)
	}
	post(t, s, "/repos/octo/shop/pulls", map[string]any{"title": "T", "head": "warden/x", "base": "main", "draft": true})
	pr := n + 1
	refused := map[string]error{}
	_, _, refused["approve one's own"] = s.SubmitReview(forgetest.Bot, pr, forge.Approved, "")
	_, _, refused["object to one's own"] = s.SubmitReview(forgetest.Bot, pr, forge.ChangesRequested, "x")
	_, _, refused["review an issue"] = s.SubmitReview(forgetest.Writer, n, forge.Approved, "")
	_, _, refused["submit a dismissal"] = s.SubmitReview(forgetest.Writer, pr, forge.Dismissed, "")
	_, refused["merge a draft"] = s.MergePR(forgetest.Maintainer, pr)
	_, refused["label twice"] = s.RemoveLabel(forgetest.Writer, n, "absent")
	_, refused["act as nobody"] = s.CloseIssue("nobody", n)
	_, refused["reopen an open one"] = s.ReopenIssue(forgetest.Writer, n)
	if _, err := s.SetDraft(forgetest.Writer, pr, false); err != nil {
		t.Fatal(err)
	}
	_, refused["merge as a reader"] = s.MergePR(forgetest.Reader, pr)
	_, refused["merge as a bot"] = s.MergePR(forgetest.Bot, pr)
	for what, err := range refused {
		if err == nil {
			t.Errorf("%s: taken", what)
		}
	}
	if _, err := s.MergePR(forgetest.Maintainer, pr); err != nil {
		t.Error(err)
	}
}

func TestRequestLog(t *testing.T) {
	t.Parallel()
	s := start(t, forgetest.Options{})
	if _, _, err := s.OpenIssue(forgetest.Writer, "T", "B"); err != nil {
		t.Fatal(err)
	}
	post(t, s, "/repos/octo/shop/issues/1/comments", map[string]string{"body": "hello"})
	log := s.Requests()
	want := forgetest.Request{Route: "issue.comments.create", Method: "POST", Path: "/api/v3/repos/octo/shop/issues/1/comments", Auth: true, Status: 201}
	if len(log) != 1 || string(log[0].Body) != `{"body":"hello"}` {
		t.Fatalf("log %+v", log)
	}
	log[0].Body = nil
	if got := log[0]; got.Route != want.Route || got.Method != want.Method || got.Path != want.Path || got.Auth != want.Auth || got.Status != want.Status {
		t.Errorf("log %+v, want %+v", got, want)
	}
}
