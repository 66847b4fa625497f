package forgetest_test

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tolboy/warden/forge"
	"github.com/tolboy/warden/forge/forgetest"
)

func start(t *testing.T, o forgetest.Options) *forgetest.Server {
	t.Helper()
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
	return s
}

// checkout is a clone with its own home and no configuration of the machine.
type checkout struct {
	t   *testing.T
	dir string
	env []string
}

func (c checkout) git(args ...string) (string, error) {
	c.t.Helper()
	cmd := exec.CommandContext(context.Background(), "git", args...)
	cmd.Dir, cmd.Env = c.dir, c.env
	out, err := cmd.CombinedOutput()
	if strings.Contains(string(out), forgetest.DefaultToken) {
		c.t.Errorf("git %s prints the credential", args[0])
	}
	return string(out), err
}

func (c checkout) must(args ...string) string {
	c.t.Helper()
	out, err := c.git(args...)
	if err != nil {
		c.t.Fatalf("git %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(out)
}

func (c checkout) write(path, text string) {
	c.t.Helper()
	path = filepath.Join(c.dir, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		c.t.Fatal(err)
	}
	c.must("add", "-A")
	c.must("commit", "-q", "-m", "change")
}

// clone clones with a token given by askpass.
func clone(t *testing.T, s *forgetest.Server, token string) checkout {
	t.Helper()
	home := t.TempDir()
	ask := filepath.Join(home, "ask")
	script := "#!/bin/sh\ncase $1 in Username*) echo x-access-token ;; *) echo '" + token + "' ;; esac\n"
	if err := os.WriteFile(ask, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	c := checkout{t: t, dir: home, env: []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_ASKPASS=" + ask, "GIT_TERMINAL_PROMPT=0", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b", "LC_ALL=C",
	}}
	c.must("clone", "-q", s.CloneURL(), "tree")
	c.dir = filepath.Join(home, "tree")
	return c
}

func TestCloneAndPush(t *testing.T) {
	t.Parallel()
	s := start(t, forgetest.Options{})
	c := clone(t, s, forgetest.DefaultToken)
	c.must("checkout", "-q", "-b", "warden/issue-1-x")
	c.write("src/a.txt", "one\n")
	// More than a megabyte goes out in chunks, which CGI has not.
	c.write("big.txt", strings.Repeat("incompressible?", 10)+random(2<<20))
	c.must("push", "-q", "origin", "HEAD")
	head := c.must("rev-parse", "HEAD")
	if got := c.must("ls-remote", "origin", "refs/heads/warden/issue-1-x"); got != head+"\trefs/heads/warden/issue-1-x" {
		t.Errorf("remote has %q, want %s", got, head)
	}
	c.must("push", "-q", "origin", "HEAD:refs/warden/runs/issue-1-1")
	if out, err := c.git("push", "origin", "HEAD:refs/pull/7/head"); err == nil || !strings.Contains(out, "deny updating a hidden ref") {
		t.Errorf("push to a hidden ref: %v: %s", err, out)
	}
	// A lease on a ref that is there already is refused: compare and swap.
	if out, err := c.git("push", "--force-with-lease=refs/warden/runs/issue-1-1:", "origin", "HEAD~1:refs/warden/runs/issue-1-1"); err == nil {
		t.Errorf("a broken lease was taken: %s", out)
	}
	c.must("push", "-q", "--force-with-lease=refs/warden/runs/issue-1-1:"+head, "origin", "+HEAD~1:refs/warden/runs/issue-1-1")
	for _, r := range s.Requests() {
		if r.Route == "" {
			t.Errorf("unknown route %s %s", r.Method, r.Path)
		}
	}
}

func TestGitCredentials(t *testing.T) {
	t.Parallel()
	readOnly := map[string]string{"contents": "read"}
	s := start(t, forgetest.Options{Tokens: []forgetest.Token{
		{Value: forgetest.DefaultToken, Login: forgetest.Bot}, {Value: "ghs_read", Login: "reader[bot]", Permissions: readOnly},
	}})
	c := clone(t, s, "ghs_read")
	c.must("checkout", "-q", "-b", "warden/x")
	c.write("a", "a\n")
	if out, err := c.git("push", "origin", "HEAD"); err == nil || !strings.Contains(out, "403") {
		t.Errorf("push with a token that may only read: %v: %s", err, out)
	}
	if v := s.Violations(); len(v) != 0 {
		t.Errorf("violations %v", v)
	}
	anonymous := checkout{t: t, dir: t.TempDir(), env: append(c.env, "GIT_ASKPASS=true")}
	if out, err := anonymous.git("clone", "-q", s.CloneURL(), "tree"); err == nil {
		t.Errorf("clone without a credential: %s", out)
	}
	if v := s.Violations(); len(v) != 0 { // git always asks without one first
		t.Errorf("violations %v", v)
	}
	wrong := checkout{t: t, dir: t.TempDir(), env: append(c.env, "GIT_ASKPASS=echo")}
	if out, err := wrong.git("clone", "-q", s.CloneURL(), "tree"); err == nil {
		t.Errorf("clone with a wrong credential: %s", out)
	}
	if v := s.TakeViolations(); len(v) == 0 || v[0].Kind != forgetest.BadCredential {
		t.Errorf("violations %v, want a bad credential", v)
	}
}

func TestWorkflowPushRefused(t *testing.T) {
	t.Parallel()
	s := start(t, forgetest.Options{Faults: forgetest.Faults{RefuseWorkflows: true}})
	c := clone(t, s, forgetest.DefaultToken)
	c.must("checkout", "-q", "-b", "warden/x")
	c.write("src/a", "a\n")
	c.must("push", "-q", "origin", "HEAD")
	c.write(".github/workflows/ci.yml", "on: push\n")
	c.must("rm", "-q", "-r", ".github")
	c.write("src/b", "b\n") // gone again in the tip, but the push brings the commit
	const want = "! [remote rejected] HEAD -> warden/x (refusing to allow a GitHub App to create or update workflow `.github/workflows/ci.yml` without `workflows` permission)"
	out, err := c.git("push", "origin", "HEAD")
	if err == nil || !strings.Contains(out, want) {
		t.Errorf("peer-13 push of a workflow: %v: %s", err, out)
	}
	if out, err := c.git("push", "--dry-run", "origin", "HEAD"); err != nil {
		t.Errorf("a dry run does not notice it on the real forge: %s", out)
	}
	out, err = c.git("push", "--porcelain", "origin", "HEAD", "HEAD~3:refs/heads/warden/fine")
	if err == nil || !strings.Contains(out, "refusing to allow") || !strings.Contains(out, "[new branch]") {
		t.Errorf("push of two: %v: %s", err, out)
	}
	s.SetFaults(forgetest.Faults{})
	c.must("push", "-q", "origin", "HEAD")
}

func TestPushToForeignBranchIsAViolation(t *testing.T) {
	t.Parallel()
	s := start(t, forgetest.Options{})
	if _, _, err := s.PushAs(forgetest.Writer, "theirs", map[string]string{"a": "a\n"}); err != nil {
		t.Fatal(err)
	}
	c := clone(t, s, forgetest.DefaultToken)
	c.write("b", "b\n")
	for _, ref := range []string{"main", "theirs"} {
		c.must("push", "-q", "--force", "origin", "HEAD:"+ref)
		if v := s.TakeViolations(); len(v) != 1 || v[0].Kind != forgetest.ForeignPush {
			t.Errorf("%s: violations %v", ref, v)
		}
	}
	c.must("push", "-q", "origin", "HEAD:warden/own")
	// A person adds to the bot's branch; it stays the bot's.
	if _, _, err := s.PushAs(forgetest.Writer, "warden/own", map[string]string{"c": "c\n"}); err != nil {
		t.Fatal(err)
	}
	if out, err := c.git("push", "origin", "HEAD~1:warden/own"); err == nil {
		t.Errorf("peer-16 a push over a person's commit: %s", out)
	}
	c.must("push", "-q", "--force", "origin", "HEAD:warden/own")
}

func TestDroppedGitRoutes(t *testing.T) {
	t.Parallel()
	for _, route := range []string{"git.fetch.refs", "git.fetch", "git.push.refs", "git.push"} {
		t.Run(route, func(t *testing.T) {
			t.Parallel()
			s := start(t, forgetest.Options{})
			c := clone(t, s, forgetest.DefaultToken)
			if _, _, err := s.PushAs(forgetest.Writer, "new", map[string]string{"a": "a\n"}); err != nil {
				t.Fatal(err)
			}
			c.write("b", "b\n")
			if err := s.DropRoute(route, http.StatusInternalServerError); err != nil {
				t.Fatal(err)
			}
			_, fetchErr := c.git("fetch", "origin", "refs/heads/new")
			_, pushErr := c.git("push", "origin", "HEAD:warden/x")
			if (fetchErr != nil) != strings.HasPrefix(route, "git.fetch") || (pushErr != nil) != strings.HasPrefix(route, "git.push") {
				t.Errorf("fetch: %v; push: %v", fetchErr, pushErr)
			}
		})
	}
}

func TestHeadFollowsPush(t *testing.T) {
	t.Parallel()
	s := start(t, forgetest.Options{})
	c := clone(t, s, forgetest.DefaultToken)
	c.write("src/a", "a\n")
	c.must("push", "-q", "origin", "HEAD:warden/x")
	status, pr := post(t, s, "/repos/octo/shop/pulls", map[string]any{"title": "T", "head": "warden/x", "base": "main", "draft": true})
	if status != http.StatusCreated {
		t.Fatalf("open: %d %v", status, pr)
	}
	if _, _, err := s.SubmitReview(forgetest.Writer, 1, forge.Approved, "fine", forgetest.InlineComment{Path: "src/a", Line: 9}); err == nil {
		t.Error("a remark on a line outside the diff was taken")
	}
	c.write("src/a", "b\n")
	c.must("push", "-q", "origin", "HEAD:warden/x")
	head := c.must("rev-parse", "HEAD")
	if got := c.must("ls-remote", "origin", "refs/pull/1/head"); got != head+"\trefs/pull/1/head" {
		t.Errorf("refs/pull/1/head is %q, want %s", got, head)
	}
	last := s.Deliveries()[len(s.Deliveries())-1]
	if last.Event != "pull_request" || !strings.Contains(string(last.Payload), `"action":"synchronize"`) || !strings.Contains(string(last.Payload), `"after":"`+head) {
		t.Errorf("last delivery %s %s", last.Event, last.Payload)
	}
	c.must("push", "-q", "origin", ":warden/x")
	if _, got := get(t, s, "/repos/octo/shop/pulls/1"); got["state"] != "closed" {
		t.Errorf("state %v after the branch is gone", got["state"])
	}
}
