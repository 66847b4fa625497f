package runner_test

import (
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tolboy/warden/internal/runner"
	"github.com/tolboy/warden/internal/sandbox"
)

// HOME may name another directory than the account's home, as in a job's
// container. A check sees nothing of either.
func TestNoHomeIsSeen(t *testing.T) {
	t.Parallel()
	account, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	base := t.TempDir()
	home, tree := filepath.Join(base, "home"), filepath.Join(base, "tree")
	for _, dir := range []string{home, tree} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(home, "canary"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	environ := []string{"PATH=/usr/bin:/bin", "HOME=" + home}
	m, err := runner.NewMachine(t.Context(), environ, home, filepath.Join(base, "state"))
	if err != nil {
		t.Fatal(err)
	}
	if m.Sandbox.Backend == sandbox.None {
		if os.Getenv("WARDEN_REQUIRE_BWRAP") != "" || os.Getenv("CI") == "true" {
			t.Fatalf("no sandbox: %s", m.Sandbox.Reason)
		}
		t.Skipf("no sandbox on this machine: %s", m.Sandbox.Reason)
	}
	spec, err := m.Checks("r1", tree)
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{home, account.HomeDir} {
		seen := func(argv ...string) string {
			out, err := exec.Command(argv[0], argv[1:]...).Output()
			if err != nil {
				t.Fatalf("%q: %v", argv[len(argv)-1], err)
			}
			return strings.TrimSpace(string(out))
		}
		if seen("/bin/ls", "-A", dir) == "" {
			t.Logf("%s is empty: nothing to hide", dir)
			continue
		}
		argv, err := spec.Wrap(m.Sandbox.Path, []string{"/bin/ls", "-A", dir})
		if err != nil {
			t.Fatal(err)
		}
		for name := range strings.FieldsSeq(seen(argv...)) {
			if !slices.Contains([]string{"go", ".cargo", ".m2"}, name) { // on the way to a shared cache
				t.Errorf("a check sees %q in %s", name, dir)
			}
		}
	}
}
