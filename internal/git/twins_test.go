package git

import (
	"os"
	"strings"
	"testing"
)

// Where git has found that the file system ignores case, one of two tracked spellings
// is not there or is the other; elsewhere it was taken away, and that is a change.
func TestOneOnDisk(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ ignores, gone, want string }{
		"a file":       {"true", "Read.me", `Read.me: one with "read.me" on this file system`},
		"in a folder":  {"true", "Dir/f", `Dir/f: one with "dir/f" on this file system`},
		"no twin":      {"true", "a.txt", ""},
		"case matters": {"false", "Read.me", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, map[string]string{"a.txt": "one\n", "Read.me": "one\n", "read.me": "two\n", "dir/f": "f\n", "Dir/f": "g\n"})
			r.git("config", "core.ignorecase", test.ignores)
			j := r.judge()
			if got := refusals(look(t, j)); got != "" {
				t.Errorf("refused at first: %q", got)
			}
			r.remove(test.gone)
			got := refusals(look(t, j))
			if test.want == "" && got != "" || !strings.Contains(got, test.want) {
				t.Errorf("refused %q, want %q", got, test.want)
			}
		})
	}

	t.Run("one inode", func(t *testing.T) {
		t.Parallel()
		r := newRepo(t, map[string]string{"Read.me": "one\n", "read.me": "two\n"})
		j := r.judge()
		look(t, j)
		r.remove("Read.me")
		if err := os.Link(r.path("read.me"), r.path("Read.me")); err != nil {
			t.Fatal(err)
		}
		if got := refusals(look(t, j)); !strings.Contains(got, `Read.me: one with "read.me"`) {
			t.Errorf("refused %q", got)
		}
	})
}
