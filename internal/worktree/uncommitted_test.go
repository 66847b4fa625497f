package worktree

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestChanges finds what a checkout has beside its commit, leaves the checkout as it
// is and starts nothing that the repository names.
func TestChanges(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	mark := filepath.Join(realDir(t), "mark")
	r.write(".warden/project.yaml", "one\n")
	r.write(".gitattributes", "*.txt filter=x\n")
	r.write(".gitignore", "ignored*\n")
	r.git("add", "-A")
	r.git("commit", "-q", "-m", "contract")
	r.git("config", "filter.x.clean", "touch '"+mark+"'; cat")
	for name, text := range map[string]string{
		"a.txt": "two\n", "new.txt": "x", "ignored": "x", ".warden/project.yaml": "two\n",
		".warden/tasks/ignored.yaml": "x", ".warden/runs/r/x.json": "x",
	} {
		r.write(name, text)
	}
	index := filepath.Join(r.dir, ".git", "index")
	before, err := os.Stat(index)
	if err != nil {
		t.Fatal(err)
	}
	// The index no longer knows the file by its time, so git looks into it.
	if err := os.Chtimes(filepath.Join(r.dir, ".gitignore"), time.Time{}, time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	got, err := Changes(t.Context(), clean(t), r.dir)
	if err != nil {
		t.Fatal(err)
	}
	want := Uncommitted{Contract: []string{".warden/project.yaml", ".warden/tasks/ignored.yaml"}, Other: []string{"a.txt", "new.txt"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Changes (-want +got):\n%s", diff)
	}
	if _, err := os.Lstat(mark); err == nil {
		t.Error("a filter of the repository ran")
	}
	if after, err := os.Stat(index); err != nil || !os.SameFile(before, after) || !after.ModTime().Equal(before.ModTime()) {
		t.Errorf("the index of the checkout was written: %v", err)
	}
}

// TestUndo takes back what was new and nothing else.
func TestUndo(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		placement Placement
		tree      bool
		branch    bool
	}{{Created, false, false}, {Attached, false, true}, {Joined, true, true}} {
		r := newRepo(t)
		s := r.spec(filepath.Join(realDir(t), "tree"))
		switch c.placement {
		case Attached:
			r.git("branch", s.Branch)
		case Joined:
			r.git("worktree", "add", "-q", "-b", s.Branch, s.Dir)
		}
		seen, commit, err := Foresee(t.Context(), clean(t), s)
		if err != nil || seen != (Tree{Dir: s.Dir, Branch: s.Branch, Placement: c.placement}) || commit != r.head() {
			t.Errorf("Foresee = %+v at %s, %v", seen, commit, err)
		}
		tree, err := Cut(t.Context(), clean(t), s)
		tree.Settings = nil // nobody foresees them
		if err != nil || tree != seen {
			t.Fatalf("Cut = %+v, %v, foreseen was %+v", tree, err, seen)
		}
		if err := Undo(t.Context(), clean(t), r.dir, tree, s.Start); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(s.Dir); (err == nil) != c.tree {
			t.Errorf("%s: the tree is there: %v", c.placement, err == nil)
		}
		if got := r.git("branch", "--list", s.Branch) != ""; got != c.branch {
			t.Errorf("%s: the branch is there: %v", c.placement, got)
		}
	}
}
