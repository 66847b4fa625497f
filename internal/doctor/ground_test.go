package doctor_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tolboy/warden/internal/doctor"
)

// TestNothingCouldRun holds that what keeps everything from running is told, with
// what to do, and is not called fine.
func TestNothingCouldRun(t *testing.T) {
	t.Parallel()
	rewrite := func(t *testing.T, q *doctor.Request, old, text string) {
		path := filepath.Join(filepath.Dir(filepath.Dir(q.Dir)), ".warden", "project.yaml")
		if err := os.WriteFile(path, []byte(strings.Replace(projectText, old, text, 1)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		change func(*testing.T, *doctor.Request)
		says   string // of the first problem
		next   string
		ok     bool
	}{
		"no repository": {func(t *testing.T, q *doctor.Request) {
			if err := os.RemoveAll(filepath.Join(filepath.Dir(filepath.Dir(q.Dir)), ".git")); err != nil {
				t.Fatal(err)
			}
		}, "in no git repository", "git init", false},
		"no project":            {func(t *testing.T, q *doctor.Request) { q.Dir = t.TempDir() }, "in no git repository", "git init", false},
		"no project, but git":   {func(t *testing.T, q *doctor.Request) { q.Dir = t.TempDir(); git(t, q.Dir, "init", "-q") }, "no .warden/project.yaml", "warden init", false},
		"a contract with fault": {func(t *testing.T, q *doctor.Request) { rewrite(t, q, "checks:", "cheks:") }, "cheks", "correct", false},
		"a base that is gone":   {func(t *testing.T, q *doctor.Request) { rewrite(t, q, "main", "origin/main") }, `base_ref "origin/main"`, "fetch it", true},
		"no command":            {func(t *testing.T, q *doctor.Request) { rewrite(t, q, `["true"]`, "[]") }, `"fast" has no command`, "checks in .warden", true},
		"not committed": {func(t *testing.T, q *doctor.Request) {
			root := filepath.Dir(filepath.Dir(q.Dir))
			git(t, root, "rm", "-q", "--cached", ".warden/project.yaml")
			git(t, root, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "without")
		}, "not committed", "git commit", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := examine(t, func(q *doctor.Request) { c.change(t, q) }, ready())
			if r.OK != c.ok || r.MachineGatesReady != (name == "not committed") {
				t.Errorf("ok %v, gates ready %v", r.OK, r.MachineGatesReady)
			}
			if len(r.Problems) == 0 || !strings.Contains(r.Problems[0].Problem, c.says) || !strings.Contains(r.Problems[0].Next, c.next) {
				t.Errorf("problems are %q", r.Problems)
			}
		})
	}
}

// TestAdvice names a reviewer of another vendor than the writer that would be
// proven first.
func TestAdvice(t *testing.T) {
	t.Parallel()
	files := ready()
	files["policy.yaml"] = "version: 1\nroles:\n  implementer:\n    profiles: [writer]\n  reviewer:\n    profiles: [own, reader]\n"
	files["profiles/writer.yaml"] = profile("writer", "implementer", "a", "/bin/sh", "read_only: false\n")
	files["profiles/own.yaml"] = profile("own", "reviewer", "a", "/bin/sh", "")
	files["profiles/reader.yaml"] = profile("reader", "reviewer", "b", "/bin/sh", "")
	var next []string
	for _, p := range examine(t, func(q *doctor.Request) { q.Program = "X=1 warden" }, files).Problems {
		next = append(next, p.Next)
	}
	if want := []string{"X=1 warden profiles --verify writer", "X=1 warden profiles --verify reader"}; !slices.Equal(next, want) {
		t.Errorf("advice is %q, want %q", next, want)
	}
	delete(files, "profiles/own.yaml")
	if got := examine(t, nil, ready()).Problems; len(got) != 1 || !strings.Contains(got[0].Problem, "reviewer -> ghost") {
		t.Errorf("problems of a home that works: %q", got)
	}
	files["profiles/writer.yaml"] = profile("writer", "implementer", "a", "no-such-cli", "read_only: false\n")
	if got := examine(t, nil, files).Problems; !slices.ContainsFunc(got, func(p doctor.Trouble) bool {
		return p.Next == "install no-such-cli, then prove it: warden profiles --verify writer"
	}) {
		t.Errorf("nobody says to install it: %q", got)
	}
}
