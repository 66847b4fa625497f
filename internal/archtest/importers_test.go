package archtest

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// importers names the one package that may import each third-party module.
// Bumping a module is then a change of one package.
var importers = map[string]string{
	"github.com/chromedp/cdproto":              "internal/browser",
	"github.com/chromedp/chromedp":             "internal/browser",
	"github.com/google/go-github/v66":          "forge/github",
	"github.com/santhosh-tekuri/jsonschema/v6": "internal/schema",
	"github.com/sethvargo/go-githubactions":    "internal/ci",
	"github.com/spf13/cobra":                   "internal/cli",
	"golang.org/x/sys":                         "internal/push",
	"gopkg.in/yaml.v3":                         "internal/strict",
}

func TestSoleImporters(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for _, p := range packages(t) {
		for _, imp := range p.Imports {
			first, _, _ := strings.Cut(imp, "/")
			if !strings.Contains(first, ".") || strings.HasPrefix(imp, module) {
				continue
			}
			m := moduleOf(imp)
			used[m] = true
			switch want := importers[m]; {
			case want == "":
				t.Errorf("%s imports %s, which no line of this table allows", p.name(), imp)
			case want != p.name():
				t.Errorf("%s imports %s; only %s may", p.name(), imp, want)
			}
		}
	}
	for m := range importers {
		if !used[m] {
			t.Errorf("the table allows %s, which nobody imports", m)
		}
	}
}

func moduleOf(imp string) string {
	for m := range importers {
		if imp == m || strings.HasPrefix(imp, m+"/") {
			return m
		}
	}
	return imp
}

// TestDependenciesDocumented holds docs/DEPENDENCIES.md to go.mod: each direct
// module has its row, and each row its module.
func TestDependenciesDocumented(t *testing.T) {
	t.Parallel()
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile("../../docs/DEPENDENCIES.md")
	if err != nil {
		t.Fatal(err)
	}
	var direct []string
	for line := range strings.Lines(string(mod)) {
		fields := strings.Fields(line)
		if len(fields) >= 2 && strings.HasPrefix(fields[1], "v") && strings.Contains(fields[0], ".") && !strings.Contains(line, "// indirect") {
			direct = append(direct, fields[0])
		}
	}
	if len(direct) < len(importers) {
		t.Fatalf("go.mod names %d direct modules, fewer than the %d that code imports", len(direct), len(importers))
	}
	rows := 0
	for line := range strings.Lines(string(doc)) {
		cell, ok := strings.CutPrefix(line, "| `")
		if !ok {
			continue
		}
		rows++
		name, _, _ := strings.Cut(cell, "`")
		if !slices.Contains(direct, name) {
			t.Errorf("docs/DEPENDENCIES.md has a row for %s, which go.mod does not require directly", name)
		}
	}
	for _, name := range direct {
		if !strings.Contains(string(doc), "| `"+name+"`") {
			t.Errorf("docs/DEPENDENCIES.md has no row for %s", name)
		}
	}
	if rows != len(direct) {
		t.Errorf("docs/DEPENDENCIES.md has %d rows for %d modules", rows, len(direct))
	}
}
