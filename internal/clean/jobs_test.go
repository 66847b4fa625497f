package clean_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tolboy/warden/internal/clean"
	"github.com/tolboy/warden/internal/ledger"
)

// ofIssue are the ledgers of two runs for one issue: one refused, one accepted.
const ofIssue = "../cli/testdata/ledgers/0.1.0/forge-octo-shop/0"

// TestJobs looks at what jobs left, a month after it.
func TestJobs(t *testing.T) {
	t.Parallel()
	month := time.Date(2027, 1, 10, 0, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		now    time.Time
		change func(t *testing.T, job string)
		runs   clean.Reason
		tree   clean.Reason
		mirror clean.Reason
		linked string
	}{
		"all of it is old":   {now: month},
		"the runs are young": {now: noon, runs: clean.TooRecent, mirror: clean.Continued, tree: clean.TooRecent},
		"a tree of nobody is young": {now: month, tree: clean.TooRecent, mirror: clean.TooRecent, change: func(t *testing.T, job string) {
			lay(t, filepath.Join(job, "trees", "issue-7-1"), month.Add(-time.Hour))
		}},
		"something was fetched": {now: month, mirror: clean.TooRecent, change: func(t *testing.T, job string) {
			lay(t, filepath.Join(job, "mirror.git", "objects", "pack"), month.Add(-23*time.Hour))
		}},
		"the runs are a link":  {now: month, linked: "runs", change: func(t *testing.T, job string) { link(t, job, "runs") }},
		"the mirror is a link": {now: month, linked: "mirror.git", change: func(t *testing.T, job string) { link(t, job, "mirror.git") }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			state := t.TempDir()
			job := filepath.Join(state, "octo", "shop")
			if err := os.CopyFS(filepath.Join(job, "runs"), os.DirFS(ofIssue)); err != nil {
				t.Fatal(err)
			}
			old := noon.Add(-time.Hour)
			for _, dir := range []string{"ledgers.git", "mirror.git/objects/pack", "trees/issue-7-1", "trees/issue-1-1", "judge/issue-1-1.git", "home/issue-1-2"} {
				lay(t, filepath.Join(job, dir), old)
			}
			if tt.change != nil {
				tt.change(t, job)
			}
			for _, dir := range []string{"mirror.git/objects", "mirror.git"} {
				lay(t, filepath.Join(job, dir), old)
			}
			// However little is asked to be kept, it is a day at least.
			jobs, err := clean.Jobs(state, tt.now, tt.now)
			if err != nil || len(jobs) != 1 || jobs[0].Dir != job {
				t.Fatalf("%+v, %v", jobs, err)
			}
			j := jobs[0]
			if tt.linked != "" {
				if j.Linked != filepath.Join(job, tt.linked) || len(j.Runs)+len(j.Loose) > 0 {
					t.Errorf("through a link: %+v", j)
				}
				return
			}
			for _, f := range j.Runs {
				if f.Reason != tt.runs {
					t.Errorf("run %s: %q", f.RunID, f.Reason)
				}
			}
			if len(j.Runs) != 2 || len(j.Loose) != 1 || j.Loose[0].Reason != tt.tree || j.Mirror != tt.mirror {
				t.Errorf("%+v", j)
			}
		})
	}
}

func link(t *testing.T, job, name string) {
	t.Helper()
	away := filepath.Join(t.TempDir(), "x")
	if err := os.Rename(filepath.Join(job, name), away); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(away, filepath.Join(job, name)); err != nil {
		t.Fatal(err)
	}
}

