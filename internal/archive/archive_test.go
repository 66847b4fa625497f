package archive_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tolboy/warden/internal/archive"
	"github.com/tolboy/warden/internal/push"
)

// remote is a forge that keeps refs and trees in memory.
type remote struct {
	refs    map[string]string
	commits map[string]map[string]string // commit -> path -> content
	fetched int

	together int  // times that several refs were to move at once
	single   bool // which this forge does not do
}

func newRemote() *remote {
	return &remote{refs: map[string]string{}, commits: map[string]map[string]string{}}
}

func (r *remote) Refs(_ context.Context, _ push.Remote, patterns ...string) (map[string]string, error) {
	out := map[string]string{}
	for ref, commit := range r.refs {
		if strings.HasPrefix(ref, strings.TrimSuffix(patterns[0], "*")) {
			out[ref] = commit
		}
	}
	return out, nil
}

func (r *remote) Fetch(context.Context, push.Remote, string, ...string) error {
	r.fetched++
	return nil
}

func (r *remote) ReadTree(_ context.Context, _, commit, dir string) error {
	for name, text := range r.commits[commit] {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func (r *remote) LedgerCommit(_ context.Context, _ string, files map[string]string, _, _ string, _ time.Time, _ ...string) (string, error) {
	tree := map[string]string{}
	for name, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			return "", err
		}
		tree[name] = string(text)
	}
	id := fmt.Sprintf("c%d", len(r.commits)+1)
	r.commits[id] = tree
	return id, nil
}

func (r *remote) Ref(_ context.Context, _ push.Remote, _, commit, ref, expectOld string) error {
	if r.refs[ref] != expectOld {
		return push.ErrLease
	}
	r.refs[ref] = commit
	return nil
}

func (r *remote) Together(_ context.Context, _ push.Remote, _ string, updates ...push.Update) error {
	r.together++
	if r.single {
		return push.ErrNotAtomic
	}
	for _, u := range updates {
		if r.refs[u.Ref] != u.Expect {
			return push.ErrLease
		}
	}
	for _, u := range updates {
		r.refs[u.Ref] = u.Commit
	}
	return nil
}

const run = "issue-7-1"

func worker(t *testing.T, r *remote) *archive.Archive {
	t.Helper()
	return &archive.Archive{Transport: r, RunsDir: t.TempDir(), Now: func() time.Time { return time.Unix(1, 0) }}
}

func write(t *testing.T, a *archive.Archive, name, text string) {
	t.Helper()
	path := filepath.Join(a.RunsDir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func chain(t *testing.T, a *archive.Archive) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(a.RunsDir, run, "evidence.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func sync(t *testing.T, a *archive.Archive) {
	t.Helper()
	ids, err := a.Sync(t.Context(), "issue-7-")
	if err != nil || !slices.Equal(ids, []string{run}) {
		t.Fatalf("sync: %q, %v", ids, err)
	}
}

func TestOneWorkerHasTheRun(t *testing.T) {
	t.Parallel()
	r := newRemote()
	first, second := worker(t, r), worker(t, r)
	write(t, first, run+"/evidence.jsonl", "1\n")
	write(t, second, run+"/evidence.jsonl", "one\n")
	if err := first.Save(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	if err := second.Save(t.Context(), run); !errors.Is(err, archive.ErrTaken) {
		t.Errorf("a second claim: %v", err)
	}
	write(t, first, run+"/evidence.jsonl", "1\n2\n")
	if err := first.Save(t.Context(), run); err != nil {
		t.Errorf("the owner goes on: %v", err)
	}
	sync(t, second)
	if got := chain(t, second); got != "1\n2\n" {
		t.Errorf("the loser has %q", got)
	}
	if err := second.Save(t.Context(), run); err != nil {
		t.Errorf("whoever read the last write goes on: %v", err)
	}
	if err := first.Save(t.Context(), run); !errors.Is(err, archive.ErrTaken) {
		t.Errorf("a write over one that was not read: %v", err)
	}
}

func TestLocalLedger(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, local, want string }{
		{"only_further_is_kept", "1\n2\n3\n", "1\n2\n3\n"},
		{"the_same_is_kept", "1\n2\n", "1\n2\n"},
		{"behind_is_replaced", "1\n", "1\n2\n"},
		{"another_is_replaced", "1\nx\n3\n", "1\n2\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRemote()
			writer, reader := worker(t, r), worker(t, r)
			write(t, writer, run+"/evidence.jsonl", "1\n2\n")
			if err := writer.Save(t.Context(), run); err != nil {
				t.Fatal(err)
			}
			write(t, reader, run+"/evidence.jsonl", tt.local)
			sync(t, reader)
			if got := chain(t, reader); got != tt.want {
				t.Errorf("the chain is %q, want %q", got, tt.want)
			}
			sync(t, reader)
			if r.fetched != 1 {
				t.Errorf("fetched %d times what did not move", r.fetched)
			}
		})
	}
}

// TestListed holds that a listing serves once, and only for what it is about.
func TestListed(t *testing.T) {
	t.Parallel()
	r := newRemote()
	writer, reader := worker(t, r), worker(t, r)
	write(t, writer, run+"/evidence.jsonl", "1\n")
	if err := writer.Save(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	reader.Listed = map[string]string{"refs/heads/main": "x", archive.Ref("issue-70-1"): "x", archive.Ref(run): r.refs[archive.Ref(run)]}
	write(t, writer, run+"/evidence.jsonl", "1\n2\n")
	if err := writer.Save(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"1\n", "1\n2\n"} {
		sync(t, reader)
		if got := chain(t, reader); got != want {
			t.Errorf("the chain is %q, want %q", got, want)
		}
	}
}

func TestWhatLeaves(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		full, pictures bool
		want           []string
	}{
		{false, true, []string{run + "--review-0/report.json", run + "--visual-qa-0/screenshots/01.png", run + "/evidence.jsonl"}},
		{false, false, []string{run + "--review-0/report.json", run + "/evidence.jsonl"}},
		{true, false, []string{run + "--review-0/raw/reviewer.stdout.txt", run + "--review-0/report.json", run + "/evidence.jsonl"}},
	} {
		t.Run(fmt.Sprintf("full_%t_pictures_%t", tt.full, tt.pictures), func(t *testing.T) {
			t.Parallel()
			r := newRemote()
			a := worker(t, r)
			a.Full, a.Pictures = tt.full, tt.pictures
			write(t, a, run+"/evidence.jsonl", "1\n")
			write(t, a, run+"--review-0/report.json", "{}")
			write(t, a, run+"--visual-qa-0/screenshots/01.png", "a picture")
			write(t, a, run+"--review-0/raw/reviewer.stdout.txt", "what a model said")
			write(t, a, run+"0/evidence.jsonl", "of another run\n")
			if err := os.Symlink(filepath.Join(a.RunsDir, run+"0", "evidence.jsonl"), filepath.Join(a.RunsDir, run, "link.json")); err != nil {
				t.Fatal(err)
			}
			if err := a.Save(t.Context(), run); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, slices.Sorted(maps.Keys(r.commits[r.refs[archive.Ref(run)]]))); diff != "" {
				t.Errorf("published (-want +got):\n%s", diff)
			}
		})
	}
}
