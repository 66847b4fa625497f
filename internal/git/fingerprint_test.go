package git

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func caseGF01ReadOnlyProofSeesAChangeInADirtyFile(t *testing.T) {
	t.Parallel()
	r := newRepo(t, map[string]string{"a.txt": "one\n"})
	j := r.judge()
	r.write("a.txt", "one\ntwo\n")
	before := look(t, j)
	r.write("a.txt", "one\ntwo\nthree\n")
	after := look(t, j)
	if diff := cmp.Diff(before.SourcePaths(), after.SourcePaths()); diff != "" {
		t.Errorf("the paths differ, so the test shows nothing: %s", diff)
	}
	if before.Full == after.Full || before.Source == after.Source {
		t.Error("the fingerprint did not move")
	}
}

func caseGF02CommittingDoesNotMoveTheFingerprint(t *testing.T) {
	t.Parallel()
	r := newRepo(t, map[string]string{
		"a.txt": "one\n", "gone.txt": "x\n", "moved.txt": "m\n", "file": "f\n", "dir/inner": "i\n", "kept.txt": "k\n",
		".warden/project.yaml": "name: p\n",
	})
	base := r.head()
	j := r.judge()
	r.write("a.txt", "two\n")
	r.remove("gone.txt")
	r.remove("moved.txt")
	r.write("sub/moved.txt", "m\n")
	r.remove("file")
	r.write("file/now-a-directory", "d\n")
	r.remove("dir")
	r.write("dir", "now a file\n")
	r.write("tool.sh", "#!/bin/sh\n")
	if err := os.Chmod(r.path("tool.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	r.link("link", "a.txt")
	r.write("with\nline \"end\".txt", "odd name\n")
	r.write("latin-\xe9.txt", "not UTF-8\n")
	untracked := look(t, j)
	want := "M a.txt, A dir, D dir/inner, D file, A file/now-a-directory, D gone.txt, A latin-\xe9.txt, A link, D moved.txt, " +
		"A sub/moved.txt, A tool.sh, A with\nline \"end\".txt"
	wantPaths(t, untracked, want)

	commit, err := j.Commit(t.Context(), spec(base))
	if err != nil {
		t.Fatal(err)
	}
	check := func(name string, s Snapshot) {
		t.Helper()
		if s.Source != untracked.Source || s.Full != untracked.Full {
			t.Errorf("%s: the fingerprint moved: %s", name, cmp.Diff(untracked, s))
		}
	}
	check("after the commit", look(t, j))
	r.git("add", "-A")
	check("staged in the operator's index", look(t, j))

	// The same bytes, checked out elsewhere from the commit.
	r.git("fetch", "-q", j.GitDir(), commit)
	other := filepath.Join(realDir(t), "other")
	r.git("worktree", "add", "-q", "--detach", other, commit)
	again, err := clean(t).OpenJudge(t.Context(), JudgeConfig{
		Worktree: other, GitDir: filepath.Join(realDir(t), "again.git"), Source: r.path(".git"), Base: base, Head: commit,
	})
	if err != nil {
		t.Fatal(err)
	}
	check("checked out from the commit", look(t, again))
	if got := r.git("diff", "--stat", commit); got != "" {
		t.Errorf("the commit is not what the worktree holds: %s", got)
	}
}

func caseGF04DeletionModeRenameAndRestoring(t *testing.T) {
	t.Parallel()
	files := map[string]string{"del.txt": "d\n", "mode.sh": "m\n", "old.txt": "o\n", "type": "t\n"}
	tests := []struct {
		name     string
		do, undo func(r *repo)
		want     string
	}{
		{"deletion", func(r *repo) { r.remove("del.txt") }, func(r *repo) { r.write("del.txt", "d\n") }, "D del.txt"},
		{"mode", func(r *repo) { os.Chmod(r.path("mode.sh"), 0o755) }, func(r *repo) { os.Chmod(r.path("mode.sh"), 0o644) }, "M mode.sh"},
		{"rename", func(r *repo) { os.Rename(r.path("old.txt"), r.path("new.txt")) },
			func(r *repo) { os.Rename(r.path("new.txt"), r.path("old.txt")) }, "A new.txt, D old.txt"},
		{"type", func(r *repo) { r.remove("type"); r.link("type", "t\n") },
			func(r *repo) { r.remove("type"); r.write("type", "t\n") }, "T type"},
		{"empty_file", func(r *repo) { r.write("empty", "") }, func(r *repo) { r.remove("empty") }, "A empty"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, files)
			j := r.judge()
			before := look(t, j)
			wantPaths(t, before, "")
			test.do(r)
			moved := look(t, j)
			wantPaths(t, moved, test.want)
			if moved.Source == before.Source || moved.Full == before.Full {
				t.Error("the fingerprint did not move")
			}
			test.undo(r)
			if back := look(t, j); back.Source != before.Source || back.Full != before.Full {
				t.Errorf("the fingerprint did not come back: %s", paths(back))
			}
		})
	}
}

