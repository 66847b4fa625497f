package github_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tolboy/warden/forge"
	"github.com/tolboy/warden/forge/forgetest"
	"github.com/tolboy/warden/forge/github"
)

type published struct {
	Name     string
	Examples []json.RawMessage
}

func examples(tb testing.TB) (out []published) {
	tb.Helper()
	if err := json.Unmarshal(gunzip(tb, "github-webhook-examples.json.gz"), &out); err != nil {
		tb.Fatal(err)
	}
	return out
}

func TestParsePublishedPayloads(t *testing.T) {
	t.Parallel()
	parsed := 0
	for _, e := range examples(t) {
		for i, payload := range e.Examples {
			got, err := github.ParseEvent(e.Name, payload)
			if err != nil {
				t.Errorf("%s %d: %v", e.Name, i, err)
			}
			parsed++
			checkOracle(t, e.Name, payload, got)
		}
	}
	if parsed < 50 {
		t.Fatalf("only %d payloads", parsed)
	}
}

// checkOracle reads the payload in another way: whenever it has the number of an
// issue or a pull request, the event has that number.
func checkOracle(t *testing.T, name string, payload []byte, got forge.Event) {
	t.Helper()
	var p map[string]any
	if json.Unmarshal(payload, &p) != nil {
		return
	}
	var want float64
	for _, key := range []string{"issue", "pull_request"} { // the pull request wins
		if o, is := p[key].(map[string]any); is {
			if n, is := o["number"].(float64); is {
				want = n
			}
		}
	}
	if want > 0 && want == float64(int(want)) && got.Number != int(want) {
		t.Errorf("%s: number %d, want %v", name, got.Number, want)
	}
}

