package worktree

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tolboy/warden/internal/git"
)

// repo is an operator's repository, worked on with a plain git.
type repo struct {
	t   *testing.T
	dir string
	env []string
}

func newRepo(t *testing.T) *repo {
	t.Helper()
	base := realDir(t)
	r := &repo{t: t, dir: filepath.Join(base, "repo"), env: []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + base, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C",
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.org",
	}}
	if err := os.Mkdir(r.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	r.git("init", "-q", "-b", "main")
	r.write("a.txt", "one\n")
	r.git("add", "-A")
	r.git("commit", "-q", "-m", "base")
	return r
}

func realDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func (r *repo) write(name, text string) {
	r.t.Helper()
	path := filepath.Join(r.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		r.t.Fatal(err)
	}
}

func (r *repo) git(args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = r.dir, r.env
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		r.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, errs.String())
	}
	return strings.TrimRight(out.String(), "\n")
}

func (r *repo) head() string { return r.git("rev-parse", "HEAD") }

func clean(t *testing.T) *git.Git {
	t.Helper()
	g, err := git.New()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func (r *repo) spec(dir string) CutSpec {
	return CutSpec{Repo: r.dir, Dir: dir, Branch: "warden/do-1", Start: r.head()}
}

// state is everything of the operator's checkout that a cut must leave alone.
func (r *repo) state() map[string]string {
	r.t.Helper()
	state := map[string]string{"status": r.git("status", "--porcelain", "-uall"), "branch": r.git("branch", "--show-current"), "head": r.head()}
	err := filepath.WalkDir(r.dir, func(path string, d os.DirEntry, err error) error {
		name, _ := filepath.Rel(r.dir, path)
		inGit := strings.HasPrefix(name, ".git"+string(filepath.Separator))
		if err != nil || d.IsDir() || inGit && name != ".git/config" && name != ".git/HEAD" {
			return err
		}
		data, err := os.ReadFile(path)
		state[name] = string(data)
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return state
}

func caseIS01OperatorsCheckoutIsNotTouched(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.git("checkout", "-q", "-b", "feature")
	before := r.state()
	if before["status"] != "" {
		t.Fatalf("not clean before: %q", before["status"])
	}
	dir := filepath.Join(realDir(t), "tree")
	tree, err := Cut(t.Context(), clean(t), r.spec(dir))
	if err != nil {
		t.Fatal(err)
	}
	if tree.Settings == nil {
		t.Error("the settings of the checkout are not told")
	}
	if want := (Tree{Dir: dir, Branch: "warden/do-1", Placement: Created, Settings: tree.Settings}); tree != want {
		t.Errorf("Cut = %+v, want %+v", tree, want)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("two\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, r.state()); diff != "" {
		t.Errorf("the operator's checkout changed: %s", diff)
	}
	if got := r.git("-C", dir, "branch", "--show-current"); got != "warden/do-1" {
		t.Errorf("the tree is on %q", got)
	}
}

func caseIS01NothingOfTheRepositoryRuns(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	mark := filepath.Join(realDir(t), "mark")
	program := filepath.Join(realDir(t), "program")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n: > '"+mark+"'\ncat\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	r.write(".gitattributes", "*.txt filter=x\n")
	r.git("add", "-A")
	r.git("commit", "-q", "-m", "attributes")
	r.git("config", "filter.x.smudge", program)
	r.git("config", "filter.x.required", "true")
	r.write(".git/hooks/post-checkout", "#!/bin/sh\n: > '"+mark+"'\n")
	r.git("worktree", "add", "-q", "--detach", filepath.Join(realDir(t), "plain"))
	if err := os.Remove(mark); err != nil {
		t.Fatal("plain git ran neither filter nor hook, so the test shows nothing")
	}
	tree, err := Cut(t.Context(), clean(t), r.spec(filepath.Join(realDir(t), "tree")))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(mark); err == nil {
		t.Error("a program of the repository ran")
	}
	if data, err := os.ReadFile(filepath.Join(tree.Dir, "a.txt")); err != nil || string(data) != "one\n" {
		t.Errorf("a.txt = %q, %v", data, err)
	}
}

func caseIS02IsolationCannotBeMade(t *testing.T) {
	t.Parallel()
	file := func(t *testing.T, path string) string {
		t.Helper()
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	tests := map[string]func(t *testing.T, r *repo) CutSpec{
		"parent_is_a_file": func(t *testing.T, r *repo) CutSpec {
			return r.spec(filepath.Join(file(t, filepath.Join(realDir(t), "file")), "tree"))
		},
		"directory_is_a_file": func(t *testing.T, r *repo) CutSpec { return r.spec(file(t, filepath.Join(realDir(t), "file"))) },
		"directory_is_not_empty": func(t *testing.T, r *repo) CutSpec {
			return r.spec(filepath.Dir(file(t, filepath.Join(realDir(t), "file"))))
		},
		"inside_the_repository": func(t *testing.T, r *repo) CutSpec { return r.spec(filepath.Join(r.dir, "sub", "tree")) },
		"inside_by_an_alias": func(t *testing.T, r *repo) CutSpec {
			alias := filepath.Join(realDir(t), "alias")
			if err := os.Symlink(r.dir, alias); err != nil {
				t.Fatal(err)
			}
			return r.spec(filepath.Join(alias, "tree"))
		},
		"the_repository_itself": func(t *testing.T, r *repo) CutSpec { return r.spec(r.dir) },
		"branch_is_the_operator's": func(t *testing.T, r *repo) CutSpec {
			s := r.spec(filepath.Join(realDir(t), "tree"))
			s.Branch = "main"
			return s
		},
		"hostile_branch": func(t *testing.T, r *repo) CutSpec {
			s := r.spec(filepath.Join(realDir(t), "tree"))
			s.Branch = "-f"
			return s
		},
		"start_is_not_there": func(t *testing.T, r *repo) CutSpec {
			s := r.spec(filepath.Join(realDir(t), "tree"))
			s.Start = strings.Repeat("1", 40)
			return s
		},
		"no_repository": func(t *testing.T, r *repo) CutSpec {
			s := r.spec(filepath.Join(realDir(t), "tree"))
			s.Repo = realDir(t)
			return s
		},
		"directory_has_another_branch": func(t *testing.T, r *repo) CutSpec {
			s := r.spec(filepath.Join(realDir(t), "tree"))
			r.git("worktree", "add", "-q", "-b", "other", s.Dir)
			return s
		},
	}
	for name, make := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t)
			s := make(t, r)
			before, branches := r.state(), r.git("branch", "--list")
			tree, err := Cut(t.Context(), clean(t), s)
			if err == nil {
				t.Errorf("Cut = %+v", tree)
			}
			if diff := cmp.Diff(before, r.state()); diff != "" {
				t.Errorf("the operator's checkout changed: %s", diff)
			}
			if got := r.git("branch", "--list"); got != branches {
				t.Errorf("branches = %q, were %q", got, branches)
			}
		})
	}
}

func caseIS04SameTaskAskedTwice(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	g := clean(t)
	first, err := Cut(t.Context(), g, r.spec(filepath.Join(realDir(t), "tree")))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(first.Dir, "work.txt"), []byte("kept\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{first.Dir, filepath.Join(realDir(t), "elsewhere")} {
		again, err := Cut(t.Context(), g, r.spec(dir))
		if err != nil || again.Dir != first.Dir || again.Placement != Joined {
			t.Errorf("Cut at %s = %+v, %v, want to join %s", dir, again, err, first.Dir)
		}
	}
	if _, err := os.Stat(filepath.Join(first.Dir, "work.txt")); err != nil {
		t.Errorf("the work in the first tree is gone: %v", err)
	}
	if got := strings.Count(r.git("worktree", "list"), "\n"); got != 1 {
		t.Errorf("%d worktrees beside the first", got)
	}
}

func TestBranchThatIsThere(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.git("branch", "warden/do-1")
	r.git("commit", "-q", "--allow-empty", "-m", "newer")
	want := r.git("rev-parse", "warden/do-1")
	tree, err := Cut(t.Context(), clean(t), r.spec(filepath.Join(realDir(t), "tree")))
	if err != nil || tree.Placement != Attached {
		t.Fatalf("Cut = %+v, %v", tree, err)
	}
	if got := r.git("-C", tree.Dir, "rev-parse", "HEAD"); got != want {
		t.Errorf("the branch moved to %s", got)
	}
}

func TestUnfinishedCheckout(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	g := clean(t)
	tree, err := Cut(t.Context(), g, r.spec(filepath.Join(realDir(t), "tree")))
	if err != nil {
		t.Fatal(err)
	}
	// What git leaves behind when it is killed in the middle.
	r.write(".git/worktrees/tree/locked", "initializing")
	if _, err := Cut(t.Context(), g, r.spec(tree.Dir)); !errors.Is(err, ErrUnfinished) {
		t.Errorf("Cut = %v", err)
	}
	if err := Remove(t.Context(), g, r.dir, tree.Dir); err != nil {
		t.Fatal(err)
	}
	if again, err := Cut(t.Context(), g, r.spec(tree.Dir)); err != nil || again.Placement != Attached {
		t.Errorf("Cut = %+v, %v", again, err)
	}
}

func caseGF13WorktreeUnderAnAliasedPath(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	g := clean(t)
	base := realDir(t)
	alias := filepath.Join(realDir(t), "alias")
	if err := os.Symlink(base, alias); err != nil {
		t.Fatal(err)
	}
	repoAlias := filepath.Join(realDir(t), "repo")
	if err := os.Symlink(r.dir, repoAlias); err != nil {
		t.Fatal(err)
	}
	s := r.spec(filepath.Join(alias, "tree"))
	s.Repo = repoAlias
	first, err := Cut(t.Context(), g, s)
	if err != nil || first.Dir != filepath.Join(base, "tree") {
		t.Fatalf("Cut = %+v, %v", first, err)
	}
	again, err := Cut(t.Context(), g, r.spec(filepath.Join(base, "tree")))
	if err != nil || again.Placement != Joined || again.Dir != first.Dir {
		t.Errorf("Cut under the other spelling = %+v, %v", again, err)
	}
	// A repository that was moved behind an alias records the tree under it.
	r.write(".git/worktrees/tree/gitdir", filepath.Join(alias, "tree", ".git")+"\n")
	if got := r.git("worktree", "list", "--porcelain"); !strings.Contains(got, alias) {
		t.Fatalf("git lists %q without the alias, so the test shows nothing", got)
	}
	again, err = Cut(t.Context(), g, r.spec(filepath.Join(base, "tree")))
	if err != nil || again.Placement != Joined || again.Dir != first.Dir {
		t.Errorf("Cut where git has the other spelling = %+v, %v", again, err)
	}
	if err := Remove(t.Context(), g, repoAlias, filepath.Join(alias, "tree")); err != nil {
		t.Errorf("Remove under the other spelling: %v", err)
	}
}

func TestRemove(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	g := clean(t)
	tree, err := Cut(t.Context(), g, r.spec(filepath.Join(realDir(t), "tree")))
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{r.dir, realDir(t), filepath.Join(tree.Dir, "sub")} {
		if err := Remove(t.Context(), g, r.dir, dir); err == nil {
			t.Errorf("removed %s", dir)
		}
	}
	if err := Remove(t.Context(), g, tree.Dir, r.dir); err == nil {
		t.Error("removed the repository from its worktree")
	}
	if err := os.RemoveAll(filepath.Join(tree.Dir, ".git")); err != nil {
		t.Fatal(err)
	}
	if err := Remove(t.Context(), g, r.dir, tree.Dir); err != nil {
		t.Errorf("a tree without its .git is not removed: %v", err)
	}
	if _, err := os.Lstat(tree.Dir); !os.IsNotExist(err) {
		t.Errorf("the tree is still there: %v", err)
	}
	if got := r.git("worktree", "list"); strings.Contains(got, tree.Dir) {
		t.Errorf("git still lists it: %s", got)
	}
	if _, err := os.Stat(filepath.Join(r.dir, "a.txt")); err != nil {
		t.Error(err)
	}
}

func TestMirror(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.git("update-ref", "refs/warden/runs/x", r.head())
	g := clean(t)
	fetch := func(ctx context.Context, dir string, specs ...string) error {
		_, err := g.Run(ctx, dir, append([]string{"fetch", "-q", "--no-tags", r.dir}, specs...)...)
		return err
	}
	s := MirrorSpec{Dir: filepath.Join(realDir(t), "m.git"), Refspecs: []string{"+refs/heads/*:refs/remotes/origin/*"}, Fetch: fetch}
	for range 2 {
		dir, err := Mirror(t.Context(), g, s)
		if err != nil {
			t.Fatal(err)
		}
		refs, err := g.Run(t.Context(), dir, "for-each-ref", "--format=%(refname)")
		if err != nil || string(refs) != "refs/remotes/origin/main\n" {
			t.Errorf("refs = %q, %v", refs, err)
		}
		config, err := os.ReadFile(filepath.Join(dir, "config"))
		if err != nil || strings.Contains(string(config), "remote") || strings.Contains(string(config), "url") {
			t.Errorf("config = %q, %v", config, err)
		}
	}
	tree, err := Cut(t.Context(), g, CutSpec{Repo: s.Dir, Dir: filepath.Join(realDir(t), "tree"), Branch: "warden/issue-1-x", Start: r.head()})
	if err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(filepath.Join(tree.Dir, "a.txt")); err != nil || string(data) != "one\n" {
		t.Errorf("a.txt = %q, %v", data, err)
	}
	j, err := g.OpenJudge(t.Context(), git.JudgeConfig{
		Worktree: tree.Dir, GitDir: filepath.Join(realDir(t), "judge.git"), Source: s.Dir, Base: r.head(), Head: r.head(),
	})
	if err != nil {
		t.Fatal(err)
	}
	if snap, err := j.Snapshot(t.Context()); err != nil || len(snap.Changes) > 0 {
		t.Errorf("Snapshot = %+v, %v", snap, err)
	}
	for _, spec := range []string{
		"refs/warden/runs/x:refs/x/y", "+refs/*:refs/*", "*:refs/x/*", "refs/heads/*", "refs/heads/*:refs/warden/*",
		"refs/war*:refs/x/*", "refs/heads/a..b:refs/x/y", "refs/heads/main:main", "--upload-pack=x:refs/x/y", "refs/heads/main:",
	} {
		bad := s
		bad.Refspecs = []string{spec}
		if _, err := Mirror(t.Context(), g, bad); err == nil {
			t.Errorf("refspec %q was accepted", spec)
		}
	}
}
