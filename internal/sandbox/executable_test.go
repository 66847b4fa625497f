//go:build unix

package sandbox

import (
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestExecutableMounts(t *testing.T) {
	t.Parallel()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(base, "home")
	files := map[string]string{ // "-> " makes a link
		".local/share/vendor/versions/1.2":                     "binary",
		".local/bin/vendor":                                    "-> ../share/vendor/versions/1.2",
		".nvm/v20/bin/node":                                    "binary",
		".nvm/v20/bin/codex":                                   "-> ../lib/node_modules/@openai/codex/bin/codex.js",
		".nvm/v20/lib/node_modules/@openai/codex/bin/codex.js": "#!" + home + "/.nvm/v20/bin/node --no-warnings\n",
		".ssh/id":               "secret",
		"node_modules/.bin/oc":  "-> ../oc/oc.js",
		"node_modules/oc/oc.js": "#!/usr/bin/env -S A=1 no-such-interpreter\n",
		".py/3.12/bin/python":   "binary",
		".py/3.12/lib/os.py":    "",
		"tool":                  "binary",
		"loop":                  "-> loop",
		"linked":                "-> .ssh/../.local/bin/vendor",
	}
	for name, text := range files {
		p := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if to, ok := strings.CutPrefix(text, "-> "); ok {
			err = os.Symlink(to, p)
		} else {
			err = os.WriteFile(p, []byte(text), 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(home, filepath.Join(base, "alias")); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		path string
		want []string
	}{
		{"home/.local/bin/vendor", []string{".local/bin", ".local/share/vendor/versions"}},
		{"alias/.local/bin/vendor", []string{".local/bin", ".local/share/vendor/versions"}},
		{"home/.nvm/v20/bin/codex", []string{".nvm/v20/bin", ".nvm/v20/lib"}},
		{"home/.nvm/v20/lib/node_modules/@openai/codex/bin/codex.js", []string{".nvm/v20/bin", ".nvm/v20/lib"}},
		{"home/node_modules/.bin/oc", []string{"node_modules"}},
		{"home/.py/3.12/bin/python", []string{".py/3.12/bin", ".py/3.12/lib"}},
		{"home/tool", []string{"tool"}},
		{"home/linked", []string{".local/bin", ".local/share/vendor/versions", "linked"}},
		{"home/loop", nil},
		{"home/none", nil},
	} {
		t.Run(tc.path, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, m := range ExecutableMounts(filepath.Join(base, tc.path), []string{filepath.Join(base, "alias"), "/none"}) {
				rel, err := filepath.Rel(home, m.Target)
				if err != nil || strings.HasPrefix(rel, "..") || rel == "." || m.Writable {
					t.Errorf("shares %+v", m)
				}
				got = append(got, rel)
			}
			sort.Strings(got)
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Errorf("shared (-want +got):\n%s", d)
			}
		})
	}
	if got := ExecutableMounts(filepath.Join(home, "tool"), []string{"/none"}); got != nil {
		t.Errorf("shares %v although nothing is hidden", got)
	}
}
