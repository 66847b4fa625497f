package vendor

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/sandbox"
)

// A home as operators have it: the program, the repository and the login lie in
// it beside keys that no vendor may see. The program starts, sees its login and
// the tree, and nothing else.
func TestConfinedProcess(t *testing.T) {
	t.Parallel()
	bwrap, err := exec.LookPath("bwrap")
	if err != nil {
		if os.Getenv("WARDEN_REQUIRE_BWRAP") == "1" || os.Getenv("CI") == "true" {
			t.Fatalf("bubblewrap is required here: %v", err)
		}
		t.Skip("skipped: bubblewrap is not installed, so no confined process is tested")
	}
	home := t.TempDir()
	root := filepath.Join(home, "src", "repo")
	for name, text := range map[string]string{
		"src/repo/a.txt": "one\n", "src/other/b.txt": "private\n", ".ssh/id": "private\n", ".cli/auth.json": "login\n",
		".local/bin/stub": "#!/bin/sh\ncat > /dev/null\n" +
			"test \"$(cat \"$HOME/.cli/auth.json\")\" = login || exit 11\n" +
			"test \"$HOME\" = '" + home + "' || test -n \"$FREE_HOME\" || exit 12\n" +
			"if cat '" + home + "/.ssh/id' '" + home + "/src/other/b.txt' 2>/dev/null; then exit 13; fi\n" +
			"test -r '" + root + "/a.txt' || exit 14\n" +
			"echo two >> '" + root + "/a.txt'; wrote=$?\n" +
			"echo new > \"$HOME/.cli/auth.json\"\n" +
			"touch \"$HOME/.profile\" || exit 15\n" +
			"echo \"wrote $wrote\" >&2\n" +
			"printf '%s\\n' '" + reviewerAnswer + "'\n",
	} {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		backend  sandbox.Backend
		program  string
		writable bool
	}{
		{sandbox.Bubblewrap, bwrap, false}, {sandbox.Bubblewrap, bwrap, true},
		{sandbox.Landlock, self, false}, {sandbox.Landlock, self, true},
	} {
		writable := tc.writable
		if err := os.WriteFile(filepath.Join(root, "a.txt"), []byte("one\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		p := stubProfile()
		if tc.backend == sandbox.Landlock {
			p.Env = map[string]string{"FREE_HOME": "1"} // a path cannot show another directory
		}
		p.HomeShare, p.ReadOnly = []string{".cli/auth.json"}, !writable
		if err := os.WriteFile(filepath.Join(home, ".cli", "auth.json"), []byte("login\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		got := call(t, Call{
			Profile: p, Prompt: []byte("x"), Dir: root, Bwrap: tc.program, HomeDir: home,
			Env:     []string{"PATH=" + filepath.Join(home, ".local", "bin") + ":/usr/bin:/bin", "HOME=" + home},
			Sandbox: &sandbox.Spec{Backend: tc.backend, Root: root, Writable: writable, Home: home, MaskHomes: []string{home}},
		})
		wantCode(t, got, outcome.OK)
		if got.Code != outcome.OK {
			t.Logf("exit %d\n%s%s", got.ExitCode, got.Stdout, got.Stderr)
		}
		text, err := os.ReadFile(filepath.Join(root, "a.txt"))
		if err != nil || (string(text) == "one\ntwo\n") != writable {
			t.Errorf("%s, writable %t: a.txt is %q, %v", tc.backend, writable, text, err)
		}
		if login, err := os.ReadFile(filepath.Join(home, ".cli", "auth.json")); err != nil || string(login) != "new\n" {
			t.Errorf("login %q, %v", login, err)
		}
		if _, err := os.Stat(filepath.Join(home, ".profile")); !os.IsNotExist(err) {
			t.Errorf("the real home was written: %v", err)
		}
	}
}
