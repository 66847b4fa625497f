// Package archtest holds the house to its plan: floors, walls, sole importers,
// and the absence of any code that merges. It has no code of its own.
package archtest

import (
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/tolboy/warden/"

// pkg is the part of `go list -json` that the tests read.
type pkg struct {
	ImportPath   string
	Dir          string
	GoFiles      []string
	Imports      []string
	TestImports  []string
	XTestImports []string
	Standard     bool
}

func (p pkg) name() string { return strings.TrimPrefix(p.ImportPath, module) }

func packages(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Dir,GoFiles,Imports,TestImports,XTestImports,Standard", "./...")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("list packages: %v", err)
	}
	var all []pkg
	for dec := json.NewDecoder(strings.NewReader(string(out))); dec.More(); {
		var p pkg
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	if len(all) < 20 {
		t.Fatalf("found %d packages: the listing is not the house", len(all))
	}
	return all
}

type floor struct {
	level int
	may   []string
}

func floors(t *testing.T) map[string]floor {
	t.Helper()
	data, err := os.ReadFile("floors.txt")
	if err != nil {
		t.Fatal(err)
	}
	plan := map[string]floor{}
	for line := range strings.Lines(string(data)) {
		fields := strings.Fields(line)
		if len(fields) < 2 || fields[0] == "#" {
			continue
		}
		level, err := strconv.Atoi(fields[0])
		if err != nil {
			t.Fatalf("floors.txt: %q: %v", line, err)
		}
		plan[fields[1]] = floor{level, fields[2:]}
	}
	return plan
}

// outside stands beside the tower: tests, and what only tests import.
var outside = []string{"internal/archtest", "internal/fakemodel", "internal/forgecases", "internal/mutants"}

func TestFloors(t *testing.T) {
	t.Parallel()
	plan := floors(t)
	seen := map[string]bool{}
	for _, p := range packages(t) {
		if slices.Contains(outside, p.name()) {
			continue
		}
		seen[p.name()] = true
		here, planned := plan[p.name()]
		if !planned {
			t.Errorf("%s is on no floor: add it to floors.txt", p.name())
			continue
		}
		for _, imp := range p.Imports {
			name, ours := strings.CutPrefix(imp, module)
			if !ours {
				continue
			}
			if slices.Contains(outside, name) {
				t.Errorf("%s imports %s, which is for tests only", p.name(), name)
			}
			there := plan[name]
			if there.level >= here.level {
				t.Errorf("%s (floor %d) imports %s (floor %d): imports go down only", p.name(), here.level, name, there.level)
			}
			if !slices.Contains(here.may, "*") && !slices.Contains(here.may, name) {
				t.Errorf("%s imports %s, which its line in floors.txt does not name", p.name(), name)
			}
		}
	}
	for name := range plan {
		if !seen[name] {
			t.Errorf("floors.txt lists %s, which does not exist", name)
		}
	}
}

// TestWalls holds what no floor can say: what "done" means and who runs never
// see each other, not even through a third package; and the bot speaks to a
// forge only through the vocabulary.
func TestWalls(t *testing.T) {
	t.Parallel()
	all := map[string]pkg{}
	for _, p := range packages(t) {
		all[p.name()] = p
	}
	walls := []struct{ from, never string }{
		{"internal/contract", "internal/policy"},
		{"internal/contract", "internal/vendor"},
		{"internal/policy", "internal/contract"},
		{"internal/engine", "forge"},
		{"internal/engine", "internal/git"},
		{"internal/engine", "internal/proc"},
		{"internal/engine", "internal/policy"},
		{"internal/bot", "forge/github"},
		{"internal/bot", "forge/gitlab"},
		{"internal/bot", "internal/engine"},
		{"internal/reconcile", "internal/ledger"},
		{"forge/github", "internal/outcome"},
	}
	for _, w := range walls {
		if _, ok := all[w.from]; !ok {
			t.Errorf("%s does not exist, so its wall shows nothing", w.from)
		}
		if path := reach(all, w.from, w.never, map[string]bool{}); path != nil {
			t.Errorf("%s reaches %s: %s", w.from, w.never, strings.Join(path, " -> "))
		}
	}
}

func reach(all map[string]pkg, from, to string, seen map[string]bool) []string {
	if from == to {
		return []string{to}
	}
	if seen[from] {
		return nil
	}
	seen[from] = true
	for _, imp := range all[from].Imports {
		name, ours := strings.CutPrefix(imp, module)
		if !ours {
			continue
		}
		if path := reach(all, name, to, seen); path != nil {
			return append([]string{from}, path...)
		}
	}
	return nil
}
