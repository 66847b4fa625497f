package archtest

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestEveryCaseHasATest holds the list of cases to the tests that bear their ids, in
// both directions: a case that waits must not have one.
func TestEveryCaseHasATest(t *testing.T) {
	t.Parallel()
	list, err := os.ReadFile("testdata/cases.txt")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	id := regexp.MustCompile(`[A-Z]{2}[-_]?[0-9]{2}`)
	err = filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") && filepath.Ext(path) != ".txtar" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, m := range id.FindAllString(filepath.Base(path)+"\n"+string(text), -1) {
			seen[m[:2]+"-"+m[len(m)-2:]] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for line := range strings.Lines(string(list)) {
		name, waits := strings.CutPrefix(strings.TrimSpace(line), "!")
		if name == "" || strings.HasPrefix(name, "#") {
			continue
		}
		total++
		if seen[name] == waits {
			t.Errorf("case %s waits %t, and a test bears its id %t", name, waits, seen[name])
		}
	}
	if total != 160 {
		t.Errorf("the list has %d cases, want 160", total)
	}
}
