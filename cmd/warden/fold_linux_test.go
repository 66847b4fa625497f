package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"
)

// foldCommand is the script command `fold DIR`: a file system on DIR that takes names
// which differ in case for one, as NTFS does. It is mounted from an image through FUSE.
func foldCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: fold dir")
	}
	dir := ts.MkAbs(args[0])
	unmount, err := fold(ts.MkAbs(dir+".img"), dir)
	ts.Check(err)
	ts.Defer(func() { ts.Check(unmount()) })
}

// fold makes the file system and returns what takes it away again.
func fold(image, dir string) (unmount func() error, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	f, err := os.Create(image)
	if err != nil {
		return nil, err
	}
	if err := f.Truncate(64 << 20); err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	for _, argv := range [][]string{{"mkntfs", "-F", "-Q", "-q", image}, {"lowntfs-3g", "-o", "ignore_case,permissions", image, dir}} {
		if out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%s: %w: %s", argv[0], err, out)
		}
	}
	return func() error { return syscall.Unmount(dir, 0) }, nil
}

// folds reports whether such a file system can be had. Where it is required, why not
// is an error.
func folds() (bool, error) {
	dir, err := os.MkdirTemp("", "warden-fold-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	unmount, err := fold(filepath.Join(dir, "image"), filepath.Join(dir, "at"))
	if err == nil {
		err = unmount()
	}
	if err != nil && os.Getenv("WARDEN_REQUIRE_CASEFOLD") == "1" {
		return false, fmt.Errorf("a file system that ignores case is required here: %w", err)
	}
	return err == nil, nil
}
