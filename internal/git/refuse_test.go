package git

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

type refusedTree struct {
	name string
	do   func(r *repo)
	want string // of the refusals; empty: none
}

func TestRefusedTrees(t *testing.T) {
	t.Parallel()
	refusedTrees(t, []refusedTree{
		{"nested_repository", func(r *repo) { r.git("init", "-q", "sub/nested"); r.write("sub/nested/f", "x\n") }, "sub/nested: a repository"},
		{"nested_repository_over_tracked_files", func(r *repo) { r.git("init", "-q", "dir"); r.write("dir/f", "x\n") }, "dir: a repository"},
		{"nested_repository_beside_unchanged_files", func(r *repo) { r.git("init", "-q", "dir") }, "dir: a repository"},
		{"nested_repository_that_ignores_itself", func(r *repo) {
			r.git("init", "-q", "dir/deep")
			r.write("dir/deep/.gitignore", "*\n")
		}, "dir/deep: a repository"},
		{"repository_in_what_the_project_ignores", func(r *repo) {
			r.write(".gitignore", "/build/\n")
			r.git("init", "-q", "build/_deps/fetched")
		}, ""},
		{"nested_git_file", func(r *repo) { r.write("dir/.git", "gitdir: /elsewhere\n"); r.write("dir/f", "x\n") }, "dir: a repository"},
		{"nested_repository_with_commits", func(r *repo) {
			r.git("init", "-q", "sub/nested")
			r.git("-C", "sub/nested", "commit", "-q", "--allow-empty", "-m", "x")
		}, "sub/nested: a repository"},
		{"tracked_file_becomes_a_repository", func(r *repo) {
			r.remove("a.txt")
			r.git("init", "-q", "a.txt")
			r.git("-C", "a.txt", "commit", "-q", "--allow-empty", "-m", "x")
		}, "a.txt: a submodule"},
		{"bare_at_the_root", func(r *repo) {
			r.write("HEAD", "ref: refs/heads/x\n")
			r.write("objects/x", "x\n")
			r.write("refs/x", "x\n")
		}, "HEAD: a bare repository"},
		{"bare_by_commondir", func(r *repo) {
			r.write("x/HEAD", "ref: refs/heads/x\n")
			r.write("x/commondir", "..\n")
		}, "x: a bare repository"},
		{"bare_in_other_case", func(r *repo) {
			r.write("x/head", "ref: refs/heads/x\n")
			r.write("x/Objects/x", "x\n")
			r.write("x/REFS/x", "x\n")
		}, "x: a bare repository"},
		{"half_a_bare_repository", func(r *repo) { r.write("x/HEAD", "x\n"); r.write("x/refs/x", "x\n") }, ""},
		{".GIT", func(r *repo) { r.write(".GIT/config", "x\n") }, ".GIT/config: a name"},
		{"git~1", func(r *repo) { r.write("sub/git~1/config", "x\n") }, "sub/git~1/config: a name"},
		{"git_with_an_ignored_letter", func(r *repo) { r.write("sub/.g\u200cit/config", "x\n") }, "config: a name"},
		{"git_with_a_dot_behind", func(r *repo) { r.write("sub/.git. /config", "x\n") }, "sub/.git. /config: a name"},
		{"git_as_a_stream", func(r *repo) { r.write(".git::$INDEX_ALLOCATION/config", "x\n") }, "config: a name"},
		{"git_behind_a_backslash", func(r *repo) { r.write(`a\.git\config`, "x\n") }, `a\.git\config: a name`},
		{".Warden", func(r *repo) { r.write(".Warden/project.yaml", "x\n") }, ".Warden/project.yaml: a name"},
		{"harmless_names", func(r *repo) {
			r.write(".gitignore", "x\n")
			r.write(".github/x", "x\n")
			r.write("git/x", "x\n")
			r.write("sub/.warden2", "x\n")
			r.write("git~a", "x\n")
		}, ""},
		{"absolute_link", func(r *repo) { r.link("l", "/etc/passwd") }, "l: a link that leaves"},
		{"link_upwards", func(r *repo) { r.link("dir/l", "../../x") }, "dir/l: a link that leaves"},
		{"link_upwards_by_another_link", func(r *repo) {
			r.link("dir/sub/top", "../..")
			r.link("dir/sub/l", "top/../x")
		}, "dir/sub/l: a link with .."},
		{"link_into_git", func(r *repo) { r.link("dir/l", "../.git/config") }, "dir/l: a link to"},
		{"link_by_backslash", func(r *repo) { r.link("l", `..\x`) }, "l: a link that leaves"},
		{"link_to_a_drive", func(r *repo) { r.link("l", `C:x`) }, "l: a link that leaves"},
		{"links_inside", func(r *repo) { r.link("dir/l", "../a.txt"); r.link("m", "dir/f"); r.link("n", ".") }, ""},
		{"file_becomes_a_leaving_link", func(r *repo) { r.remove("a.txt"); r.link("a.txt", "/etc/passwd") }, "a.txt: a link that leaves"},
		{"case_collision_of_two_new_files", func(r *repo) { r.write("New", "x\n"); r.write("new", "x\n") }, "differs from"},
		{"case_collision_with_a_tracked_file", func(r *repo) { r.write("A.TXT", "x\n") }, `A.TXT: differs from "a.txt"`},
		{"case_collision_of_a_directory", func(r *repo) { r.write("DIR/other", "x\n") }, `DIR/other: differs from "dir"`},
		{"rename_of_case", func(r *repo) { os.Rename(r.path("a.txt"), r.path("A.txt")) }, ""},
		{"submodule_added", func(r *repo) {
			r.git("init", "-q", "sub")
			r.git("-C", "sub", "commit", "-q", "--allow-empty", "-m", "x")
			r.git("add", "sub")
		}, "sub: a repository"},
	})
}