// Restoring counts against the base, also when Head has already moved away from it.
func caseGF04RestoringWhatHeadChanged(t *testing.T) {
	t.Parallel()
	r := newRepo(t, map[string]string{"a.txt": "one\n", "del.txt": "d\n", "same.txt": "s\n"})
	base := r.head()
	r.write("a.txt", "two\n")
	r.write("added.txt", "new\n")
	r.remove("del.txt")
	r.git("add", "-A")
	r.git("commit", "-q", "-m", "candidate")
	j := r.judgeAt(base, filepath.Join(realDir(t), "judge.git"))
	wantPaths(t, look(t, j), "M a.txt, A added.txt, D del.txt")
	r.write("a.txt", "one\n")
	r.remove("added.txt")
	r.write("del.txt", "other\n")
	wantPaths(t, look(t, j), "M del.txt")
	commit, err := j.Commit(t.Context(), spec(r.head()))
	if err != nil {
		t.Fatal(err)
	}
	r.git("fetch", "-q", j.GitDir(), commit)
	if got, want := r.git("diff", "--name-status", base, commit), "M\tdel.txt"; got != want {
		t.Errorf("the commit differs from the base in %q, want %q", got, want)
	}
	r.write("del.txt", "d\n")
	wantPaths(t, look(t, j), "")
}

func caseGF05OwnRecordsDoNotMoveTheFingerprint(t *testing.T) {
	t.Parallel()
	r := newRepo(t, map[string]string{".warden/project.yaml": "name: p\n", "a.txt": "one\n"})
	j := r.judge()
	r.write("a.txt", "two\n")
	first := look(t, j)
	r.write(".warden/runs/do-1/evidence.jsonl", "{}\n")
	if s := look(t, j); s.Source != first.Source || s.Full != first.Full {
		t.Errorf("a record of the run moved the fingerprint: %s", paths(s))
	}
	r.write(".warden/project.yaml", "name: q\n")
	r.write(".gitignore", "!/.warden/runs/\n")
	r.remove(".gitignore")
	s := look(t, j)
	if s.Source != first.Source {
		t.Error("the candidate's fingerprint covers .warden")
	}
	if s.Full == first.Full {
		t.Error("the read-only fingerprint does not see a change of the contract")
	}
	if diff := cmp.Diff([]string{".warden/project.yaml"}, s.ContractPaths()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"a.txt"}, s.SourcePaths()); diff != "" {
		t.Error(diff)
	}
	commit, err := j.Commit(t.Context(), spec(r.head()))
	if err != nil {
		t.Fatal(err)
	}
	r.git("fetch", "-q", j.GitDir(), commit)
	if got := r.git("diff", "--name-only", "HEAD", commit); got != "a.txt" {
		t.Errorf("the candidate changes %q", got)
	}
}

func caseGF05RecordsThatTheTreeAsksToShow(t *testing.T) {
	t.Parallel()
	r := newRepo(t, map[string]string{"a.txt": "one\n"})
	j := r.judge()
	r.write(".gitignore", "!/.warden/\n!/.warden/runs/\n")
	first := look(t, j)
	r.write(".warden/runs/do-1/evidence.jsonl", "{}\n")
	if s := look(t, j); s.Full != first.Full {
		t.Errorf("a record of the run moved the fingerprint: %s", paths(s))
	}
}

