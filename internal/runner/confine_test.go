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

// onTheWay are the first parts of the places that are shared: caches of package
// managers, and installed toolchains.
var onTheWay = []string{"go", ".cargo", ".m2", ".rustup", ".pyenv", ".rbenv", ".nvm", ".volta", ".asdf", ".local", ".sdkman", ".jenv", ".dotnet"}

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
			if !slices.Contains(onTheWay, name) {
				t.Errorf("a check sees %q in %s", name, dir)
			}
		}
	}
}

// A version manager's program on PATH is a small one that starts another below the
// home. Checks find it there, and may not change it.
func TestToolchainsAreShared(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	home := filepath.Join(base, "home")
	for _, dir := range []string{".rustup/toolchains/stable/bin", ".rustup/downloads", ".ssh"} {
		if err := os.MkdirAll(filepath.Join(home, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(home, ".rustup/settings.toml"), []byte("version = \"12\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := runner.NewMachine(t.Context(), []string{"PATH=/usr/bin:/bin", "HOME=" + home}, home, filepath.Join(base, "state"))
	if err != nil {
		t.Fatal(err)
	}
	m.Sandbox.Backend = sandbox.Bubblewrap // whether it is here does not matter to what would be shared
	spec, err := m.Checks("r1", base)
	if err != nil {
		t.Fatal(err)
	}
	shared := map[string]bool{}
	for _, mount := range spec.Mounts {
		if rel, err := filepath.Rel(home, mount.Target); err == nil && rel != "." && !strings.HasPrefix(rel, "..") {
			shared[rel] = mount.Writable
		}
	}
	for _, want := range []string{".rustup/toolchains", ".rustup/settings.toml"} {
		if writable, ok := shared[want]; !ok || writable {
			t.Errorf("%s is shared %t, writable %t", want, ok, writable)
		}
	}
	for _, not := range []string{".rustup", ".rustup/downloads", ".ssh"} {
		if _, ok := shared[not]; ok {
			t.Errorf("%s is shared", not)
		}
	}
}
