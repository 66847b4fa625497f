package git

import (
	"errors"
	"os"
	"strings"
	"testing"
)

// TestRestore_PL01 holds that what a reader changed is taken back, and that the
// operator's own uncommitted work is where it was.
func TestRestore_PL01(t *testing.T) {
	t.Parallel()
	const crlf = "one\r\ntwo\r\n"
	for name, disturb := range map[string]func(r *repo){
		"PL-01 a new file":               func(r *repo) { r.write("new/deep.txt", "x") },
		"PL-01 an edited file":           func(r *repo) { r.write("edited.txt", "theirs") },
		"PL-01 the operator's note":      func(r *repo) { r.write("note.txt", "theirs") },
		"PL-01 the note is gone":         func(r *repo) { r.remove("note.txt") },
		"PL-01 a committed file":         func(r *repo) { r.write("kept.txt", "theirs") },
		"PL-01 a committed file is gone": func(r *repo) { r.remove("kept.txt") },
		"PL-01 an edit is reverted":      func(r *repo) { r.write("edited.txt", "base\n") },
		"PL-01 a deletion is reverted":   func(r *repo) { r.write("deleted.txt", "base\n") },
		"PL-01 a deletion is filled":     func(r *repo) { r.write("deleted.txt", "theirs") },
		"PL-01 the contract":             func(r *repo) { r.write(".warden/tasks/t.yaml", "theirs") },
		"PL-01 line ends":                func(r *repo) { r.write("crlf.txt", "one\ntwo\n") },
		"PL-01 a mode":                   func(r *repo) { must(r.t, os.Chmod(r.path("kept.txt"), 0o755)) },
		"PL-01 a link for a file":        func(r *repo) { r.remove("kept.txt"); r.link("kept.txt", "/etc/passwd") },
		"PL-01 a link for a directory":   func(r *repo) { r.remove("dir"); r.link("dir", r.t.TempDir()) },
		"PL-01 the operator's link":      func(r *repo) { r.remove("link"); r.write("link", "theirs") },
		"PL-01 a directory for a file":   func(r *repo) { r.remove("kept.txt"); r.write("kept.txt/x", "theirs") },
		"PL-01 nothing":                  func(*repo) {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, map[string]string{"kept.txt": "base\n", "edited.txt": "base\n", "deleted.txt": "base\n", "dir/inner.txt": "base\n", "crlf.txt": crlf})
			r.write("edited.txt", "mine\n")
			r.write("note.txt", "mine, not committed\n")
			r.write("dir/mine.txt", "mine\n")
			r.write("crlf.txt", crlf+"three\r\n")
			r.remove("deleted.txt")
			r.link("link", "kept.txt")
			r.write(".warden/tasks/t.yaml", "mine\n")
			j := r.judge()
			before, err := j.Snapshot(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			was := r.git("status", "--porcelain", "--untracked-files=all")
			k, err := j.Keep(t.Context(), before)
			if err != nil {
				t.Fatal(err)
			}
			disturb(r)
			if err := j.Restore(t.Context(), k); err != nil {
				t.Fatal(err)
			}
			if is := r.git("status", "--porcelain", "--untracked-files=all"); is != was {
				t.Errorf("git says\n%s\nbefore\n%s", is, was)
			}
			for file, want := range map[string]string{"edited.txt": "mine\n", "note.txt": "mine, not committed\n", "dir/mine.txt": "mine\n", "crlf.txt": crlf + "three\r\n", "kept.txt": "base\n", "link": "base\n"} {
				if got, err := os.ReadFile(r.path(file)); err != nil || string(got) != want {
					t.Errorf("%s holds %q, %v; want %q", file, got, err, want)
				}
			}
		})
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// What cannot be put back is an error, never a worktree that only looks the same.
func TestRestoreFails(t *testing.T) {
	t.Parallel()
	r := newRepo(t, map[string]string{"a.txt": "base\n"})
	j := r.judge()
	before, err := j.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	k, err := j.Keep(t.Context(), before)
	if err != nil {
		t.Fatal(err)
	}
	r.git("init", "-q", "nested")
	r.write("nested/x", "theirs")
	if err := j.Restore(t.Context(), k); err == nil || !strings.Contains(err.Error(), "restore the worktree") {
		t.Errorf("a repository in the repository was taken for restored: %v", err)
	}
}

func TestKeepIsBounded(t *testing.T) {
	t.Parallel()
	r := newRepo(t, map[string]string{"a.txt": "base\n"})
	f, err := os.Create(r.path("big"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Truncate(maxKept+1), f.Close()); err != nil {
		t.Fatal(err)
	}
	j := r.judge()
	before, err := j.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := j.Keep(t.Context(), before); !errors.Is(err, ErrKeepTooMuch) {
		t.Errorf("kept: %v", err)
	}
}
