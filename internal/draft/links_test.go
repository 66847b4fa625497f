package draft_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/tolboy/warden/internal/draft"
)

// A link that a repository brings is not written through, whether it leads out or
// not, and nothing is written beside it.
func TestNoLinks(t *testing.T) {
	t.Parallel()
	for _, link := range []string{".warden", ".warden/runs", ".warden/tasks"} {
		for _, target := range []string{"inside", t.TempDir(), "nowhere"} {
			dir := tree(t, "go.mod", "", "inside/keep", "")
			if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, link)), 0o755); err != nil {
				t.Fatal(err)
			}
			at := target
			if target == "inside" {
				at = filepath.Join(dir, target)
				if rel, err := filepath.Rel(filepath.Dir(filepath.Join(dir, link)), at); err == nil {
					target = rel
				}
			}
			if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
				t.Skipf("no links here: %v", err)
			}
			if _, err := draft.Init(t.Context(), draft.InitRequest{Root: dir}); !errors.Is(err, draft.ErrLink) {
				t.Errorf("%s -> %s: got %v, want ErrLink", link, target, err)
			}
			if _, err := os.Lstat(filepath.Join(dir, ".warden", "project.yaml")); err == nil {
				t.Errorf("%s -> %s: the contract was written", link, target)
			}
			if left, _ := os.ReadDir(at); len(left) > 1 {
				t.Errorf("%s -> %s: %v was written", link, target, left)
			}
		}
	}
}
