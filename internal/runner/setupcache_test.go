package runner

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/sandbox"
)

// TestSetupCache fills a cache by the setup of a fresh tree at the base, and by no other.
func TestSetupCache(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(*testing.T, *Order)
		filled bool
	}{
		"a fresh tree at the base":        {func(*testing.T, *Order) {}, true},
		"a tree in which a child was":     {func(_ *testing.T, o *Order) { o.Fresh = false }, false},
		"a tree that is not of the base":  {func(t *testing.T, o *Order) { o.Head = second(t, o.Worktree) }, false},
		"a project that declares nothing": {func(_ *testing.T, o *Order) { o.Project.Caches = contract.Caches{} }, false},
		"a setup that fails":              {func(_ *testing.T, o *Order) { o.Setup = append(o.Setup, "false") }, false},
		"a place that is a link": {func(_ *testing.T, o *Order) {
			o.Setup = []string{"mkdir -p $HOME/else && ln -s else $HOME/.dep && touch ran"}
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, o := ordered(t, put(t, filepath.Join(t.TempDir(), "writer"), "#!/bin/sh\nexit 1\n"), "{{goal}}")
			var err error
			if m.Sandbox, err = Probe(t.Context(), os.Environ(), o.Worktree); err != nil {
				t.Fatal(err)
			}
			if m.Sandbox.Backend != sandbox.Bubblewrap {
				if os.Getenv("WARDEN_REQUIRE_BWRAP") == "1" || os.Getenv("CI") == "true" {
					t.Fatal("bubblewrap is required, and does not work here")
				}
				t.Skip("only bubblewrap shares caches")
			}
			o.Fresh, o.Head = true, o.Base
			o.Setup = []string{"mkdir -p $HOME/.dep && echo v1 >$HOME/.dep/pkg && touch ran"}
			o.Project.Setup, o.Project.Caches = o.Setup, contract.Caches{Home: []string{".dep"}, KeyedBy: []string{"lock"}}
			tt.change(t, &o)
			_, _ = m.Run(t.Context(), o)
			if _, err := os.Stat(filepath.Join(o.Worktree, "ran")); err != nil {
				t.Fatalf("the setup did not run, so nothing is shown: %v", err)
			}
			found, err := filepath.Glob(filepath.Join(m.StateDir, dirCaches, "*", ".dep", "pkg"))
			if err != nil || (len(found) == 1) != tt.filled {
				t.Errorf("filled: %v, %v", found, err)
			}
			if left, _ := filepath.Glob(filepath.Join(m.StateDir, dirCaches, "*.new-*")); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
			if there, _ := os.ReadDir(filepath.Join(m.StateDir, dirCaches)); !tt.filled && len(there) > 0 {
				t.Errorf("left behind: %v", there)
			}
		})
	}
}

// second makes a commit that is not the base, and has the worktree at it.
func second(t *testing.T, root string) string {
	t.Helper()
	put(t, filepath.Join(root, "lock"), "of somebody else\n")
	for _, args := range [][]string{{"add", "lock"}, {"-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "-m", "second"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = root, append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	cmd := exec.Command("git", "rev-parse", "HEAD")
	cmd.Dir = root
	head, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(head))
}
