package forgetest_test

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/tolboy/warden/forge"
	"github.com/tolboy/warden/forge/forgetest"
)

type payload = map[string]any

// published reads the payloads that GitHub published, by event.
func published(t *testing.T) map[string][]payload {
	t.Helper()
	f, err := os.Open("testdata/github-webhook-examples.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var events []struct {
		Name     string
		Examples []payload
	}
	if err := json.NewDecoder(z).Decode(&events); err != nil {
		t.Fatal(err)
	}
	out := map[string][]payload{}
	for _, e := range events {
		out[e.Name] = e.Examples
	}
	return out
}

// story makes every payload that the server can make, once.
func story(t *testing.T) *forgetest.Server {
	t.Helper()
	s := start(t, forgetest.Options{})
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	n, _, err := s.OpenIssue(forgetest.Writer, "T", "B", "warden")
	check(err)
	_, err = s.EditIssue(forgetest.Writer, n, "T2", "B2")
	check(err)
	_, err = s.RemoveLabel(forgetest.Maintainer, n, "warden")
	check(err)
	id, _, err := s.Comment(forgetest.Reader, n, "hello")
	check(err)
	_, err = s.EditComment(forgetest.Reader, id, "hello again")
	check(err)
	_, err = s.DeleteComment(forgetest.Maintainer, id)
	check(err)
	_, _, err = s.PushAs(forgetest.Bot, "warden/x", map[string]string{"a": "a\n"})
	check(err)
	status, _ := post(t, s, "/repos/octo/shop/pulls", map[string]any{"title": "T", "head": "warden/x", "base": "main", "draft": true})
	if status != 201 {
		t.Fatalf("open: %d", status)
	}
	pr := n + 1
	post(t, s, "/repos/octo/shop/pulls/2/requested_reviewers", map[string]any{"reviewers": []string{forgetest.Maintainer}})
	review, _, err := s.SubmitReview(forgetest.Maintainer, pr, forge.ChangesRequested, "", forgetest.InlineComment{Path: "a", Line: 1, Body: "x"})
	check(err)
	_, err = s.EditReview(forgetest.Maintainer, pr, review, "y")
	check(err)
	_, err = s.DismissReview(forgetest.Maintainer, pr, review)
	check(err)
	_, _, err = s.PushAs(forgetest.Writer, "warden/x", map[string]string{"a": "b\n"})
	check(err)
	_, err = s.EditIssue(forgetest.Writer, pr, "T3", "B3")
	check(err)
	_, err = s.AddLabel(forgetest.Writer, pr, "later")
	check(err)
	_, err = s.SetDraft(forgetest.Writer, pr, false)
	check(err)
	_, err = s.SetDraft(forgetest.Writer, pr, true)
	check(err)
	_, err = s.ClosePR(forgetest.Writer, pr)
	check(err)
	_, err = s.ReopenPR(forgetest.Writer, pr)
	check(err)
	_, err = s.CloseIssue(forgetest.Writer, n)
	check(err)
	return s
}

// TestPayloadsAreShapedLikeThePublished compares keys and kinds of values. An
// action that nobody published is compared with the event's other actions.
func TestPayloadsAreShapedLikeThePublished(t *testing.T) {
	t.Parallel()
	examples := published(t)
	compared := map[string]bool{}
	for _, d := range story(t).Deliveries() {
		var got payload
		if err := json.Unmarshal(d.Payload, &got); err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("%s.%v", d.Event, got["action"])
		compared[name] = true
		all := examples[d.Event]
		same := slices.DeleteFunc(slices.Clone(all), func(e payload) bool { return e["action"] != got["action"] })
		if len(same) == 0 {
			same = all
		}
		if len(same) == 0 {
			t.Fatalf("%s: nothing is published", name)
		}
		for _, fault := range shape(got, same, all) {
			t.Errorf("%s: %s", name, fault)
		}
		for _, part := range []string{"issue", "comment", "review", "pull_request", "repository", "sender", "label"} {
			mine, is := got[part].(payload)
			if !is {
				continue
			}
			for _, fault := range missing(mine, parts(all, part)) {
				t.Errorf("%s: %s: %s", name, part, fault)
			}
		}
	}
	if len(compared) < 20 {
		t.Errorf("only %d kinds of payload: %v", len(compared), slices.Sorted(maps.Keys(compared)))
	}
}

func parts(examples []payload, part string) (out []payload) {
	for _, e := range examples {
		if o, is := e[part].(payload); is {
			out = append(out, o)
		}
	}
	return out
}

// shape compares the top level: every key that all the examples have is there,
// and none that no example has. What an edit changed is not in every example.
func shape(got payload, same, all []payload) []string {
	faults := missing(got, same)
	for key := range got {
		known := slices.ContainsFunc(all, func(e payload) bool { _, has := e[key]; return has })
		if !known && key != "changes" && key != "requested_reviewer" && key != "before" && key != "after" {
			faults = append(faults, fmt.Sprintf("key %q is in no published payload", key))
		}
	}
	return faults
}

// ofAnApp are the keys of deliveries to an App or of an organisation's
// repository; this server is neither.
var ofAnApp = map[string]bool{"installation": true, "organization": true}

// missing finds keys that every example has, and values of a kind that none has.
func missing(got payload, examples []payload) (faults []string) {
	for key := range examples[0] {
		kinds := map[string]bool{}
		for _, e := range examples {
			if v, has := e[key]; has {
				kinds[kind(v)] = true
			} else {
				kinds["absent"] = true
			}
		}
		v, has := got[key]
		switch {
		case !has && !kinds["absent"] && !ofAnApp[key]:
			faults = append(faults, fmt.Sprintf("key %q is missing", key))
		case has && v != nil && !kinds[kind(v)] && !kinds["null"]:
			faults = append(faults, fmt.Sprintf("key %q is %s, published as %v", key, kind(v), slices.Sorted(maps.Keys(kinds))))
		}
	}
	return faults
}

func kind(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case string:
		return "string"
	case float64:
		return "number"
	case bool:
		return "boolean"
	case []any:
		return "list"
	}
	return "object"
}
