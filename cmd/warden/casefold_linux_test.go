package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestCaseFolding runs scripts whose home, state, repository and worktrees all lie on
// a file system that takes two spellings of a name for one.
func TestCaseFolding(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/casefold",
		WorkdirRoot:         foldingDir(t),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               lay,
		Cmds:                commands(),
	})
}

// foldingDir mounts such a file system for the time of the test.
func foldingDir(t *testing.T) string {
	t.Helper()
	if os.Getuid() != 0 {
		if os.Getenv("WARDEN_REQUIRE_CASEFOLD") == "1" {
			t.Fatal("a file system that ignores case is required here, and mounting one needs root")
		}
		t.Skip("mounting a file system that ignores case needs root")
	}
	dir := t.TempDir()
	image, at := filepath.Join(dir, "image"), filepath.Join(dir, "mounted")
	if err := os.WriteFile(image, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(image, 256<<20); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(at, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"mkntfs", "-F", "-Q", "-q", image},
		{"lowntfs-3g", "-o", "ignore_case,permissions", image, at},
	} {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			if os.Getenv("WARDEN_REQUIRE_CASEFOLD") == "1" || os.Getenv("CI") == "true" {
				t.Fatalf("a file system that ignores case is required here: %s: %v: %s", args[0], err, out)
			}
			t.Skipf("no file system that ignores case can be mounted: %s: %v: %s (scripts/test installs ntfs-3g; it needs /dev/fuse too)", args[0], err, out)
		}
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", at).CombinedOutput(); err != nil {
			t.Errorf("umount: %v: %s", err, out)
		}
	})
	if err := os.WriteFile(filepath.Join(at, "Probe"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(at, "PROBE")); err != nil {
		t.Fatalf("the file system does not ignore case: %v", err)
	}
	return at
}
