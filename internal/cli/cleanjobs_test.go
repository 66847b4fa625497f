package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tolboy/warden/internal/clean"
	"github.com/tolboy/warden/internal/corpus"
	"github.com/tolboy/warden/internal/git"
	"github.com/tolboy/warden/internal/metrics"
	"github.com/tolboy/warden/internal/runner"
)

// TestCleanJobs takes away what jobs left, once it is old and copied, and nothing else.
func TestCleanJobs(t *testing.T) {
	t.Parallel()
	home, state := t.TempDir(), t.TempDir()
	job := filepath.Join(state, "octo", "shop")
	old := time.Date(2026, 11, 30, 23, 0, 0, 0, time.UTC)
	put := func(names ...string) {
		t.Helper()
		for _, name := range names {
			dir := filepath.Join(job, name)
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(dir, old, old); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.CopyFS(filepath.Join(job, "runs"), os.DirFS("testdata/ledgers/0.1.0/forge-octo-shop/0")); err != nil {
		t.Fatal(err)
	}
	put("mirror.git", "ledgers.git", "trees/issue-1-1", "judge/issue-1-2.git", "home/issue-1-2", "caches/00", "other")
	g, err := git.New()
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	a := &app{environ: []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}, stdout: &said, stderr: &said, now: func() time.Time { return old.AddDate(0, 2, 0) }}
	look := func(apply bool, days int) *cleaning {
		t.Helper()
		c := &cleaning{a: a, m: &runner.Machine{Git: g, StateDir: state}, before: a.now().AddDate(0, 0, -days), apply: apply}
		if err := c.jobs(t.Context()); err != nil {
			t.Fatal(err)
		}
		return c
	}
	if c := look(true, 365); len(c.gone) > 0 || len(c.kept) != 4 || c.kept[0].Code != clean.TooRecent {
		t.Fatalf("younger than a year: %+v, %+v", c.gone, c.kept)
	}
	if c := look(false, 30); len(c.gone) != 4 || len(c.kept) > 0 || !there(filepath.Join(job, "trees", "issue-1-1")) {
		t.Fatalf("a plan: %+v, %+v", c.gone, c.kept)
	}
	// Where the home takes no copy the run stays, and so does what it may need.
	shelf := filepath.Join(home, ".warden", "ledger")
	if err := os.MkdirAll(filepath.Dir(shelf), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(shelf, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if c := look(true, 30); len(c.kept) != 3 || c.kept[0].Code != clean.NotCopied || !there(filepath.Join(job, "mirror.git")) {
		t.Fatalf("no copy: %+v, %+v", c.gone, c.kept)
	}
	if err := os.Remove(shelf); err != nil {
		t.Fatal(err)
	}
	if c := look(true, 30); len(c.gone) != 3 || len(c.kept) > 0 {
		t.Fatalf("it was taken away: %+v, %+v", c.gone, c.kept)
	}
	for _, name := range []string{"mirror.git", "ledgers.git", "trees/issue-1-1", "judge/issue-1-2.git", "home/issue-1-2", "caches/00", "runs/issue-1-1", "runs/issue-1-2--gates-0"} {
		if there(filepath.Join(job, name)) {
			t.Errorf("%s is still there", name)
		}
	}
	if !there(filepath.Join(job, "other")) {
		t.Error("what is none of ours went too")
	}
	n, err := corpus.At(shelf).Read("forge-octo-shop", metrics.Index{})
	if err != nil || n.RunCount != 2 || !n.Complete {
		t.Errorf("the copies: %+v, %v", n, err)
	}
}
