//go:build linux

package proc_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tolboy/warden/internal/proc"
	"github.com/tolboy/warden/internal/sandbox"
)

// On a hosted runner the worktree lies in the home of the user whose home is
// replaced. The private home comes first and the worktree on top of it; what is
// protected in it stays protected, and the rest of the real home stays hidden.
func TestWorktreeInTheReplacedHome(t *testing.T) {
	t.Parallel()
	bwrap, err := proc.LookPath("bwrap", os.Environ())
	if err != nil {
		if os.Getenv("WARDEN_REQUIRE_BWRAP") == "1" || os.Getenv("CI") == "true" {
			t.Fatalf("bubblewrap is required here: %v", err)
		}
		t.Skipf("no bubblewrap: %v", err)
	}
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home, private := filepath.Join(base, "home"), filepath.Join(base, "private")
	tree := filepath.Join(home, "work", "tree")
	for _, dir := range []string{filepath.Join(tree, ".warden"), private} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	secret := filepath.Join(home, "secret")
	if err := os.WriteFile(secret, []byte("canary"), 0o600); err != nil {
		t.Fatal(err)
	}
	script := `echo ok > file && echo private > "$HOME/kept" && ! cat ` + secret + ` && ! (echo x > .warden/y)`
	command := proc.Command{Argv: []string{"/bin/sh", "-c", script}, Dir: tree, Env: proc.Environ(os.Environ(), nil), Timeout: time.Minute, Bwrap: bwrap,
		Sandbox: &sandbox.Spec{Backend: sandbox.Bubblewrap, Root: tree, Writable: true, Protect: []string{filepath.Join(tree, ".warden")},
			Home: home, MaskHomes: []string{home}, Mounts: []sandbox.Mount{{Source: private, Target: home, Writable: true}}}}
	res, err := proc.Run(t.Context(), command)
	if err != nil || !res.OK() {
		t.Fatalf("confined: %v, %s", err, res.Tails())
	}
	if _, err := os.Stat(filepath.Join(tree, "file")); err != nil {
		t.Errorf("the worktree was not written: %v", err)
	}
	if _, err := os.Stat(filepath.Join(private, "kept")); err != nil {
		t.Errorf("the private home was not written: %v", err)
	}
	// The same without the sandbox writes and reads both.
	command.Sandbox = nil
	command.Argv[2] = `cat ` + secret + ` && echo x > .warden/y`
	if res, err := proc.Run(t.Context(), command); err != nil || !res.OK() {
		t.Errorf("control: %v, %s", err, res.Tails())
	}
}
