package runner

import (
	"bytes"
	"crypto/sha1"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A child of an earlier command can have written anything into the index of a
// worktree that stays. Only that of one cut by this process is taken over.
func TestIndexOfAnOldWorktreeIsNotBelieved(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	dir := filepath.Join(base, "repo")
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=ann", "-c", "user.email=ann@example.org"}, args...)...)
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + base, "GIT_CONFIG_NOSYSTEM=1"}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	write := func(path string, data []byte) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	file, index := filepath.Join(dir, "a.txt"), filepath.Join(dir, ".git", "index")
	write(file, []byte("one\n"))
	git("init", "-q", "-b", "main")
	git("add", "-A")
	git("commit", "-q", "-m", "base")
	head, was := git("rev-parse", "HEAD"), git("rev-parse", "HEAD:a.txt")

	// The stat data of what is there now, beside the object id of what was.
	write(file, []byte("two\n"))
	old := time.Unix(1700000000, 0) // than any index: git need not look twice
	if err := os.Chtimes(file, old, old); err != nil {
		t.Fatal(err)
	}
	git("add", "a.txt")
	data, err := os.ReadFile(index)
	if err != nil {
		t.Fatal(err)
	}
	body := bytes.Replace(data[:len(data)-sha1.Size], unhex(t, git("rev-parse", ":a.txt")), unhex(t, was), 1)
	sum := sha1.Sum(body)
	write(index, append(body, sum[:]...))

	m, err := NewMachine(t.Context(), []string{"PATH=" + os.Getenv("PATH")}, base, filepath.Join(base, "state"))
	if err != nil {
		t.Fatal(err)
	}
	// By then the change is too old to be distrusted for its own sake.
	m.Now = func() time.Time { return time.Now().Add(time.Hour) }
	for id, fresh := range map[string]bool{"fresh": true, "old": false} {
		judge, err := m.Judge(t.Context(), id, dir, filepath.Join(dir, ".git"), head, head, fresh)
		if err != nil {
			t.Fatal(err)
		}
		snap, err := judge.Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if seen := len(snap.Changes) == 1; seen == fresh {
			t.Errorf("%s worktree: %d changes seen", id, len(snap.Changes))
		}
	}
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