func caseGF08ChangesCountFromTheMergeBase(t *testing.T) {
	t.Parallel()
	r := newRepo(t, map[string]string{"a.txt": "one\n", "up.txt": "u\n"})
	r.git("checkout", "-q", "-b", "work")
	r.write("committed.txt", "c\n")
	r.git("add", "-A")
	r.git("commit", "-q", "-m", "work")
	r.git("checkout", "-q", "main")
	r.write("up.txt", "changed upstream\n")
	r.git("commit", "-q", "-am", "upstream")
	r.git("checkout", "-q", "work")
	g := clean(t)
	base, err := g.MergeBase(t.Context(), r.dir, "HEAD", "main")
	if err != nil {
		t.Fatal(err)
	}
	j := r.judgeAt(base, filepath.Join(realDir(t), "judge.git"))
	r.write("a.txt", "two\n")
	wantPaths(t, look(t, j), "M a.txt, A committed.txt")
	tip := r.judgeAt(r.git("rev-parse", "main"), filepath.Join(realDir(t), "tip.git"))
	if !strings.Contains(paths(look(t, tip)), "up.txt") {
		t.Error("counting from the tip shows no upstream change, so the test shows nothing")
	}
}

func caseGF12UnresolvableBase(t *testing.T) {
	t.Parallel()
	r := newRepo(t, map[string]string{"a.txt": "one\n"})
	r.git("commit", "-q", "--allow-empty", "-m", "second")
	g := clean(t)
	for _, rev := range []string{"origin/mian", "1234567", strings.Repeat("0", 39) + "1"} {
		_, err := g.Resolve(t.Context(), r.dir, rev)
		var unresolved *UnresolvableError
		if !errors.As(err, &unresolved) || unresolved.Rev != rev || unresolved.Shallow {
			t.Errorf("Resolve(%q) = %v", rev, err)
		}
	}
	if _, err := g.MergeBase(t.Context(), r.dir, "HEAD", "origin/mian"); !strings.Contains(err.Error(), `"origin/mian"`) {
		t.Errorf("the error does not name the ref: %v", err)
	}
	shallow := filepath.Join(realDir(t), "shallow")
	r.git("clone", "-q", "--depth", "1", "file://"+r.dir, shallow)
	_, err := g.Resolve(t.Context(), shallow, "origin/mian")
	var unresolved *UnresolvableError
	if !errors.As(err, &unresolved) || !unresolved.Shallow || !strings.Contains(err.Error(), "shallow") {
		t.Errorf("a shallow clone is not named as the cause: %v", err)
	}
	if _, err := g.Resolve(t.Context(), realDir(t), "HEAD"); err == nil || errors.As(err, &unresolved) {
		t.Errorf("outside a repository: %v", err)
	}
	tree := r.git("rev-parse", "HEAD^{tree}")
	if _, err := g.Resolve(t.Context(), r.dir, tree); !errors.As(err, &unresolved) {
		t.Errorf("a tree resolved as a commit: %v", err)
	}
	r.git("checkout", "-q", "--orphan", "island")
	r.git("commit", "-q", "--allow-empty", "-m", "island")
	if _, err := g.MergeBase(t.Context(), r.dir, "island", "main"); !errors.As(err, &unresolved) || unresolved.Other != "main" {
		t.Errorf("two histories: %v", err)
	}
}

func TestResolvePrefersABranchToATag(t *testing.T) {
	t.Parallel()
	r := newRepo(t, map[string]string{"a.txt": "one\n"})
	main := r.head()
	r.git("commit", "-q", "--allow-empty", "-m", "other")
	r.git("tag", "main", r.head())
	r.git("branch", "-f", "kept", main)
	r.git("checkout", "-q", "kept")
	r.git("update-ref", "refs/heads/main", main)
	if got := r.git("rev-parse", "main"); got == main {
		t.Fatal("plain git prefers the branch, so the test shows nothing")
	}
	got, err := clean(t).Resolve(t.Context(), r.dir, "main")
	if err != nil || got != main {
		t.Errorf("Resolve(main) = %s, %v, want %s", got, err, main)
	}
}

