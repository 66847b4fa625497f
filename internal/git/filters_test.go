package git

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// filtered is a repository with a file that is younger than the index, which git
// reads through its filter when it writes the index; mark is what the filter makes.
func filtered(t *testing.T, kind string) (r *repo, mark string) {
	t.Helper()
	r = newRepo(t, map[string]string{"a.txt": "one\n", ".gitattributes": "*.txt filter=a.b\n"})
	young := time.Now().Add(24 * time.Hour)
	if err := os.Chtimes(r.path("a.txt"), young, young); err != nil {
		t.Fatal(err)
	}
	r.git("update-index", "--refresh")
	mark = filepath.Join(filepath.Dir(r.dir), "ran")
	r.git("config", "filter.a.b."+kind, "touch "+mark+"; cat")
	r.git("config", "filter.a.b.required", "true")
	return r, mark
}

// ranOn adds an entry to the index and reports whether the filter was started.
func ranOn(t *testing.T, r *repo, mark string, config []string) (bool, error) {
	t.Helper()
	_, err := clean(t).Do(t.Context(), Call{Dir: r.dir, Config: config, Args: []string{"update-index", "--add", "-z", "--index-info"},
		Stdin: []byte("100644 " + r.git("rev-parse", "HEAD:a.txt") + "\tnew\x00")})
	_, stat := os.Lstat(mark)
	return stat == nil, err
}

func TestNoFilters(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"clean", "process"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			r, mark := filtered(t, kind)
			if ran, _ := ranOn(t, r, mark, nil); !ran {
				t.Error("control: the filter does not run")
			}
			r, mark = filtered(t, kind)
			quiet, err := clean(t).NoFilters(t.Context(), r.dir)
			ours := slices.DeleteFunc(slices.Clone(quiet), func(s string) bool { return !strings.HasPrefix(s, "filter.a.b.") })
			if err != nil || len(ours) != 4 { // the machine may have filters of its own, as Git LFS does
				t.Fatalf("got %q, %v", quiet, err)
			}
			if ran, err := ranOn(t, r, mark, quiet); ran || err != nil {
				t.Errorf("the filter ran: %v, %v", ran, err)
			}
		})
	}
	r := newRepo(t, nil)
	r.git("config", "filter.a=b.clean", "cat")
	if quiet, err := clean(t).NoFilters(t.Context(), r.dir); err == nil {
		t.Errorf("a filter that no setting can override: %q", quiet)
	}
}
