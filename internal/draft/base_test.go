package draft_test

import (
	"testing"

	"github.com/tolboy/warden/internal/draft"
	"github.com/tolboy/warden/internal/git"
)

// TestBase holds that the first contract names a ref that is there.
func TestBase(t *testing.T) {
	t.Parallel()
	g, err := git.New()
	if err != nil {
		t.Fatal(err)
	}
	const remote = "refs/remotes/origin/"
	for name, c := range map[string]struct {
		do   [][]string
		want string
	}{
		"no origin":       {nil, "trunk"},
		"no commit":       {[][]string{{"symbolic-ref", "HEAD", "refs/heads/unborn"}}, "unborn"},
		"detached":        {[][]string{{"checkout", "-q", "--detach"}}, "HEAD"},
		"master":          {[][]string{{"update-ref", remote + "master", "HEAD"}}, "origin/master"},
		"main first":      {[][]string{{"update-ref", remote + "master", "HEAD"}, {"update-ref", remote + "main", "HEAD"}}, "origin/main"},
		"as origin says":  {[][]string{{"update-ref", remote + "main", "HEAD"}, {"update-ref", remote + "dev", "HEAD"}, {"symbolic-ref", remote + "HEAD", remote + "dev"}}, "origin/dev"},
		"origin is stale": {[][]string{{"symbolic-ref", remote + "HEAD", remote + "gone"}}, "trunk"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for _, args := range append([][]string{
				{"init", "-q", "-b", "trunk"}, {"-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-q", "--allow-empty", "-m", "x"},
			}, c.do...) {
				if _, err := g.Run(t.Context(), dir, args...); err != nil {
					t.Fatal(err)
				}
			}
			if got, err := draft.Base(t.Context(), g, dir); got != c.want || err != nil {
				t.Errorf("Base = %q, %v, want %q", got, err, c.want)
			}
		})
	}
}