func caseGF13AliasedPath(t *testing.T) {
	t.Parallel()
	r := newRepo(t, map[string]string{"a.txt": "one\n"})
	alias := filepath.Join(realDir(t), "alias")
	if err := os.Symlink(r.dir, alias); err != nil {
		t.Fatal(err)
	}
	g := clean(t)
	root, err := g.Root(t.Context(), alias)
	if err != nil || root != r.dir {
		t.Errorf("Root = %q, %v, want %q", root, err, r.dir)
	}
	common, err := g.CommonDir(t.Context(), alias)
	if err != nil || common != r.path(".git") {
		t.Errorf("CommonDir = %q, %v", common, err)
	}
	j, err := g.OpenJudge(t.Context(), JudgeConfig{
		Worktree: alias, GitDir: filepath.Join(realDir(t), "judge.git"), Source: filepath.Join(alias, ".git"), Base: r.head(), Head: r.head(),
	})
	if err != nil {
		t.Fatal(err)
	}
	r.write("a.txt", "two\n")
	wantPaths(t, look(t, j), "M a.txt")
	inside := JudgeConfig{Worktree: r.dir, GitDir: filepath.Join(alias, "judge.git"), Source: r.path(".git"), Base: r.head(), Head: r.head()}
	if _, err := g.OpenJudge(t.Context(), inside); err == nil {
		t.Error("a git directory inside the worktree was accepted under another spelling")
	}
}

func caseEN05LineEndsOfTheCheckout(t *testing.T) {
	t.Parallel()
	const lf, crlf = "first\nsecond\n", "first\r\nsecond\r\n"
	fingerprint := func(t *testing.T, autocrlf, attributes, base, now string) (Snapshot, string) {
		t.Helper()
		r := newRepo(t, map[string]string{".gitattributes": attributes, "a.txt": base, "b.txt": base})
		r.git("config", "core.autocrlf", autocrlf)
		j := r.judge()
		r.write("a.txt", now)
		r.write("new.txt", now)
		s := look(t, j)
		commit, err := j.Commit(t.Context(), spec(r.head()))
		if err != nil && !errors.Is(err, ErrNothingToCommit) {
			t.Fatal(err)
		}
		if err != nil {
			return s, ""
		}
		r.git("fetch", "-q", j.GitDir(), commit)
		return s, r.git("cat-file", "blob", commit+":new.txt")
	}
	t.Run("converted", func(t *testing.T) {
		t.Parallel()
		unix, text := fingerprint(t, "false", "* text=auto\n", lf, lf+"third\n")
		dos, text2 := fingerprint(t, "true", "* text=auto\n", lf, crlf+"third\r\n")
		if unix.Source != dos.Source || text != text2 {
			t.Errorf("the line ends of the checkout moved the fingerprint: %s", cmp.Diff(unix, dos))
		}
	})
	t.Run("converted_by_the_operator_alone", func(t *testing.T) {
		t.Parallel()
		unix, _ := fingerprint(t, "false", "", lf, lf+"third\n")
		dos, _ := fingerprint(t, "true", "", lf, crlf+"third\r\n")
		if unix.Source != dos.Source {
			t.Errorf("the line ends of the checkout moved the fingerprint: %s", cmp.Diff(unix, dos))
		}
	})
	t.Run("untouched_but_for_line_ends", func(t *testing.T) {
		t.Parallel()
		dos, _ := fingerprint(t, "true", "* text=auto\n", lf, crlf)
		wantPaths(t, dos, "A new.txt")
	})
	t.Run("not_converted", func(t *testing.T) {
		t.Parallel()
		unix, _ := fingerprint(t, "false", "* -text\n", lf, lf+"third\n")
		dos, text := fingerprint(t, "true", "* -text\n", lf, crlf+"third\r\n")
		if unix.Source == dos.Source {
			t.Error("line ends that are part of the content do not move the fingerprint")
		}
		if text != crlf+"third\r" {
			t.Errorf("committed %q", text)
		}
	})
	t.Run("base_has_CRLF", func(t *testing.T) {
		t.Parallel()
		// With text=auto git leaves a file alone that is stored with CRLF.
		s, _ := fingerprint(t, "true", "", crlf, crlf+"third\r\n")
		wantPaths(t, s, "M a.txt, A new.txt")
	})
}
