package draft_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tolboy/warden/internal/draft"
	"github.com/tolboy/warden/internal/git"
)

func TestInitRepo(t *testing.T) {
	t.Parallel()
	g, err := git.New()
	if err != nil {
		t.Fatal(err)
	}
	dir := tree(t, "a.txt", "a", "src/b.txt", "b")
	if err := draft.InitRepo(t.Context(), g, dir); err != nil {
		t.Fatal(err)
	}
	out, err := g.Run(t.Context(), dir, "ls-tree", "-r", "--name-only", "HEAD")
	if err != nil || strings.Join(strings.Fields(string(out)), " ") != "a.txt src/b.txt" {
		t.Errorf("the baseline holds %q, %v", out, err)
	}
	status, err := g.Run(t.Context(), dir, "status", "--porcelain")
	if err != nil || len(status) > 0 {
		t.Errorf("status is %q, %v", status, err)
	}
	if err := draft.InitRepo(t.Context(), g, dir); err == nil {
		t.Error("a repository was made a second time")
	}

	empty := t.TempDir()
	if err := draft.InitRepo(t.Context(), g, empty); err != nil {
		t.Fatal(err)
	}
	if _, err := g.Resolve(t.Context(), empty, "HEAD"); err != nil {
		t.Errorf("an empty directory got no first commit: %v", err)
	}
	if _, err := os.Stat(filepath.Join(empty, ".git")); err != nil {
		t.Error(err)
	}
}
