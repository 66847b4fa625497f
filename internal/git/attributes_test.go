package git

import (
	"path/filepath"
	"testing"
)

// TestTreeAttributesDoNotBlind hides a change by an attribute that the tree itself
// holds: git reads "$Id: anything$" back as "$Id$", so an index that is made anew
// takes the file for unchanged.
func TestTreeAttributesDoNotBlind(t *testing.T) {
	t.Parallel()
	r := newRepo(t, map[string]string{".gitattributes": "*.sh ident\n", "id.sh": "# $Id$\n"})
	r.write("id.sh", "# $Id: x$\n")
	if out := r.git("diff", "HEAD"); out != "" {
		t.Fatalf("not hidden from plain git: %q", out)
	}
	j, err := clean(t).OpenJudge(t.Context(), JudgeConfig{
		Worktree: r.dir, GitDir: filepath.Join(realDir(t), "judge.git"), Source: r.path(".git"),
		Base: r.head(), Head: r.head(), DistrustIndex: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	wantPaths(t, look(t, j), "M id.sh")
}
