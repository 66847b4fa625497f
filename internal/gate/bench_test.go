package gate_test

import (
	"context"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/gate"
	"github.com/tolboy/warden/internal/git"
)

// bench is a repository with a judge that looks at it.
type bench struct {
	t    *testing.T
	git  *git.Git
	dir  string
	base string
}

// newBench makes a repository with one commit of the given files, a base ref
// named main and a branch named work that is checked out.
func newBench(t *testing.T, files ...string) *bench {
	t.Helper()
	g, err := git.New()
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, git: g, dir: t.TempDir()}
	if slices.Equal(files, contracted) {
		// Most tests begin here, and a copy costs less than six calls of git.
		b.copy()
		return b
	}
	b.begin(files...)
	return b
}

func (b *bench) begin(files ...string) {
	b.t.Helper()
	b.run("init", "--quiet", "--initial-branch=main")
	b.write(files...)
	b.commit("base")
	b.run("checkout", "--quiet", "-b", "work")
	b.base = b.head()
}

var template struct {
	once sync.Once
	dir  string
	base string
}

func (b *bench) copy() {
	b.t.Helper()
	template.once.Do(func() {
		first := &bench{t: b.t, git: b.git, dir: template.dir}
		first.begin(contracted...)
		template.base = first.base
	})
	if template.base == "" {
		b.t.Fatal("the first repository could not be made")
	}
	if err := os.CopyFS(b.dir, os.DirFS(template.dir)); err != nil {
		b.t.Fatal(err)
	}
	b.base = template.base
}

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "gate")
	if err != nil {
		log.Fatal(err)
	}
	template.dir = dir
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

func (b *bench) run(args ...string) string {
	b.t.Helper()
	out, err := b.git.Run(b.t.Context(), b.dir, args...)
	if err != nil {
		b.t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

func (b *bench) commit(message string) {
	b.t.Helper()
	b.run("add", "--all")
	b.run("-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "--quiet", "--allow-empty", "-m", message)
}

func (b *bench) head() string { b.t.Helper(); return b.run("rev-parse", "HEAD") }

func (b *bench) write(files ...string) {
	b.t.Helper()
	for i := 0; i+1 < len(files); i += 2 {
		path := filepath.Join(b.dir, files[i])
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			b.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(files[i+1]), 0o644); err != nil {
			b.t.Fatal(err)
		}
	}
}

func (b *bench) judge() *counting {
	b.t.Helper()
	j, err := b.git.OpenJudge(b.t.Context(), git.JudgeConfig{
		Worktree: b.dir, GitDir: filepath.Join(b.t.TempDir(), "judge.git"), Source: filepath.Join(b.dir, ".git"), Base: b.base, Head: b.head(),
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return &counting{judge: j}
}

// counting counts how often the tree was looked at.
type counting struct {
	judge gate.Judge
	looks int
}

func (c *counting) Snapshot(ctx context.Context) (git.Snapshot, error) {
	c.looks++
	return c.judge.Snapshot(ctx)
}

func (b *bench) contract() contract.Snapshot {
	b.t.Helper()
	s, err := gate.TakeContract(b.dir)
	if err != nil {
		b.t.Fatal(err)
	}
	return s
}

func task(commands ...string) contract.Task {
	return contract.Task{ID: "t1", Project: "p", BaseRef: "main", Scope: []string{"src"}, Acceptance: commands, Timeout: time.Minute}
}

func (b *bench) request(commands ...string) gate.Request {
	b.t.Helper()
	return gate.Request{
		Task: task(commands...), Root: b.dir, Judge: b.judge(), MergeBase: b.base, Contract: b.contract(),
		Runner: gate.Runner{Env: []string{"PATH=" + os.Getenv("PATH")}},
	}
}

// gates runs the request; an error fails the test.
func gates(t *testing.T, req gate.Request) gate.Report {
	t.Helper()
	r, err := gate.Run(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if r.FinishedAt.IsZero() || r.DoesNotCover == "" || r.SchemaVersion != 1 {
		t.Errorf("report is not complete: %+v", r)
	}
	return r
}

// contracted are the files of a project with one task.
var contracted = []string{
	".warden/project.yaml", "version: 1\nproject: p\nchecks:\n  fast: [\"true\"]\n",
	".warden/tasks/t1.yaml", "version: 1\nid: t1\ngoal: g\nscope: [src]\n",
	"src/a.txt", "a\n", "other.txt", "o\n",
}
