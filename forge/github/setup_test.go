package github_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/tolboy/warden/forge"
	"github.com/tolboy/warden/forge/forgetest"
	"github.com/tolboy/warden/forge/github"
)

// start makes a server whose every exchange is held against GitHub's
// description, and a client of it. A violation that the test does not take
// fails it.
func start(t *testing.T, o forgetest.Options) (*forgetest.Server, *github.Client) {
	t.Helper()
	d, err := loadDescription()
	if err != nil {
		t.Fatal(err)
	}
	o.Validate = d.validate
	s, err := forgetest.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, v := range s.Violations() {
			t.Errorf("violation: %s: %s", v.Kind, v.Text)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, client(t, s, forgetest.DefaultToken)
}

func client(t *testing.T, s *forgetest.Server, token string) *github.Client {
	t.Helper()
	c, err := github.New(github.Config{
		Repo: s.Repo(), APIURL: s.APIURL(), GraphQLURL: s.GraphQLURL(),
		Token:      func(context.Context) (string, error) { return token, nil },
		HTTPClient: &http.Client{Transport: &http.Transport{}, Timeout: 30 * time.Second},
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func must[T any](t *testing.T) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// openPull pushes a branch as the bot would have and opens a draft for it.
func openPull(t *testing.T, s *forgetest.Server, c *github.Client, branch string) forge.PullRequest {
	t.Helper()
	if _, _, err := s.PushAs(forgetest.Bot, branch, map[string]string{"src/a.txt": "one\ntwo\nthree\n"}); err != nil {
		t.Fatal(err)
	}
	pr, err := c.OpenDraft(t.Context(), forge.NewPullRequest{Title: "T", Body: "B", HeadRef: branch, BaseRef: s.DefaultBranch()})
	if err != nil {
		t.Fatal(err)
	}
	return pr
}
