//go:build unix

package git

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// What is neither file nor link is found although git lists none of it, and a look
// ends although git would wait for ever.
func TestRefusedOddities(t *testing.T) {
	t.Parallel()
	refusedTrees(t, []refusedTree{
		{"pipe", func(r *repo) { r.pipe("dir/pipe") }, "dir/pipe: neither"},
		{"socket", func(r *repo) { r.socket("dir/s") }, "dir/s: neither"},
		{"pipe_that_git_would_open", func(r *repo) { r.write("b", "x\n"); r.pipe("dir/.gitignore") }, "dir/.gitignore: neither"},
		{"pipe_in_place_of_the_attributes", func(r *repo) { r.pipe(".gitattributes") }, ".gitattributes: neither"},
		{"pipe_in_place_of_the_submodules", func(r *repo) { r.pipe(".gitmodules") }, ".gitmodules: neither"},
		{"a_file_too_large_to_read", func(r *repo) { r.sparse("huge", 20<<30) }, "huge: larger than"},
		{"ignored_pipe", func(r *repo) { r.write(".gitignore", "p\n"); r.pipe("dir/p") }, ""},
	})
}

func (r *repo) pipe(name string) {
	r.t.Helper()
	if err := syscall.Mkfifo(r.path(name), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

func (r *repo) socket(name string) {
	r.t.Helper()
	// The name of a socket is short: it is bound elsewhere and moved.
	dir, err := os.MkdirTemp("", "s")
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { os.RemoveAll(dir) })
	l, err := new(net.ListenConfig).Listen(context.Background(), "unix", filepath.Join(dir, "s"))
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { l.Close() })
	if err := os.Rename(filepath.Join(dir, "s"), r.path(name)); err != nil {
		r.t.Fatal(err)
	}
}

func (r *repo) sparse(name string, size int64) {
	r.t.Helper()
	r.write(name, "")
	if err := os.Truncate(r.path(name), size); err != nil {
		r.t.Fatal(err)
	}
}

// A look takes over the stat data of a file whose inode has just changed. In the
// same second the file is written again, its size and time put back: for git,
// which compares seconds, nothing has happened.
func TestChangedTwiceInASecond(t *testing.T) {
	t.Parallel()
	r := newRepo(t, map[string]string{"a.txt": "one\n"})
	old := time.Unix(1700000000, 0)
	second := func() int64 {
		info, err := os.Lstat(r.path("a.txt"))
		if err != nil {
			t.Fatal(err)
		}
		at, _ := inodeChanged(info)
		return at.Unix()
	}
	touch := func() {
		if err := os.Chtimes(r.path("a.txt"), old, old); err != nil {
			t.Fatal(err)
		}
	}
	j := r.judge()
	for range 20 {
		r.write("a.txt", "one\n")
		touch()
		wantPaths(t, look(t, j), "")
		first := second()
		r.write("a.txt", "two\n")
		touch()
		if second() != first {
			continue // the second was over
		}
		wantPaths(t, look(t, j), "M a.txt")
		return
	}
	t.Fatal("no second was long enough for two changes and a look")
}
