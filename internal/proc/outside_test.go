package proc

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A tree is known by its contract, or as the checkout around a directory; what is
// reached through a link in it is in it.
func TestLookOutside(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	for _, dir := range []string{"project/.warden", "project/bin", "checkout/.git", "checkout/deep/bin", "fine", "links", "free"} {
		if err := os.MkdirAll(filepath.Join(base, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"project/.warden/project.yaml", "project/bin/tool", "checkout/deep/bin/tool", "fine/tool"} {
		if err := os.WriteFile(filepath.Join(base, file), nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{
		"links/tool":  "../project/bin/tool", // into the tree
		"links/dir":   "../project/bin",
		"project/out": base + "/fine", // out of the tree, and the tree's to turn
		"free/tool":   base + "/fine/tool",
	} {
		if err := os.Symlink(target, filepath.Join(base, link)); err != nil {
			t.Skipf("no links here: %v", err)
		}
	}
	for _, tc := range []struct {
		name, dir, around string
		inside            bool
	}{
		{"beside a contract", "project/bin", "", true},
		{"a link to it", "links", "", true},
		{"a directory that is a link to it", "links/dir", "", true},
		{"through a link in it", "project/out", "", true},
		{"a checkout that nobody works on", "checkout/deep/bin", "", false},
		{"the checkout that is worked on", "checkout/deep/bin", "checkout", true},
		{"the same, named from below", "checkout/deep/bin", "checkout/deep/bin", true},
		{"elsewhere", "fine", "checkout", false},
		{"a link to elsewhere", "free", "checkout", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var around []string
			if tc.around != "" {
				around = append(around, filepath.Join(base, tc.around))
			}
			dir, last := filepath.Join(base, tc.dir), filepath.Join(base, "fine")
			_, err := LookOutside("tool", []string{"PATH=" + dir}, around...)
			var missing *NotFoundError
			if inside := errors.As(err, &missing) && missing.Inside; inside != tc.inside || !inside && err != nil {
				t.Errorf("alone: %v", err)
			}
			want := filepath.Join(dir, "tool")
			if tc.inside {
				want = filepath.Join(last, "tool")
			}
			env := []string{"PATH=" + dir + string(os.PathListSeparator) + last}
			if got, err := LookOutside("tool", env, around...); err != nil || got != want {
				t.Errorf("found %q, %v, want %q", got, err, want)
			}
		})
	}
}

// An entry that is not there yet can be made by whoever works in the tree.
func TestPathOutside(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	if err := os.MkdirAll(filepath.Join(base, "tree", ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	tree, kept, list := filepath.Join(base, "tree"), filepath.Join(base, "usr"), string(os.PathListSeparator)
	env := []string{"A=b", "PATH=" + filepath.Join(tree, ".venv", "bin") + list + kept + list + "rel" + list + tree}
	if got := PathOutside(env, tree); got != kept {
		t.Errorf("got %q, want %q", got, kept)
	}
}