func refusedTrees(t *testing.T, tests []refusedTree) {
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, map[string]string{"a.txt": "one\n", "dir/f": "f\n", "dir/deep/f": "f\n"})
			j := r.judge()
			before := look(t, j)
			test.do(r)
			s := look(t, j)
			if s.Source == before.Source {
				t.Error("the fingerprint did not move")
			}
			got := refusals(s)
			if test.want == "" && got != "" || !strings.Contains(got, test.want) {
				t.Errorf("refused %q, want %q", got, test.want)
			}
			_, err := j.Commit(t.Context(), spec(r.head()))
			var refused *RefusedError
			if errors.As(err, &refused) != (test.want != "") {
				t.Errorf("Commit = %v", err)
			}
			if _, _, err := j.Diff(t.Context(), 1<<20); err != nil {
				t.Errorf("no diff of a refused tree: %v", err)
			}
		})
	}
}

// A project may keep a bare repository as ordinary files. What was there before the
// start is its own; with a change in it, git would read what a child wrote.
func TestBareFixture(t *testing.T) {
	t.Parallel()
	r := newRepo(t, map[string]string{"testdata/r.git/HEAD": "ref: refs/heads/x\n", "testdata/r.git/objects/x": "x\n", "testdata/r.git/refs/x": "x\n"})
	j := r.judge()
	if s := look(t, j); len(s.Refused) > 0 {
		t.Errorf("an untouched fixture is refused: %s", refusals(s))
	}
	r.write("testdata/r.git/config", "[core]\n\tfsmonitor = x\n")
	if s := look(t, j); !strings.Contains(refusals(s), "testdata/r.git: a bare repository") {
		t.Errorf("refused %q", refusals(s))
	}
}

func TestSubmodules(t *testing.T) {
	t.Parallel()
	r := newRepo(t, map[string]string{"a.txt": "one\n"})
	r.git("update-index", "--add", "--cacheinfo", "160000,"+r.head()+",mod")
	r.git("commit", "-q", "-m", "submodule")
	if err := os.MkdirAll(r.path("mod"), 0o755); err != nil {
		t.Fatal(err)
	}
	j := r.judge()
	if s := look(t, j); len(s.Refused)+len(s.Changes) > 0 {
		t.Errorf("an empty submodule counts: %s; %s", paths(s), refusals(s))
	}
	r.write("mod/f", "hidden from git\n")
	if out := r.git("status", "--porcelain", "-uall"); out != "" {
		t.Fatalf("plain git shows %q, so the test shows nothing", out)
	}
	if s := look(t, j); !strings.Contains(refusals(s), "mod: files in a submodule") {
		t.Errorf("refused %q", refusals(s))
	}
	r.remove("mod")
	if s := look(t, j); !strings.Contains(refusals(s), "mod: a submodule") {
		t.Errorf("refused %q after it was removed", refusals(s))
	}
}

func TestSparseFileThatAppears(t *testing.T) {
	t.Parallel()
	r := newRepo(t, map[string]string{"a.txt": "one\n", "far/b.txt": "b\n"})
	r.git("sparse-checkout", "set", "--no-cone", "/a.txt")
	if _, err := os.Lstat(r.path("far/b.txt")); err == nil {
		t.Fatal("the file is there, so the test shows nothing")
	}
	j := r.judge()
	wantPaths(t, look(t, j), "")
	r.write("far/b.txt", "changed\n")
	wantPaths(t, look(t, j), "M far/b.txt")
}

func TestBadLink(t *testing.T) {
	t.Parallel()
	root := realDir(t)
	dir := filepath.Join(root, "repo")
	for _, test := range []struct {
		path, target string
		ok           bool
	}{
		{"l", "x", true}, {"l", "./x/y", true}, {"a/l", "..", true}, {"a/b/l", "../../x", true},
		{"l", "..", false}, {"a/l", "../..", false}, {"a/l", ".././../x", false}, {"l", "", false},
		{"l", "/x", false}, {"l", "x/../y", false}, {"l", "sub/.git/config", false}, {"l", "sub/.GIT", false},
	} {
		why := badLink(test.path, test.target)
		if (why == "") != test.ok {
			t.Errorf("badLink(%q, %q) = %q", test.path, test.target, why)
		}
		end := filepath.Join(dir, filepath.Dir(test.path), test.target)
		if rel, err := filepath.Rel(dir, end); test.ok && (err != nil || !filepath.IsLocal(rel)) {
			t.Errorf("accepted link %q to %q ends at %s", test.path, test.target, end)
		}
	}
}