// TestReadRef takes a ref for what it is: another's data.
func TestReadRef(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		with   []string // what the commit holds, of both runs
		before time.Time
		want   clean.Reason
		change func(t *testing.T, dir string)
	}{
		"old":            {[]string{"issue-1-2"}, noon.AddDate(0, 0, 30), "", nil},
		"young":          {[]string{"issue-1-2"}, noon, clean.TooRecent, nil},
		"two runs":       {[]string{"issue-1-1", "issue-1-2"}, noon.AddDate(0, 0, 30), clean.Altered, nil},
		"another's":      {[]string{"issue-1-1"}, noon.AddDate(0, 0, 30), clean.Altered, nil},
		"something else": {[]string{"issue-1-2", "receipts.jsonl"}, noon.AddDate(0, 0, 30), clean.Altered, nil},
		"undecided":      {[]string{"issue-1-2"}, noon.AddDate(0, 0, 30), clean.Waiting, reopen},
		"evidence was changed": {[]string{"issue-1-2"}, noon.AddDate(0, 0, 30), clean.Altered, func(t *testing.T, dir string) {
			put(t, filepath.Join(dir, "issue-1-2--gates-0", "machine-gate.json"), "{}")
		}},
		"a line was changed": {[]string{"issue-1-2"}, noon.AddDate(0, 0, 30), clean.Altered, func(t *testing.T, dir string) {
			name := filepath.Join(dir, "issue-1-2", "evidence.jsonl")
			put(t, name, strings.Replace(read(t, name), `"implementer"`, `"implemented"`, 1))
		}},
		"nothing": {nil, noon.AddDate(0, 0, 30), clean.Altered, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for _, what := range tt.with {
				found, err := filepath.Glob(filepath.Join(ofIssue, what+"*"))
				if err != nil {
					t.Fatal(err)
				}
				for _, from := range found {
					laid(t, from, filepath.Join(dir, filepath.Base(from)))
				}
			}
			if tt.change != nil {
				tt.change(t, dir)
			}
			f, err := clean.ReadRef(dir, "issue-1-2", tt.before)
			if err != nil || f.Reason != tt.want || f.RunID != "issue-1-2" {
				t.Errorf("%+v, %v; want %q", f, err, tt.want)
			}
		})
	}
}

// reopen takes the answer off a run, as if nobody had said it.
func reopen(t *testing.T, dir string) {
	t.Helper()
	name := filepath.Join(dir, "issue-1-2", "evidence.jsonl")
	before, _, found := strings.Cut(read(t, name), `"type":"human_decision",`)
	if !found {
		t.Fatal("nobody answered")
	}
	put(t, name, before[:strings.LastIndexByte(before, '\n')+1])
	answers, err := filepath.Glob(filepath.Join(dir, "issue-1-2", "decision*.json"))
	for _, name := range answers {
		err = errors.Join(err, os.Remove(name))
	}
	if err != nil || len(answers) == 0 {
		t.Fatal(err, answers)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func laid(t *testing.T, from, to string) {
	t.Helper()
	info, err := os.Stat(from)
	if err == nil && info.IsDir() {
		err = os.CopyFS(to, os.DirFS(from))
	} else if err == nil {
		var data []byte
		if data, err = os.ReadFile(from); err == nil {
			err = os.WriteFile(to, data, fs.FileMode(0o600))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestTogether: of an issue all refs go or none, and none before the branch.
func TestTogether(t *testing.T) {
	t.Parallel()
	ref := func(id, branch string, why clean.Reason) clean.Ref {
		return clean.Ref{Found: clean.Found{RunID: id, Branch: branch, Reason: why}}
	}
	refs := []clean.Ref{
		ref("issue-1-1", "gone", ""), ref("issue-1-2", "gone", clean.Waiting),
		ref("issue-11-1", "gone", ""), ref("issue-11-2", "gone", ""),
		ref("issue-2-1", "warden/issue-2-x", ""), ref("issue-2-2", "gone", ""),
		ref("issue-3-1", "", ""), ref("odd", "gone", ""),
		// What an issue was told goes with its runs, and not before there was one.
		{Found: clean.Found{RunID: "issue-11-log", Log: true}}, {Found: clean.Found{RunID: "issue-1-log", Log: true}}, {Found: clean.Found{RunID: "issue-4-log", Log: true}},
	}
	clean.Together(refs, func(name string) bool { return name == "warden/issue-2-x" })
	var got []clean.Reason
	for _, r := range refs {
		got = append(got, r.Found.Reason)
	}
	want := []clean.Reason{clean.Continued, clean.Waiting, "", "", clean.OnABranch, clean.Continued, clean.OnABranch, "", "", clean.Continued, clean.Unfinished}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestReadRefOfALog: what an issue was told is whole without a seal.
func TestReadRefOfALog(t *testing.T) {
	t.Parallel()
	dir, now := t.TempDir(), time.Now()
	run, err := ledger.Create(dir, ledger.RunHead{RunID: "issue-7-log", TaskID: "issue-7", ReservedAt: now,
		Forge: &ledger.ForgeRef{Kind: "github", Repo: "octo/shop", Issue: 7, Trigger: "log"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := run.Append(ledger.TypeIntent, now, ledger.Intent{Key: "k", Purpose: "comment"}); err != nil {
		t.Fatal(err)
	}
	if err := run.Close(); err != nil {
		t.Fatal(err)
	}
	for before, want := range map[time.Time]clean.Reason{now.Add(time.Hour): "", now.Add(-time.Hour): clean.TooRecent} {
		f, err := clean.ReadRef(dir, "issue-7-log", before)
		if err != nil || f.Reason != want || !f.Log {
			t.Errorf("%+v, %v; want %q", f, err, want)
		}
	}
}
