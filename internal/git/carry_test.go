package git

import (
	"path/filepath"
	"strings"
	"testing"
)

// bare is a git directory of Warden's own that reads the objects of the others.
func bare(t *testing.T, from ...string) string {
	t.Helper()
	dir := filepath.Join(realDir(t), "own.git")
	spec := DirSpec{Dir: dir, Bare: true}
	for _, f := range from {
		spec.Alternates = append(spec.Alternates, filepath.Join(f, "objects"))
	}
	must(t, MakeDir(spec))
	return dir
}

func TestCarry(t *testing.T) {
	t.Parallel()
	const ref = "refs/candidates/issue-1-1"
	g, err := New()
	must(t, err)
	r := newRepo(t, map[string]string{"a.txt": "base\n", "dir/b.txt": "base\n"})
	base := r.git("rev-parse", "HEAD")
	mirror := bare(t)
	r.git("push", "-q", mirror, base+":refs/heads/main")
	r.write("dir/b.txt", "candidate\n")
	r.git("commit", "-q", "-a", "-m", "candidate")
	first := r.git("rev-parse", "HEAD")
	r.write("c.txt", "candidate\n")
	r.git("add", "-A")
	r.git("commit", "-q", "-m", "another")
	second := r.git("rev-parse", "HEAD")

	source, to := filepath.Join(r.dir, ".git"), bare(t, mirror)
	at := func(dir string) string {
		out, err := g.Run(t.Context(), dir, "for-each-ref", "--format=%(refname) %(objectname)")
		must(t, err)
		return strings.TrimSpace(string(out))
	}
	if err := g.Carry(t.Context(), source, to, second, ref); err == nil || at(to) != "" {
		t.Errorf("a commit whose parent is not there: %v, refs %q", err, at(to))
	}
	for _, commit := range []string{first, second} {
		must(t, g.Carry(t.Context(), source, to, commit, ref))
		if got := at(to); got != ref+" "+commit {
			t.Errorf("refs %q", got)
		}
	}
	// Whole, and without what was there already.
	if _, err := g.Run(t.Context(), to, "fsck", "--strict", "--no-dangling"); err != nil {
		t.Error(err)
	}
	mine, err := g.Run(t.Context(), to, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)", "--unordered")
	must(t, err)
	theirs, err := g.Run(t.Context(), mirror, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)", "--unordered")
	must(t, err)
	// Two commits, three trees, two blobs of which one is stored once.
	if got := len(strings.Fields(string(mine))) - len(strings.Fields(string(theirs))); got != 6 {
		t.Errorf("%d objects were carried", got)
	}
	for _, bad := range [][2]string{{"HEAD", ref}, {first, "refs/heads/../x"}, {first, "--stdin"}, {strings.Repeat("1", 40), ref}} {
		if err := g.Carry(t.Context(), source, to, bad[0], bad[1]); err == nil {
			t.Errorf("carried %q to %q", bad[0], bad[1])
		}
	}
	if got := at(to); got != ref+" "+second {
		t.Errorf("refs %q", got)
	}
}
