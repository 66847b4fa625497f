package git

import (
	"os"
	"path/filepath"
	"testing"
)

// TestLinkOfTheWorktree: a child that leads .git elsewhere would have the operator's
// next git there run with settings of its own.
func TestLinkOfTheWorktree(t *testing.T) {
	t.Parallel()
	r := newRepo(t, map[string]string{"a.txt": "one\n"})
	tree := filepath.Join(filepath.Dir(r.dir), "tree")
	r.git("worktree", "add", "-q", "--detach", tree)
	head := r.git("rev-parse", "HEAD")
	j, err := clean(t).OpenJudge(t.Context(), JudgeConfig{Worktree: tree, GitDir: filepath.Join(filepath.Dir(r.dir), "judge.git"),
		Source: filepath.Join(r.dir, ".git"), Base: head, Head: head})
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(tree, ".git")
	good, err := os.ReadFile(link)
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := newRepo(t, nil)
	write := func(text string) func() error {
		return func() error { return os.WriteFile(link, []byte(text), 0o644) }
	}
	for _, step := range []struct {
		name    string
		do      func() error
		refused bool
	}{
		{"as it was made", func() error { return nil }, false},
		{"another repository", write("gitdir: " + filepath.Join(elsewhere.dir, ".git") + "\n"), true},
		{"nowhere", write("gitdir: /nowhere\n"), true},
		{"no link", write("x"), true},
		{"relative", write("gitdir: ../" + filepath.Base(r.dir) + "/.git/worktrees/tree\n"), false},
		{"a repository of its own", func() error { return os.Rename(filepath.Join(elsewhere.dir, ".git"), link) }, true},
		{"gone", func() error { return nil }, false},
		{"a symbolic link", func() error { return os.Symlink(r.dir, link) }, true},
		{"put back", write(string(good)), false},
	} {
		if step.name != "as it was made" {
			if err := os.RemoveAll(link); err != nil {
				t.Fatal(err)
			}
		}
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		snap, err := j.Snapshot(t.Context())
		if err != nil {
			t.Errorf("%s: %v", step.name, err)
			continue
		}
		if got := len(snap.Refused) == 1 && snap.Refused[0].Path == ".git" && snap.Refused[0].Why == movedLink; got != step.refused || len(snap.Refused) > 1 {
			t.Errorf("%s: refused %+v", step.name, snap.Refused)
		}
	}
}
