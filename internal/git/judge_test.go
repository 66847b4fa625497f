package git

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestCommit(t *testing.T) {
	t.Parallel()
	r := newRepo(t, map[string]string{"a.txt": "one\n", "b.txt": "b\n"})
	base := r.head()
	// Identity and signing of the operator must not take part.
	r.git("config", "user.name", "Operator")
	r.git("config", "commit.gpgSign", "true")
	j := r.judge()
	if _, err := j.Commit(t.Context(), spec(base)); !errors.Is(err, ErrNothingToCommit) {
		t.Errorf("without a change: %v", err)
	}
	r.write("a.txt", "two\n")
	snap := look(t, j)
	s := spec(base)
	s.Message, s.Source = "Subject\n\nRun: do-1\nStage: implementer", snap.Source
	first, err := j.Commit(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := j.Commit(t.Context(), s); err != nil || again != first {
		t.Errorf("the same candidate is %s and then %s, %v", first, again, err)
	}
	before := r.git("for-each-ref") + r.git("status", "--porcelain")
	show := func(format string) string {
		t.Helper()
		out, err := clean(t).Run(t.Context(), j.GitDir(), "log", "-1", "--format="+format, first)
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimRight(string(out), "\n")
	}
	for format, want := range map[string]string{
		"%an <%ae> %at": "Warden <warden@example.org> 1700000100", "%cn <%ce> %ct": "Warden <warden@example.org> 1700000100",
		"%B": s.Message, "%P": base,
	} {
		if got := show(format); got != want {
			t.Errorf("%s = %q, want %q", format, got, want)
		}
	}
	if got := r.git("for-each-ref") + r.git("status", "--porcelain"); got != before || r.head() != base {
		t.Errorf("the repository moved: %q, was %q", got, before)
	}
	r.write("a.txt", "three\n")
	if _, err := j.Commit(t.Context(), s); err == nil || !strings.Contains(err.Error(), "fingerprint") {
		t.Errorf("another candidate than was named: %v", err)
	}
	for name, change := range map[string]func(*CommitSpec){
		"parent": func(s *CommitSpec) { s.Parent = "HEAD" }, "name": func(s *CommitSpec) { s.Name = " " },
		"address": func(s *CommitSpec) { s.Email = "a> <b" }, "line": func(s *CommitSpec) { s.Name = "a\nparent x" },
		"message": func(s *CommitSpec) { s.Message = "\n" }, "time": func(s *CommitSpec) { s.When = s.When.AddDate(-200, 0, 0) },
	} {
		bad := spec(base)
		change(&bad)
		if _, err := j.Commit(t.Context(), bad); err == nil {
			t.Errorf("a bad %s was accepted", name)
		}
	}
}

// TestCommitOfALook holds that a commit of a look stores what was seen, and not what
// came after it.
func TestCommitOfALook(t *testing.T) {
	t.Parallel()
	r := newRepo(t, map[string]string{"a.txt": "one\n"})
	j := r.judge()
	r.write("a.txt", "two\n")
	snap := look(t, j)
	s := spec(r.head())
	s.Source, s.Seen = snap.Source, &snap
	seen, err := j.Commit(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	r.write("late.txt", "late\n")
	if again, err := j.Commit(t.Context(), s); err != nil || again != seen {
		t.Errorf("with a file that came after the look it is %s, %v; was %s", again, err, seen)
	}
	r.write("a.txt", "three\n")
	if _, err := j.Commit(t.Context(), s); err == nil || !strings.Contains(err.Error(), "changed while it was committed") {
		t.Errorf("with a file that changed after the look: %v", err)
	}
	s.Source = "another"
	if _, err := j.Commit(t.Context(), s); err == nil || !strings.Contains(err.Error(), "fingerprint") {
		t.Errorf("of another look than was judged: %v", err)
	}
}

// A second candidate is the base plus what the worktree is now, whatever the first held.
func TestCommitOnACandidate(t *testing.T) {
	t.Parallel()
	r := newRepo(t, map[string]string{"a.txt": "one\n", "b.txt": "b\n"})
	base := r.head()
	j := r.judge()
	r.write("a.txt", "two\n")
	r.write("extra.txt", "x\n")
	first, err := j.Commit(t.Context(), spec(base))
	if err != nil {
		t.Fatal(err)
	}
	r.remove("extra.txt")
	r.write("a.txt", "one\n")
	r.write("b.txt", "c\n")
	second, err := j.Commit(t.Context(), spec(first))
	if err != nil {
		t.Fatal(err)
	}
	r.git("fetch", "-q", j.GitDir(), second)
	if got := r.git("diff", "--name-status", base, second); got != "M\tb.txt" {
		t.Errorf("the second candidate differs from the base in %q", got)
	}
	if got := r.git("rev-parse", second+"^"); got != first {
		t.Errorf("parent = %s", got)
	}
}

func TestDiff(t *testing.T) {
	t.Parallel()
	r := newRepo(t, map[string]string{"a.txt": "one\n", ".warden/project.yaml": "x\n"})
	j := r.judge()
	r.write("a.txt", "two\n")
	r.write("new é.txt", "new\n")
	r.write(".warden/project.yaml", "contract\n")
	r.link("leaves", "/etc/passwd")
	r.write(".gitattributes", "*.txt -diff\n")
	if out := r.git("diff", "HEAD", "--", "a.txt"); !strings.Contains(out, "Binary files") {
		t.Fatalf("plain git shows %q, so the test shows nothing", out)
	}
	text, cut, err := j.Diff(t.Context(), 1<<20)
	if err != nil || cut {
		t.Fatalf("Diff: cut %t, %v", cut, err)
	}
	for _, want := range []string{"\n-one\n+two\n", "+++ b/new é.txt", "+new"} {
		if !strings.Contains(text, want) {
			t.Errorf("diff without %q:\n%s", want, text)
		}
	}
	for _, hidden := range []string{"contract", "passwd"} {
		if strings.Contains(text, hidden) {
			t.Errorf("diff with %q:\n%s", hidden, text)
		}
	}
	part, cut, err := j.Diff(t.Context(), 40)
	if err != nil || !cut || len(part) > 40 || !strings.HasPrefix(text, part) {
		t.Errorf("Diff of 40 bytes = %q, %t, %v", part, cut, err)
	}
}

// A Judge that is opened again keeps what it took over at first, whatever a
// child has made of the repository's git directory meanwhile.
func TestOpenAgain(t *testing.T) {
	t.Parallel()
	r := newRepo(t, map[string]string{"a.txt": "one\n"})
	list := filepath.Join(realDir(t), "excludes")
	if err := os.WriteFile(list, []byte("*.log\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	r.git("config", "core.excludesFile", list)
	dir := filepath.Join(realDir(t), "judge.git")
	j := r.judgeAt(r.head(), dir)
	r.write("x.log", "ignored by the operator\n")
	r.write("new.txt", "new\n")
	wantPaths(t, look(t, j), "A new.txt")

	if err := os.WriteFile(list, []byte("*.txt\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	r.git("config", "core.fileMode", "false")
	r.git("config", "core.autocrlf", "true")
	r.git("update-index", "--assume-unchanged", "a.txt")
	r.write("a.txt", "two\n")
	if err := os.Chmod(r.path("new.txt"), 0o755); err != nil {
		t.Fatal(err)
	}
	s := look(t, r.judgeAt(r.head(), dir))
	wantPaths(t, s, "M a.txt, A new.txt")
	if s.Changes[1].Mode != "100755" {
		t.Errorf("mode = %s: the settings were read again", s.Changes[1].Mode)
	}
}

// An index can hold forged stat data, if a child was there before the Judge.
func TestDistrustIndex(t *testing.T) {
	t.Parallel()
	open := func(t *testing.T, distrust bool, later time.Duration) Snapshot {
		t.Helper()
		r := newRepo(t, map[string]string{"a.txt": "one\n"})
		now := time.Now().Add(later)
		// The stat data of what is there now, beside the object id of what was.
		id := r.git("rev-parse", "HEAD:a.txt")
		r.write("a.txt", "two\n")
		old := time.Unix(1700000000, 0)
		if err := os.Chtimes(r.path("a.txt"), old, old); err != nil {
			t.Fatal(err)
		}
		r.git("add", "a.txt")
		forged := r.git("rev-parse", ":a.txt")
		data, err := os.ReadFile(r.path(".git/index"))
		if err != nil {
			t.Fatal(err)
		}
		forge(t, r, data, forged, id)
		if out := r.git("status", "--porcelain"); out != "" {
			t.Fatalf("plain git sees %q, so the test shows nothing", out)
		}
		j, err := clean(t).OpenJudge(t.Context(), JudgeConfig{
			Worktree: r.dir, GitDir: filepath.Join(realDir(t), "judge.git"), Source: r.path(".git"),
			Base: r.head(), Head: r.head(), DistrustIndex: distrust,
			Now: func() time.Time { return now },
		})
		if err != nil {
			t.Fatal(err)
		}
		return look(t, j)
	}
	// An hour later the change is too old to be distrusted for its own sake.
	if s := open(t, false, time.Hour); len(s.Changes) > 0 {
		t.Error("the forged index is not believed, so the test shows nothing")
	}
	wantPaths(t, open(t, true, time.Hour), "M a.txt")
	wantPaths(t, open(t, false, 0), "M a.txt")
}

func TestOpenJudgeRefuses(t *testing.T) {
	t.Parallel()
	r := newRepo(t, map[string]string{"a.txt": "one\n"})
	other := newRepo(t, map[string]string{"b.txt": "b\n"})
	good := JudgeConfig{Worktree: r.dir, GitDir: filepath.Join(realDir(t), "j.git"), Source: r.path(".git"), Base: r.head(), Head: r.head()}
	for name, change := range map[string]func(*JudgeConfig){
		"base_by_name":       func(c *JudgeConfig) { c.Base = "main" },
		"base_not_there":     func(c *JudgeConfig) { c.Base = strings.Repeat("1", 40) },
		"inside":             func(c *JudgeConfig) { c.GitDir = r.path("j.git") },
		"the_repository":     func(c *JudgeConfig) { c.GitDir = r.path(".git") },
		"no_name":            func(c *JudgeConfig) { c.GitDir = "" },
		"name_of_a_worktree": func(c *JudgeConfig) { c.GitDir = filepath.Join(realDir(t), "j") },
		"another_source":     func(c *JudgeConfig) { c.Worktree, c.Base, c.Head = other.dir, r.head(), r.head() },
	} {
		c := good
		c.GitDir = filepath.Join(realDir(t), "j.git") // nothing of another case is in it
		change(&c)
		if _, err := clean(t).OpenJudge(t.Context(), c); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if _, err := clean(t).OpenJudge(t.Context(), good); err != nil {
		t.Error(err)
	}
}

func TestTreeFS(t *testing.T) {
	t.Parallel()
	r := newRepo(t, map[string]string{
		".warden/project.yaml": "name: p\n", ".warden/tasks/a.yaml": "id: a\n", ".warden/empty": "", "a.txt": "one\n", ".wardenx": "no\n",
		".gitattributes": "*.yaml text eol=crlf\n",
	})
	r.link(".warden/tasks/link.yaml", "a.yaml")
	r.git("add", "-A")
	r.git("commit", "-q", "-m", "link")
	commit := r.head()
	// What is on the disk, or stands in for the commit, plays no part.
	r.write(".warden/project.yaml", "name: disk\n")
	r.git("add", "-A")
	r.git("replace", commit, r.git("commit-tree", r.git("write-tree"), "-m", "other"))
	tree, err := clean(t).TreeFS(t.Context(), r.dir, commit, ".warden")
	if err != nil {
		t.Fatal(err)
	}
	if err := fstest.TestFS(tree, "project.yaml", "tasks/a.yaml", "empty"); err != nil {
		t.Error(err)
	}
	got := map[string]string{}
	err = fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(tree, name)
		got[name] = string(data)
		return err
	})
	want := map[string]string{"project.yaml": "name: p\n", "tasks/a.yaml": "id: a\n", "empty": ""}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	if none, err := clean(t).TreeFS(t.Context(), r.dir, commit, "absent"); err != nil {
		t.Error(err)
	} else if entries, err := fs.ReadDir(none, "."); err != nil || len(entries) > 0 {
		t.Errorf("absent prefix: %v, %v", entries, err)
	}
	if _, err := clean(t).TreeFS(t.Context(), r.dir, "HEAD", ""); err == nil {
		t.Error("a name was taken for a commit")
	}
}

func TestSHA256Repository(t *testing.T) {
	t.Parallel()
	r := newRepo(t, nil)
	r.dir = filepath.Join(realDir(t), "r256")
	if err := os.Mkdir(r.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	r.git("init", "-q", "--object-format=sha256", "-b", "main")
	r.write("a.txt", "one\n")
	r.git("add", "-A")
	r.git("commit", "-q", "-m", "base")
	j := r.judge()
	r.write("a.txt", "two\n")
	r.write("new.txt", "n\r\n")
	s := look(t, j)
	wantPaths(t, s, "M a.txt, A new.txt")
	if commit, err := j.Commit(t.Context(), spec(r.head())); err != nil || len(commit) != 64 {
		t.Errorf("Commit = %q, %v", commit, err)
	}
}

func TestShallowSource(t *testing.T) {
	t.Parallel()
	r := newRepo(t, map[string]string{"a.txt": "one\n"})
	r.git("commit", "-q", "--allow-empty", "-m", "second")
	origin := r.dir
	r.dir = filepath.Join(realDir(t), "shallow")
	if err := os.Mkdir(r.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	r.git("clone", "-q", "--depth", "1", "file://"+origin, ".")
	j := r.judge()
	r.write("a.txt", "two\n")
	commit, err := j.Commit(t.Context(), spec(r.head()))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := clean(t).Run(t.Context(), j.GitDir(), "rev-list", commit); err != nil {
		t.Errorf("the history cannot be walked: %v", err)
	}
}

func TestCurrentBranch(t *testing.T) {
	t.Parallel()
	r := newRepo(t, map[string]string{"a.txt": "one\n"})
	g := clean(t)
	r.git("checkout", "-q", "-b", "a/b")
	if got, err := g.CurrentBranch(t.Context(), r.dir); err != nil || got != "a/b" {
		t.Errorf("CurrentBranch = %q, %v", got, err)
	}
	r.git("checkout", "-q", "--detach")
	if got, err := g.CurrentBranch(t.Context(), r.dir); err != nil || got != "" {
		t.Errorf("CurrentBranch = %q, %v", got, err)
	}
	if got, err := g.CurrentBranch(t.Context(), realDir(t)); err == nil {
		t.Errorf("outside a repository: %q", got)
	}
}

// Work that is no candidate is kept without what may not leave.
func TestPark(t *testing.T) {
	t.Parallel()
	r := newRepo(t, map[string]string{"a.txt": "one\n", ".warden/project.yaml": "x\n"})
	base := r.head()
	j := r.judge()
	none := func(string) bool { return false }
	if _, _, err := j.Park(t.Context(), spec(base), none); !errors.Is(err, ErrNothingToCommit) {
		t.Errorf("without a change: %v", err)
	}
	r.write("a.txt", "two\n")
	r.write("b/ci.yml", "on: push\n")
	r.write(".warden/project.yaml", "contract\n")
	r.link("leaves", "/etc/passwd")
	if _, err := j.Commit(t.Context(), spec(base)); err == nil {
		t.Fatal("a candidate with a link that leaves the tree")
	}
	id, left, err := j.Park(t.Context(), spec(base), func(path string) bool { return path == "b/ci.yml" })
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"b/ci.yml", "leaves"}, left); diff != "" {
		t.Error(diff)
	}
	r.git("fetch", "-q", j.GitDir(), id)
	if got := r.git("diff", "--name-status", base, id); got != "M\ta.txt" {
		t.Errorf("parked: %q", got)
	}
	r.write("a.txt", "one\n")
	if _, left, err := j.Park(t.Context(), spec(base), func(string) bool { return true }); !errors.Is(err, ErrNothingToCommit) || len(left) != 2 {
		t.Errorf("with nothing that may be kept: %v, left out %v", err, left)
	}
}
