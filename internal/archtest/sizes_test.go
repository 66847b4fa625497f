package archtest

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A package or a file beyond these is allowed where docs/ARCHITECTURE.md says why.
const (
	largePackage = 1500 // lines, without tests
	largeFile    = 400  // lines, tests too
)

var largeRow = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| (.{20,}) \\|$")

// TestSizesAreExplained holds the table of large packages and files to the tree, in
// both directions.
func TestSizesAreExplained(t *testing.T) {
	t.Parallel()
	const root = "../.."
	text, err := os.ReadFile(filepath.Join(root, "docs", "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := bytes.Cut(text, []byte("\n## Large, and why\n"))
	if !found {
		t.Fatal("docs/ARCHITECTURE.md has no section \"Large, and why\"")
	}
	explained := map[string]bool{}
	for _, m := range largeRow.FindAllSubmatch(table, -1) {
		explained[string(m[1])] = true
	}
	large := map[string]int{}
	lines := map[string]int{}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != root || d.Name() == "testdata") {
			if err == nil {
				err = fs.SkipDir
			}
			return err
		}
		if d.IsDir() || filepath.Ext(path) != ".go" {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		n := bytes.Count(data, []byte("\n"))
		if n > largeFile {
			large[filepath.ToSlash(rel)] = n
		}
		if !strings.HasSuffix(rel, "_test.go") {
			lines[filepath.ToSlash(filepath.Dir(rel))] += n
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for pkg, n := range lines {
		if n > largePackage {
			large[pkg] = n
		}
	}
	if len(lines) < 30 {
		t.Fatalf("found %d packages: the check shows nothing", len(lines))
	}
	for name, n := range large {
		if !explained[name] {
			t.Errorf("%s has %d lines, and docs/ARCHITECTURE.md does not say why", name, n)
		}
	}
	for name := range explained {
		if large[name] == 0 {
			t.Errorf("docs/ARCHITECTURE.md explains %s, which is not large", name)
		}
	}
}
