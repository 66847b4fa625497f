package push

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tolboy/warden/internal/git"
)

// newOperator is a person with a home, in which a credential helper knows the server,
// a hook waits, and every push would ask the forge to merge.
func newOperator(t *testing.T, helper string) (o Operator, home string) {
	t.Helper()
	g, err := git.New()
	if err != nil {
		t.Fatal(err)
	}
	home = realDir(t)
	hooks := filepath.Join(home, "hooks")
	if err := os.MkdirAll(hooks, 0o700); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		"hooks/pre-push": "#!/bin/sh\ntouch " + home + "/canary\n",
		".gitconfig":     "[core]\n\thooksPath = " + hooks + "\n[push]\n\tpushOption = merge_request.merge_when_pipeline_succeeds\n\tfollowTags = true\n" + helper,
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return Operator{Git: g, Environ: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_CONFIG_NOSYSTEM=1", "GIT_DIR=/nowhere", "GIT_CONFIG_COUNT=broken"}}, home
}

func TestOperator(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	l, ctx := newLocal(s, 3), t.Context()
	helper := "[credential]\n\thelper = \"!f() { test \\\"$1\\\" = get && printf 'username=x-access-token\\\\npassword=" + token + "\\\\n'; }; f\"\n"
	o, home := newOperator(t, helper)
	const topic = "topic"
	if err := o.Branch(ctx, s.url, l.dir, l.commits[0], topic, ""); err != nil {
		t.Fatal(err)
	}
	if err := o.Branch(ctx, s.url, l.dir, l.commits[0], topic, ""); err != nil {
		t.Errorf("the same push again: %v", err)
	}
	if err := o.Branch(ctx, s.url, l.dir, l.commits[1], topic, ""); !errors.Is(err, ErrLease) {
		t.Errorf("a branch that should not exist: %v", err)
	}
	if err := o.Branch(ctx, s.url, l.dir, l.commits[1], topic, l.commits[0]); err != nil {
		t.Errorf("forward: %v", err)
	}
	// The lease alone would let a branch go back.
	if err := o.Branch(ctx, s.url, l.dir, l.commits[0], topic, l.commits[1]); !errors.Is(err, ErrRewrite) {
		t.Errorf("back: %v", err)
	}
	if got := s.at("refs/heads/" + topic); got != l.commits[1] {
		t.Errorf("the branch is at %s, want %s", got, l.commits[1])
	}
	s.run(s.root, "symbolic-ref", "HEAD", "refs/heads/"+topic)
	if err := o.Branch(ctx, s.url, l.dir, l.commits[2], topic, l.commits[1]); !errors.Is(err, ErrDefaultBranch) {
		t.Errorf("the default branch: %v", err)
	}
	if _, err := os.Lstat(filepath.Join(home, "canary")); err == nil {
		t.Error("the operator's hook ran")
	}
	// Without the helper there is no credential, and nobody is asked for one.
	stranger, _ := newOperator(t, "")
	if err := stranger.Branch(ctx, s.url, l.dir, l.commits[0], "other", ""); err == nil {
		t.Error("the server took a push of nobody")
	}
}

func TestOperatorURL(t *testing.T) {
	t.Parallel()
	for _, to := range []string{"https://forge.example/o/r.git", "ssh://git@forge.example:22/o/r", "git@forge.example:o/r.git", "file:///srv/r.git", "/srv/r.git", "http://127.0.0.1:1/r", "ssh://git@[::1]/r"} {
		if err := CheckOperatorURL(to); err != nil {
			t.Errorf("%q: %v", to, err)
		}
	}
	for _, to := range []string{"", "ext::sh -c id", "::sh", "fd::3", "-u", "--upload-pack=x", "http://forge.example/r", "git://forge.example/r", "ftp://x/r", "ssh://-oProxyCommand=id/r", "relative/path", "a b:c", "https://ann:" + token + "@forge.example/r", "https://x/\ny"} {
		if err := CheckOperatorURL(to); err == nil {
			t.Errorf("%q was taken", to)
		}
	}
	for to, want := range map[string]string{
		"https://ann:pw@forge.example/r": "https://forge.example/r", "https://token@forge.example/r": "https://forge.example/r",
		"https://ann:" + token + "@forge.example/r": "https://***", "file:///srv/r.git": "file:///srv/r.git", "/srv/r": "/srv/r",
		"ssh://git@forge.example/r": "ssh://git@forge.example/r", "git@forge.example:r": "git@forge.example:r",
	} {
		if got := Shown(to); got != want {
			t.Errorf("%q is shown as %q", to, got)
		}
	}
}

// TestOperatorURLWithToken lets a server fail on a URL that holds a token.
func TestOperatorURLWithToken(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	l := newLocal(s, 1)
	o, _ := newOperator(t, "")
	to := strings.Replace(s.url, "http://", "http://ann:secret-in-the-url@", 1)
	err := o.Branch(t.Context(), to, l.dir, l.commits[0], "topic", "")
	if err == nil || strings.Contains(err.Error(), "secret-in-the-url") {
		t.Errorf("error %v", err)
	}
}
