package mutants

import (
	"encoding/json"
	"flag"
	"go/build"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

var only = flag.String("mutant", "", "run the mutant of this name alone")

// sampled is how many mutants an ordinary run tries.
const sampled = 2

func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// load reads every mutant, in the order of their names.
func load(t *testing.T) []mutant {
	t.Helper()
	files, err := filepath.Glob("testdata/*.mutant")
	if err != nil {
		t.Fatal(err)
	}
	var all []mutant
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m, err := parse(strings.TrimSuffix(filepath.Base(file), ".mutant"), string(text))
		if err != nil {
			t.Error(err)
			continue
		}
		all = append(all, m)
	}
	if len(all) < 26 {
		t.Fatalf("found %d mutants: these are not all", len(all))
	}
	return all
}

// mutated returns the source of a mutant's file, changed.
func mutated(t *testing.T, m mutant) string {
	t.Helper()
	source, err := os.ReadFile(filepath.Join(root(t), filepath.FromSlash(m.file)))
	if err != nil {
		t.Fatalf("mutant %q: %v", m.name, err)
	}
	changed, err := m.apply(string(source))
	if err != nil {
		t.Fatal(err)
	}
	return changed
}

// TestMutantsFit holds, without running any, that every mutant fits the source of
// today and names a test that is there.
func TestMutantsFit(t *testing.T) {
	t.Parallel()
	for _, m := range load(t) {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			text := mutated(t, m)
			if path.Ext(m.file) == ".go" { // nothing here reads a page's script
				if _, err := parser.ParseFile(token.NewFileSet(), m.file, text, parser.SkipObjectResolution); err != nil {
					t.Errorf("the mutant is no Go: %v", err)
				}
			}
			tests, err := filepath.Glob(filepath.Join(root(t), filepath.FromSlash(m.pkg), "*_test.go"))
			if err != nil {
				t.Fatal(err)
			}
			named := regexp.MustCompile(`(?m)^func ` + regexp.QuoteMeta(m.function()) + `\(`)
			if !slices.ContainsFunc(tests, func(file string) bool {
				text, err := os.ReadFile(file)
				return err == nil && named.Match(text)
			}) {
				t.Errorf("%s has no function %s", m.pkg, m.function())
			}
		})
	}
}

// TestMutants removes one defence at a time and requires that the test which
// guards it goes red. As many mutants run at once as go test runs tests: while one
// waits for a program, another compiles.
func TestMutants(t *testing.T) {
	t.Parallel()
	if testing.Short() && *only == "" {
		t.Skip("every mutant compiles a package and runs a test; not with -short")
	}
	var healthy healthyRuns
	for _, m := range choose(t, load(t)) {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			source := filepath.Join(root(t), filepath.FromSlash(m.file))
			if built, err := build.Default.MatchFile(filepath.Dir(source), filepath.Base(source)); err != nil || !built {
				t.Skipf("%s is not built on %s (%v)", m.file, runtime.GOOS, err)
			}
			test := m.pkg + " " + m.run
			before, err := healthy.of(test, func() (result, error) { return goTest(t.Context(), root(t), m.pkg, m.run, "") })
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case before.unbuilt || !before.green:
				t.Fatalf("%s is red without the mutant:\n%s", test, before.output)
			case before.ran == 0:
				t.Fatalf("%s runs no test", test)
			case before.skipped == before.ran:
				t.Skipf("%s is skipped here, so it guards nothing:\n%s", test, before.output)
			}
			after, err := goTest(t.Context(), root(t), m.pkg, m.run, overlay(t, m))
			switch {
			case err != nil:
				t.Fatal(err)
			case after.unbuilt || after.ran == 0:
				t.Fatalf("the mutant did not come to its test, which is no kill:\n%s", after.output)
			case after.green:
				t.Fatalf("the mutant survived: %s stays green. %s", test, m.why)
			}
			t.Logf("killed by %s in %s", test, time.Since(began).Round(time.Millisecond))
		})
	}
}

// healthyRuns holds, by test, its run without a mutant: once, for all that it guards.
type healthyRuns struct {
	mu   sync.Mutex
	done map[string]func() (result, error)
}

func (h *healthyRuns) of(test string, run func() (result, error)) (result, error) {
	h.mu.Lock()
	if h.done == nil {
		h.done = map[string]func() (result, error){}
	}
	once, known := h.done[test]
	if !known {
		once = sync.OnceValues(run)
		h.done[test] = once
	}
	h.mu.Unlock()
	return once()
}

// overlay writes the changed file and returns the name of an overlay that puts it
// in the place of the real one.
func overlay(t *testing.T, m mutant) string {
	t.Helper()
	dir := t.TempDir()
	changed, list := filepath.Join(dir, "changed.go"), filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(changed, []byte(mutated(t, m)), 0o600); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(root(t), filepath.FromSlash(m.file)): changed}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(list, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return list
}

// choose returns the mutants to run: the one that was asked for, all of them, or
// a sample whose seed is printed and can be given again.
func choose(t *testing.T, all []mutant) []mutant {
	t.Helper()
	if *only != "" {
		i := slices.IndexFunc(all, func(m mutant) bool { return m.name == *only })
		if i < 0 {
			t.Fatalf("there is no mutant %q", *only)
		}
		return all[i : i+1]
	}
	if os.Getenv("WARDEN_TEST_ALL") == "1" {
		return all
	}
	seed := uint64(time.Now().UnixNano())
	if given, err := strconv.ParseUint(os.Getenv("WARDEN_TEST_SEED"), 10, 64); err == nil {
		seed = given
	}
	t.Logf("a sample of %d of %d mutants, WARDEN_TEST_SEED=%d; WARDEN_TEST_ALL=1 runs all", sampled, len(all), seed)
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:sampled]
}
