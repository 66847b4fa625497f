package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestStatusRowsHaveTests holds each row of the README's table of what is built to
// a test that is there and can be run as the row says.
func TestStatusRowsHaveTests(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile("(?m)^\\| .+ \\| yes \\| .*\\| `\\./(\\S+) -run (\\S+)` \\|$")
	built := regexp.MustCompile(`(?m)^\| .+ \| yes \|`).FindAllString(string(readme), -1)
	rows := row.FindAllStringSubmatch(string(readme), -1)
	if len(rows) < 20 || len(rows) != len(built) {
		t.Fatalf("%d rows say that something is built, %d name a test", len(built), len(rows))
	}
	for _, m := range rows {
		name, sub, _ := strings.Cut(m[2], "/")
		if !matches(t, filepath.Join("../..", m[1], "*_test.go"), regexp.MustCompile(`(?m)^func `+name+`[A-Za-z0-9_]*\(t \*testing\.T\)`)) {
			t.Errorf("%s has no test %s", m[1], name)
		}
		if sub == "" {
			continue
		}
		scripts, err := filepath.Glob(filepath.Join("../..", m[1], "testdata/script/*.txtar"))
		if err != nil {
			t.Fatal(err)
		}
		wanted, found := regexp.MustCompile(sub), 0
		for _, s := range scripts {
			if wanted.MatchString(strings.TrimSuffix(filepath.Base(s), ".txtar")) {
				found++
			}
		}
		if found == 0 {
			t.Errorf("no script of %s matches %s", m[1], sub)
		}
	}
}

func matches(t *testing.T, glob string, want *regexp.Regexp) bool {
	t.Helper()
	files, err := filepath.Glob(glob)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if want.Match(text) {
			return true
		}
	}
	return false
}
