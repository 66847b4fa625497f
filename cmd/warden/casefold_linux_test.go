package main

import (
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
	can, err := folds()
	if err != nil {
		t.Fatal(err)
	}
	if !can {
		t.Skip("no file system that ignores case can be mounted here: nothing about one was tested")
	}
	dir := t.TempDir()
	at := filepath.Join(dir, "mounted")
	unmount, err := fold(filepath.Join(dir, "image"), at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unmount(); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	return at
}