func TestParseEvent(t *testing.T) {
	t.Parallel()
	const repo = `"repository":{"id":7,"name":"shop","full_name":"octo/shop","default_branch":"trunk"},"sender":{"id":5,"login":"wil","type":"User"}`
	shop := forge.Repo{Owner: "octo", Name: "shop"}
	wil := forge.User{ID: 5, Login: "wil"}
	head := func(repo string) string { return `"head":{"ref":"AB#1-a","repo":` + repo + `}` }
	for _, c := range []struct {
		name, event, payload string
		want                 forge.Event
		err                  string
	}{
		{"a label", "issues", `{"action":"labeled","label":{"name":"warden"},"issue":{"number":3},` + repo + `}`,
			forge.Event{Action: "labeled", Label: "warden", Number: 3}, ""},
		{"a comment on an issue", "issue_comment", `{"action":"created","comment":{"id":3000000001},"issue":{"number":3,"pull_request":null},` + repo + `}`,
			forge.Event{Action: "created", Number: 3, CommentID: 3000000001}, ""},
		{"a comment on a pull request", "issue_comment", `{"action":"edited","comment":{"id":9},"issue":{"number":4,"pull_request":{"url":"u"}},` + repo + `}`,
			forge.Event{Action: "edited", Number: 4, CommentID: 9, IsPullRequest: true}, ""},
		{"an edited review", "pull_request_review", `{"action":"edited","changes":{"body":{"from":"retry"}},"review":{"id":8,"state":"approved","body":null},"pull_request":{"number":4,` + head(`{"id":7}`) + `},` + repo + `}`,
			forge.Event{Action: "edited", Number: 4, ReviewID: 8, IsPullRequest: true, HeadRef: "AB#1-a"}, ""},
		{"an inline comment", "pull_request_review_comment", `{"action":"created","comment":{"id":9,"pull_request_review_id":8},"pull_request":{"number":4},` + repo + `}`,
			forge.Event{Action: "created", Number: 4, CommentID: 9, ReviewID: 8, IsPullRequest: true}, ""},
		{"a fork", "pull_request", `{"action":"opened","number":4,"pull_request":{"number":4,` + head(`{"id":99}`) + `},` + repo + `}`,
			forge.Event{Action: "opened", Number: 4, IsPullRequest: true, HeadRef: "AB#1-a", Fork: true}, ""},
		{"peer-09 a fork that is gone", "pull_request", `{"action":"closed","number":4,"pull_request":{"number":4,"user":null,` + head(`null`) + `},` + repo + `}`,
			forge.Event{Action: "closed", Number: 4, IsPullRequest: true, HeadRef: "AB#1-a", Fork: true}, ""},
		{"a workflow run", "workflow_run", `{"action":"completed","workflow_run":{"conclusion":"success","head_branch":"b","head_repository":{"id":7},"pull_requests":[{"number":4,"base":{"repo":{"id":7}}}]},` + repo + `}`,
			forge.Event{Action: "completed", Number: 4, IsPullRequest: true, HeadRef: "b", Conclusion: "success"}, ""},
		{"a workflow run of another repository's pull request", "workflow_run", `{"action":"completed","workflow_run":{"conclusion":"success","head_repository":{"id":7},"pull_requests":[{"number":4,"base":{"repo":{"id":70}}}]},` + repo + `}`,
			forge.Event{Action: "completed", Conclusion: "success"}, ""},
		{"a workflow run of two pull requests", "workflow_run", `{"action":"completed","workflow_run":{"conclusion":"failure","head_repository":null,"pull_requests":[{"number":4},{"number":5}]},` + repo + `}`,
			forge.Event{Action: "completed", Conclusion: "failure", Fork: true}, ""},
		{"a timer", "schedule", `{"schedule":"* * * * *",` + repo + `}`, forge.Event{}, ""},
		{"an event nobody knows", "discussion", `{`, forge.Event{Name: "discussion"}, ""},
		{"cut short", "issues", `{"action":"labeled"`, forge.Event{}, "unexpected end"},
		{"no object", "issues", `[]`, forge.Event{}, "cannot unmarshal"},
		{"something after it", "issues", `{"issue":{"number":3},` + repo + `}{}`, forge.Event{}, "after top-level value"},
		{"no issue", "issues", `{"action":"labeled",` + repo + `}`, forge.Event{}, "it has no issue"},
		{"no pull request", "pull_request_review", `{"action":"submitted",` + repo + `}`, forge.Event{}, "it has no pull_request"},
		{"no number", "issues", `{"issue":{},` + repo + `}`, forge.Event{}, "no number"},
		{"a negative number", "issues", `{"issue":{"number":-1},` + repo + `}`, forge.Event{}, "negative"},
		{"a fraction", "issues", `{"issue":{"number":1.5},` + repo + `}`, forge.Event{}, "cannot unmarshal"},
		{"no repository", "issues", `{"issue":{"number":1}}`, forge.Event{}, "no repository"},
		{"a repository that is none", "issues", `{"issue":{"number":1},"repository":{"full_name":"a/b/c"}}`, forge.Event{}, "is no name"},
		{"too large", "issues", strings.Repeat(" ", 25<<20+1), forge.Event{}, "more than GitHub sends"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := github.ParseEvent(c.event, []byte(c.payload))
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Fatalf("error %v, want %q", err, c.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if c.want.Name == "" {
				c.want.Name, c.want.Repo, c.want.Sender, c.want.DefaultBranch = c.event, shop, wil, "trunk"
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The server's own payloads go the same way as the published ones.
func TestParseServedPayloads(t *testing.T) {
	t.Parallel()
	s, c := start(t, forgetest.Options{})
	n, _, err := s.OpenIssue(forgetest.Writer, "T", "B", "warden")
	if err != nil {
		t.Fatal(err)
	}
	pr := openPull(t, s, c, "warden/issue-1-x")
	review, _, err := s.SubmitReview(forgetest.Maintainer, pr.Number, forge.ChangesRequested, "no", forgetest.InlineComment{Path: "src/a.txt", Line: 1, Body: "here"})
	if err != nil {
		t.Fatal(err)
	}
	comment := must[forge.Comment](t)(c.CreateComment(t.Context(), n, "own"))
	run, err := s.WorkflowRun(forgetest.Maintainer, "wake", pr.Number, "success")
	if err != nil {
		t.Fatal(err)
	}
	var got []forge.Event
	for _, d := range s.Deliveries() {
		e, err := github.ParseEvent(d.Event, d.Payload)
		if err != nil {
			t.Fatal(err)
		}
		if e.Name != "push" {
			got = append(got, e)
		}
	}
	base := func(e forge.Event, who string) forge.Event {
		e.Repo, e.DefaultBranch, e.Sender = s.Repo(), "main", s.User(who)
		return e
	}
	want := []forge.Event{
		base(forge.Event{Name: "issues", Action: "opened", Number: n}, forgetest.Writer),
		base(forge.Event{Name: "issues", Action: "labeled", Number: n, Label: "warden"}, forgetest.Writer),
		base(forge.Event{Name: "pull_request", Action: "opened", Number: pr.Number, IsPullRequest: true, HeadRef: pr.HeadRef}, forgetest.Bot),
		base(forge.Event{Name: "pull_request_review", Action: "submitted", Number: pr.Number, IsPullRequest: true, HeadRef: pr.HeadRef, ReviewID: review}, forgetest.Maintainer),
		base(forge.Event{Name: "pull_request_review_comment", Action: "created", Number: pr.Number, IsPullRequest: true, HeadRef: pr.HeadRef, ReviewID: review, CommentID: review + 1}, forgetest.Maintainer),
		base(forge.Event{Name: "issue_comment", Action: "created", Number: n, CommentID: comment.ID}, forgetest.Bot),
		base(forge.Event{Name: "workflow_run", Action: "completed", Number: pr.Number, IsPullRequest: true, HeadRef: pr.HeadRef, Conclusion: "success"}, forgetest.Maintainer),
	}
	if run.Event != "workflow_run" {
		t.Errorf("event %q", run.Event)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func FuzzParseEvent(f *testing.F) {
	for _, e := range examples(f) {
		for _, payload := range e.Examples {
			f.Add(e.Name, []byte(payload))
		}
	}
	f.Add("workflow_run", []byte(`{"workflow_run":{"pull_requests":[{"number":4}]},"repository":{"full_name":"a/b"}}`))
	f.Fuzz(func(t *testing.T, name string, payload []byte) {
		got, err := github.ParseEvent(name, payload)
		again, err2 := github.ParseEvent(name, payload)
		if got != again || (err == nil) != (err2 == nil) {
			t.Fatalf("two readings differ: %+v %v, %+v %v", got, err, again, err2)
		}
		if got.Name != name || got.Number < 0 {
			t.Fatalf("event %+v", got)
		}
		if err != nil && got != (forge.Event{Name: name}) {
			t.Fatalf("an error with %+v", got)
		}
		if err == nil && got.Repo != (forge.Repo{}) && duplicateFree(payload) {
			checkOracle(t, name, payload, got)
		}
	})
}

// duplicateFree keeps the oracle to payloads that both readings understand in
// one way: encoding/json takes a key in any case for a struct and not for a map.
func duplicateFree(payload []byte) bool {
	var p map[string]any
	if json.Unmarshal(payload, &p) != nil {
		return false
	}
	return plainKeys(p)
}

func plainKeys(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		for k, inner := range v {
			if k != strings.ToLower(k) || strings.ContainsFunc(k, func(r rune) bool { return r > 127 }) || !plainKeys(inner) {
				return false
			}
		}
	case []any:
		for _, inner := range v {
			if !plainKeys(inner) {
				return false
			}
		}
	}
	return true
}
