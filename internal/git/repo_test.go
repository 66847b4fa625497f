package git

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// repo is a repository as an operator has it, worked on with a plain git that
// obeys everything the repository says.
type repo struct {
	t   testing.TB
	dir string
	env []string
}

func newRepo(t testing.TB, files map[string]string) *repo {
	t.Helper()
	r := &repo{t: t, dir: filepath.Join(realDir(t), "repo")}
	home := realDir(t)
	r.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C",
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.org",
		"GIT_AUTHOR_DATE=@1700000000 +0000", "GIT_COMMITTER_DATE=@1700000000 +0000",
	}
	if err := os.MkdirAll(r.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	r.git("init", "-q", "-b", "main")
	for name, text := range files {
		r.write(name, text)
	}
	r.git("add", "-A")
	r.git("commit", "-q", "--allow-empty", "-m", "base")
	return r
}

func realDir(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func (r *repo) path(name string) string { return filepath.Join(r.dir, filepath.FromSlash(name)) }

func (r *repo) write(name, text string) {
	r.t.Helper()
	path := r.path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

func (r *repo) remove(name string) {
	r.t.Helper()
	if err := os.RemoveAll(r.path(name)); err != nil {
		r.t.Fatal(err)
	}
}

func (r *repo) link(name, target string) {
	r.t.Helper()
	if err := os.MkdirAll(filepath.Dir(r.path(name)), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.Symlink(target, r.path(name)); err != nil {
		r.t.Fatal(err)
	}
}

func (r *repo) git(args ...string) string {
	r.t.Helper()
	out, err := r.try(args...)
	if err != nil {
		r.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

func (r *repo) try(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = r.dir, r.env
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if err != nil {
		return out.String() + errs.String(), err
	}
	return strings.TrimRight(out.String(), "\n"), nil
}

func (r *repo) head() string { return r.git("rev-parse", "HEAD") }

func clean(t testing.TB) *Git {
	t.Helper()
	g, err := New()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// judge opens a Judge over r as it is now.
func (r *repo) judge() *Judge { return r.judgeAt(r.head(), filepath.Join(realDir(r.t), "judge.git")) }

func (r *repo) judgeAt(base, gitDir string) *Judge {
	r.t.Helper()
	j, err := clean(r.t).OpenJudge(r.t.Context(), JudgeConfig{
		Worktree: r.dir, GitDir: gitDir, Source: r.path(".git"), Base: base, Head: r.head(),
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return j
}

func look(t testing.TB, j *Judge) Snapshot {
	t.Helper()
	s, err := j.Snapshot(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func paths(s Snapshot) string {
	var out []string
	for _, c := range s.Changes {
		out = append(out, string(c.Kind)+" "+c.Path)
	}
	return strings.Join(out, ", ")
}

func refusals(s Snapshot) string {
	var out []string
	for _, r := range s.Refused {
		out = append(out, r.Path+": "+r.Why)
	}
	return strings.Join(out, "; ")
}

func wantPaths(t testing.TB, s Snapshot, want string) {
	t.Helper()
	if got := paths(s); got != want {
		t.Errorf("changes = %q, want %q", got, want)
	}
}

func spec(parent string) CommitSpec {
	return CommitSpec{Parent: parent, Message: "candidate", Name: "Warden", Email: "warden@example.org", When: time.Unix(1700000100, 0)}
}
