package runner

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/sandbox"
)

// TestSetupCache fills a cache by the setup of a fresh tree at the base, and by no other.
func TestSetupCache(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(*Order)
		filled bool
	}{
		"a fresh tree at the base":        {func(*Order) {}, true},
		"a tree in which a child was":     {func(o *Order) { o.Fresh = false }, false},
		"a tree that is not of the base":  {func(o *Order) { o.Head = "HEAD" }, false},
		"a project that declares nothing": {func(o *Order) { o.Project.Caches = contract.Caches{} }, false},
		"a setup that fails":              {func(o *Order) { o.Setup = append(o.Setup, "false") }, false},
		"a place that is a link":          {func(o *Order) { o.Setup = []string{"mkdir -p $HOME/else && ln -s else $HOME/.dep"} }, false},
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
			o.Setup = []string{"mkdir -p $HOME/.dep && echo v1 >$HOME/.dep/pkg"}
			o.Project.Setup, o.Project.Caches = o.Setup, contract.Caches{Home: []string{".dep"}, KeyedBy: []string{"lock"}}
			tt.change(&o)
			_, _ = m.Run(t.Context(), o)
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
