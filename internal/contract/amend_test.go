package contract

import (
	"slices"
	"strings"
	"testing"
)

const amendProject = "version: 1\nproject: p\nchecks:\n  fast: [sh check.sh]\nscopes:\n  code: [src]\n  docs: [docs]\n"

func amendable(t testing.TB) Project {
	t.Helper()
	p, err := ParseProject("project.yaml", []byte(amendProject))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// CI-07: an edit that is proposed adds what was named, and every other line of the
// file stays as a person wrote it.
func TestAmend_CI07(t *testing.T) {
	t.Parallel()
	const head = "version: 1\nid: t\ngoal: g # why\n"
	tests := []struct {
		name, text string
		a          Amendment
		want       string // "" is an error
	}{
		{"no list yet", head + "scope: code", Amendment{Acceptance: []string{"go test"}}, head + "scope: code\nacceptance:\n  - \"go test\"\n"},
		{"behind the last of a list", head + "acceptance:\n  - a # one\n\n  # two\n  - b\nscope: code\n", Amendment{Acceptance: []string{"c", "a"}},
			head + "acceptance:\n  - a # one\n\n  # two\n  - b\n  - \"c\"\nscope: code\n"},
		{"a list without indentation", head + "acceptance:\n- a\nscope: code\n", Amendment{Acceptance: []string{"c"}}, head + "acceptance:\n- a\n- \"c\"\nscope: code\n"},
		{"a list that ends the file without a line end", head + "scope: code\nacceptance:\n    - a", Amendment{Acceptance: []string{"c"}}, head + "scope: code\nacceptance:\n    - a\n    - \"c\"\n"},
		{"a list in brackets", head + "acceptance: [a, b]\nscope: code\n", Amendment{Acceptance: []string{"c: d"}}, head + "acceptance:\n  - \"a\"\n  - \"b\"\n  - \"c: d\"\nscope: code\n"},
		{"a scope that is a word", head + "scope: code\nacceptance: [a]\n", Amendment{Scope: []string{"main.go"}}, head + "scope:\n  - \"code\"\n  - \"main.go\"\nacceptance: [a]\n"},
		{"a scope by its name", head + "scope:\n  - code\n", Amendment{Scope: []string{"docs", "src"}}, head + "scope:\n  - code\n  - \"docs\"\n"},
		{"both", head + "scope: [code]\n", Amendment{Acceptance: []string{"c"}, Scope: []string{"x"}}, head + "scope:\n  - \"code\"\n  - \"x\"\nacceptance:\n  - \"c\"\n"},
		{"nothing new", head + "scope: code\n", Amendment{Acceptance: []string{"sh check.sh"}, Scope: []string{"src"}}, ""},
		{"a path that leaves the repository", head + "scope: code\n", Amendment{Scope: []string{"../x"}}, ""},
		{"everything", head + "scope: code\n", Amendment{Scope: []string{Repository}}, ""},
		{"more commands than a task may have", head + "scope: code\n", Amendment{Acceptance: strings.Split("a b c d e f g h i j k l m n o p q r s t u", " ")}, ""},
		{"a command of two lines", head + "scope: code\n", Amendment{Acceptance: []string{"a\nb"}}, ""},
		{"brackets over two lines", head + "scope: code\nacceptance: [a,\n  b]\n", Amendment{Acceptance: []string{"c"}}, ""},
		{"a key in quotes", head + "scope: code\n\"acceptance\": [a]\n", Amendment{Acceptance: []string{"c"}}, ""},
		{"a list inside of the goal", "version: 1\nid: t\ngoal: 'first\nacceptance:\n  - x\nend'\nscope: code\n", Amendment{Acceptance: []string{"c"}}, ""},
		{"a text that is no task", "version: 2\n", Amendment{Acceptance: []string{"c"}}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := Amend("t.yaml", []byte(tt.text), amendable(t), tt.a)
			if string(got) != tt.want || (err != nil) != (tt.want == "") {
				t.Errorf("got %q, %v; want %q", got, err, tt.want)
			}
		})
	}
}

// FuzzAmend holds an amended task against the one before: nothing is lost, nothing
// else is gained, and amending it once more adds nothing.
func FuzzAmend(f *testing.F) {
	f.Add("version: 1\nid: t\ngoal: g\nscope: code\nacceptance:\n  - a\n", "go vet", "main.go")
	f.Add("version: 1\nid: t\ngoal: \"a\\nacceptance:\"\nscope: [code]\nacceptance: [x]\n", "a: b", "docs")
	p := amendable(f)
	f.Fuzz(func(t *testing.T, text, command, path string) {
		a := Amendment{Acceptance: []string{command}, Scope: []string{path}}
		out, err := Amend("t.yaml", []byte(text), p, a)
		if err != nil {
			if out != nil {
				t.Fatalf("an error with a text: %q", out)
			}
			return
		}
		before, _ := ParseTask("t.yaml", []byte(text), p)
		after, err := ParseTask("t.yaml", out, p)
		if err != nil {
			t.Fatalf("it does not read back: %v\n%s", err, out)
		}
		if !slices.Contains(after.Acceptance, command) || len(after.Acceptance) > len(before.Acceptance)+1 || after.Goal != before.Goal || after.MaxRoleRuns != before.MaxRoleRuns {
			t.Fatalf("%q with %q became %q", text, command, out)
		}
		for _, s := range before.Scope {
			if !slices.Contains(after.Scope, s) {
				t.Fatalf("the scope lost %q: %q", s, out)
			}
		}
		if again, err := Amend("t.yaml", out, p, a); err == nil {
			t.Fatalf("it was amended twice: %q", again)
		}
	})
}
