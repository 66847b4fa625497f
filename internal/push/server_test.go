package push

import (
	"bytes"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tolboy/warden/internal/git"
)

const token = "ghs_canary.TOKEN-with_signs/42+x"

// server is a real git over HTTP on loopback, behind basic authentication.
type server struct {
	t        *testing.T
	root     string // of the bare repository
	url      string
	front    *httptest.Server
	env      []string
	requests atomic.Int64
	watch    atomic.Pointer[func()] // called for each authenticated request
}

func newServer(t *testing.T) *server {
	t.Helper()
	base := realDir(t)
	s := &server{t: t, root: filepath.Join(base, "o", "r.git"), env: []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + base, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C", "GIT_TERMINAL_PROMPT=0",
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.org",
	}}
	s.run(base, "init", "-q", "--bare", s.root)
	s.run(s.root, "config", "http.receivepack", "true")
	backend := &cgi.Handler{
		Path: filepath.Join(s.run(base, "--exec-path"), "git-http-backend"),
		Env:  []string{"GIT_PROJECT_ROOT=" + base, "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null"},
	}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests.Add(1)
		if user, pass, ok := r.BasicAuth(); !ok || user != "x-access-token" || pass != token {
			w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		r.Header.Del("Authorization")
		if f := s.watch.Load(); f != nil {
			(*f)()
		}
		backend.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	s.front = front
	s.url = front.URL + "/o/r.git"
	return s
}

func (s *server) remote() Remote {
	return Remote{URL: s.url, Credential: Credential{Username: "x-access-token", Token: token}}
}

// hook installs a hook of the remote repository.
func (s *server) hook(name, script string) {
	s.t.Helper()
	if err := os.MkdirAll(filepath.Join(s.root, "hooks"), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.root, "hooks", name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		s.t.Fatal(err)
	}
}

// at returns where a ref of the remote points, or "".
func (s *server) at(ref string) string {
	out, _ := s.try(s.root, "rev-parse", "--verify", "--quiet", ref)
	return out
}

func (s *server) run(dir string, args ...string) string {
	s.t.Helper()
	out, err := s.try(dir, args...)
	if err != nil {
		s.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

func (s *server) try(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, s.env
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return out.String() + errs.String(), err
	}
	return strings.TrimSpace(out.String()), nil
}

// local is a git directory of Warden's own with a chain of commits in it.
type local struct {
	dir     string
	commits []string
}

func newLocal(s *server, n int) local {
	s.t.Helper()
	l := local{dir: filepath.Join(realDir(s.t), "own.git")}
	if err := git.MakeDir(git.DirSpec{Dir: l.dir, Bare: true}); err != nil {
		s.t.Fatal(err)
	}
	tree := s.run(l.dir, "--git-dir="+l.dir, "mktree")
	for i := range n {
		args := []string{"--git-dir=" + l.dir, "commit-tree", tree, "-m", string(rune('a' + i))}
		if i > 0 {
			args = append(args, "-p", l.commits[i-1])
		}
		l.commits = append(l.commits, s.run(l.dir, args...))
	}
	return l
}

// human pushes a commit to a branch of the remote, past Warden, and returns it.
func (s *server) human(branch, parent string) string {
	s.t.Helper()
	id := s.run(s.root, "commit-tree", s.run(s.root, "mktree"), "-m", "human", "-p", parent)
	s.run(s.root, "update-ref", "refs/heads/"+branch, id)
	return id
}

func realDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func newPusher(t *testing.T, prefixes ...string) *Pusher {
	t.Helper()
	g, err := git.New()
	if err != nil {
		t.Fatal(err)
	}
	return New(g, prefixes...)
}
