package git

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// canary is a program that a repository may name. It leaves a mark when it runs.
type canary struct {
	t    *testing.T
	mark string
	path string
}

// newCanary makes a program that leaves the mark and then does what script says.
func newCanary(t *testing.T, script string) canary {
	t.Helper()
	dir := realDir(t)
	c := canary{t: t, mark: filepath.Join(dir, "mark"), path: filepath.Join(dir, "program")}
	text := "#!/bin/sh\n: > '" + c.mark + "'\n" + script + "\n"
	if err := os.WriteFile(c.path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return c
}

// ran reports whether the program ran since it was last asked.
func (c canary) ran() bool {
	c.t.Helper()
	err := os.Remove(c.mark)
	if err != nil && !os.IsNotExist(err) {
		c.t.Fatal(err)
	}
	return err == nil
}

// TestJudgeIsNotBlinded hides a change from the repository's own git directory,
// shows that it is hidden there, and that the Judge sees it.
func TestJudgeIsNotBlinded(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		hide func(t *testing.T, r *repo)
		// early hides before the Judge is opened, too.
		early   bool
		control []string // plain git command that must print nothing
		want    string
	}{
		{"assume-unchanged", func(t *testing.T, r *repo) {
			r.git("update-index", "--assume-unchanged", "a.txt")
			r.write("a.txt", "hidden change\n")
		}, true, []string{"status", "--porcelain"}, "M a.txt"},
		{"skip-worktree", func(t *testing.T, r *repo) {
			r.git("update-index", "--skip-worktree", "a.txt")
			r.write("a.txt", "hidden change\n")
		}, true, []string{"status", "--porcelain"}, "M a.txt"},
		{"skip-worktree_deletion", func(t *testing.T, r *repo) {
			r.git("update-index", "--skip-worktree", "a.txt")
			r.remove("a.txt")
		}, false, []string{"status", "--porcelain"}, "D a.txt"},
		{"info_exclude", func(t *testing.T, r *repo) {
			if err := os.WriteFile(r.path(".git/info/exclude"), []byte("hidden*\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			r.write("hidden.txt", "new\n")
		}, true, []string{"status", "--porcelain", "-uall"}, "A hidden.txt"},
		{"core.excludesFile_set_by_a_child", func(t *testing.T, r *repo) {
			list := filepath.Join(realDir(t), "list")
			if err := os.WriteFile(list, []byte("hidden*\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			r.git("config", "core.excludesFile", list)
			r.write("hidden.txt", "new\n")
		}, false, []string{"status", "--porcelain", "-uall"}, "A hidden.txt"},
		{"replace_refs", func(t *testing.T, r *repo) {
			r.write("a.txt", "hidden change\n")
			r.git("add", "a.txt")
			tree := r.git("write-tree")
			r.git("replace", r.head(), r.git("commit-tree", tree, "-m", "other"))
		}, true, []string{"diff", "--raw", "HEAD"}, "M a.txt"},
		{"replace_refs_of_a_blob", func(t *testing.T, r *repo) {
			r.write("a.txt", "hidden change\n")
			r.git("replace", r.git("rev-parse", "HEAD:a.txt"), r.git("hash-object", "-w", "a.txt"))
		}, true, []string{"diff", "HEAD"}, "M a.txt"},
		{"ident_attribute", func(t *testing.T, r *repo) {
			r.write(".git/info/attributes", "* ident\n")
			r.write("id.sh", "# $Id: x$\n")
		}, true, []string{"diff", "HEAD"}, "M id.sh"},
		{"stat_data", func(t *testing.T, r *repo) {
			r.git("config", "core.trustctime", "false")
			r.git("config", "core.checkStat", "minimal")
			info, err := os.Stat(r.path("old.txt"))
			if err != nil {
				t.Fatal(err)
			}
			r.write("old.txt", "OLD\n")
			if err := os.Chtimes(r.path("old.txt"), info.ModTime(), info.ModTime()); err != nil {
				t.Fatal(err)
			}
		}, false, []string{"status", "--porcelain"}, "M old.txt"},
	}
	for _, test := range tests {
		for _, early := range []bool{false, true} {
			if early && !test.early {
				continue
			}
			name := test.name + "/hidden_later"
			if early {
				name = test.name + "/hidden_before"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				r := newRepo(t, map[string]string{"a.txt": "one\n", "id.sh": "# $Id$\n", "old.txt": "old\n"})
				age(t, r, "old.txt")
				var j *Judge
				if early {
					test.hide(t, r)
					j = r.judge()
				} else {
					j = r.judge()
					test.hide(t, r)
				}
				if out := r.git(test.control...); out != "" {
					t.Fatalf("not hidden from plain git: %q", out)
				}
				s := look(t, j)
				wantPaths(t, s, test.want)
				if len(s.Refused) > 0 {
					t.Errorf("refused: %s", refusals(s))
				}
			})
		}
	}
}

// age makes a file older than the index, so that git trusts what it knows of it.
func age(t *testing.T, r *repo, name string) {
	t.Helper()
	info, err := os.Stat(r.path(".git"))
	if err != nil {
		t.Fatal(err)
	}
	old := info.ModTime().Add(-1000 * 3600e9)
	if err := os.Chtimes(r.path(name), old, old); err != nil {
		t.Fatal(err)
	}
	r.git("update-index", "--refresh")
}

// TestJudgeRunsNothing lets a repository name a program, shows that plain git
// runs it, and that neither looking, showing nor committing does.
func TestJudgeRunsNothing(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		script  string
		arm     func(r *repo, program string)
		control []string
	}{
		{"filter_clean", "cat", func(r *repo, program string) {
			r.git("config", "filter.x.clean", program)
			r.git("config", "filter.x.required", "true")
			r.write(".gitattributes", "* filter=x\n")
		}, []string{"diff", "HEAD"}},
		{"filter_process", "exit 1", func(r *repo, program string) {
			r.git("config", "filter.x.process", program)
			r.write(".gitattributes", "* filter=x\n")
		}, []string{"diff", "HEAD"}},
		{"filter_in_info_attributes", "cat", func(r *repo, program string) {
			r.git("config", "filter.x.clean", program)
			r.write(".git/info/attributes", "* filter=x\n")
		}, []string{"diff", "HEAD"}},
		{"core.fsmonitor", `printf 'token\0'`, func(r *repo, program string) {
			r.git("config", "core.fsmonitor", program)
		}, []string{"status"}},
		{"textconv", "cat \"$1\"", func(r *repo, program string) {
			r.git("config", "diff.x.textconv", program)
			r.write(".gitattributes", "* diff=x\n")
		}, []string{"diff", "HEAD"}},
		{"diff.x.command", "", func(r *repo, program string) {
			r.git("config", "diff.x.command", program)
			r.write(".gitattributes", "* diff=x\n")
		}, []string{"diff", "HEAD"}},
		{"diff.external", "", func(r *repo, program string) {
			r.git("config", "diff.external", program)
		}, []string{"diff", "HEAD"}},
		{"hook_post-index-change", "", func(r *repo, program string) {
			r.write(".git/hooks/post-index-change", "#!/bin/sh\nexec '"+program+"'\n")
			os.Chmod(r.path(".git/hooks/post-index-change"), 0o755)
		}, []string{"add", "-N", "new.txt"}},
		{"hooks_path", "", func(r *repo, program string) {
			r.write("hooks/post-index-change", "#!/bin/sh\nexec '"+program+"'\n")
			os.Chmod(r.path("hooks/post-index-change"), 0o755)
			r.git("config", "core.hooksPath", "hooks")
		}, []string{"add", "-N", "new.txt"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, map[string]string{"a.txt": "one\n"})
			head, c := r.head(), newCanary(t, test.script)
			j := r.judge()
			test.arm(r, c.path)
			r.write("a.txt", "two\n")
			r.write("new.txt", "new\n")

			r.try(test.control...)
			if !c.ran() {
				t.Fatal("plain git did not run the program, so the test shows nothing")
			}
			s := look(t, j)
			for _, want := range []string{"M a.txt", "A new.txt"} {
				if !strings.Contains(paths(s), want) {
					t.Errorf("changes = %q without %q", paths(s), want)
				}
			}
			if text, _, err := j.Diff(t.Context(), 1<<20); err != nil || !strings.Contains(text, "+two") {
				t.Errorf("diff = %q, %v", text, err)
			}
			if _, err := j.Commit(t.Context(), spec(head)); err != nil {
				t.Error(err)
			}
			again := r.judge()
			look(t, again)
			if c.ran() {
				t.Error("the program ran")
			}
		})
	}
}

// TestRunIsClean covers the calls that are made in the repository's own git directory.
func TestRunIsClean(t *testing.T) {
	t.Parallel()
	r := newRepo(t, map[string]string{"a.txt": "one\n"})
	c := newCanary(t, "cat")
	r.git("config", "core.fsmonitor", c.path)
	r.git("config", "diff.external", c.path)
	r.write("a.txt", "two\n")
	g := clean(t)
	for _, args := range [][]string{{"status"}, {"diff", "HEAD"}, {"log", "-p"}} {
		r.try(args...)
		control := c.ran()
		if _, err := g.Run(t.Context(), r.dir, args...); err != nil {
			t.Error(err)
		}
		if c.ran() {
			t.Errorf("git %s ran a program of the repository", args[0])
		}
		if !control && args[0] != "log" {
			t.Errorf("plain git %s did not run it, so the test shows nothing", args[0])
		}
	}
}

func TestBareRepositoryInTheWorktree(t *testing.T) {
	t.Parallel()
	r := newRepo(t, map[string]string{"a.txt": "one\n"})
	j, c := r.judge(), newCanary(t, "")
	r.git("init", "-q", "--bare", "sub/trap")
	r.write("sub/trap/config", "[core]\n\tbare = true\n[alias]\n\tsprung = !"+c.path+"\n")

	r.try("-C", "sub/trap", "sprung")
	if !c.ran() {
		t.Fatal("plain git does not fall into the trap, so the test shows nothing")
	}
	s := look(t, j)
	if !strings.Contains(refusals(s), "sub/trap: a bare repository") {
		t.Errorf("refused = %q", refusals(s))
	}
	if _, err := clean(t).Run(t.Context(), r.path("sub/trap"), "sprung"); err == nil {
		t.Error("git worked in a bare repository that it found")
	}
	if c.ran() {
		t.Error("the program ran")
	}
	if _, err := j.Commit(t.Context(), spec(r.head())); err == nil {
		t.Error("the tree was committed")
	}
}
