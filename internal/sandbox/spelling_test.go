package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestSpellings stands hard links for the names that a file system which ignores case
// has for one file.
func TestSpellings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, ".git")
	if err := os.WriteFile(file, []byte("gitdir: x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h := host{lstat: os.Lstat}
	if got := h.spellings(file); len(got) > 0 {
		t.Errorf("where case counts: %q", got)
	}
	want := []string{filepath.Join(dir, ".GIT"), filepath.Join(dir, ".Git"), filepath.Join(dir, ".giT")}
	for _, name := range want {
		if err := os.Link(file, name); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, ".gIt"), nil, 0o600); err != nil { // another file
		t.Fatal(err)
	}
	got := h.spellings(file)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("= %q, want %q", got, want)
	}
	for _, none := range []string{dir, filepath.Join(dir, "missing")} {
		if got := h.spellings(none); len(got) > 0 {
			t.Errorf("%s: %q", none, got)
		}
	}
}
