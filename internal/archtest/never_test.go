package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// files parses the Go files of a package that are not tests.
func files(t *testing.T, p pkg) map[string]*ast.File {
	t.Helper()
	out := map[string]*ast.File{}
	for _, name := range p.GoFiles {
		path := filepath.Join(p.Dir, name)
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		out[p.name()+"/"+name] = f
	}
	return out
}

// forbidden are the names by which an SDK or an API merges, approves or
// arranges to merge.
var forbidden = regexp.MustCompile(`(?i)^(merge|merges?pullrequest|enable.*automerge|approve|accept)$|PullRequests\.Merge|Repositories\.Merge|AcceptMergeRequest|ApproveMergeRequest`)

// sayings are strings that a request would carry to merge or approve.
var sayings = regexp.MustCompile(`(?i)enablePullRequestAutoMerge|mergePullRequest|mergeBranch|enqueuePullRequest|/merge(-async)?"?$|"APPROVE"`)

// denial is where the refused requests are listed by name, so that they are
// refused, and where the fake forge fails on them.
var denial = []string{"forge/github/guard.go", "forge/forgetest/serve.go"}

// TestNeverMerges holds the product's first promise in the code that speaks to
// a forge: no call of an SDK method that merges or approves, no such route or
// mutation in a string, and no such method in the vocabulary.
func TestNeverMerges(t *testing.T) {
	t.Parallel()
	scanned := 0
	for _, p := range packages(t) {
		for name, f := range files(t, p) {
			scanned++
			if slices.Contains(denial, name) {
				continue
			}
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CallExpr:
					if sel, ok := n.Fun.(*ast.SelectorExpr); ok && strings.HasPrefix(p.name(), "forge") && forbidden.MatchString(sel.Sel.Name) {
						t.Errorf("%s calls %s", name, sel.Sel.Name)
					}
				case *ast.BasicLit:
					if n.Kind != token.STRING {
						return true
					}
					if text, err := strconv.Unquote(n.Value); err == nil && sayings.MatchString(text) {
						t.Errorf("%s has the string %q", name, text)
					}
				}
				return true
			})
		}
	}
	if scanned < 50 {
		t.Fatalf("scanned %d files: the scan shows nothing", scanned)
	}
}

// TestForgeVocabularyCannotMerge reads the interfaces of package forge.
func TestForgeVocabularyCannotMerge(t *testing.T) {
	t.Parallel()
	methods := 0
	for _, p := range packages(t) {
		if p.name() != "forge" {
			continue
		}
		for name, f := range files(t, p) {
			ast.Inspect(f, func(n ast.Node) bool {
				it, ok := n.(*ast.InterfaceType)
				if !ok {
					return true
				}
				for _, m := range it.Methods.List {
					for _, id := range m.Names {
						methods++
						if regexp.MustCompile(`(?i)merge|approve|accept|close|delete`).MatchString(id.Name) {
							t.Errorf("%s: interface method %s", name, id.Name)
						}
					}
				}
				return true
			})
		}
	}
	if methods < 10 {
		t.Fatalf("found %d methods: the scan shows nothing", methods)
	}
}

// calls lists what each package may not call, with the packages that may.
var calls = []struct {
	call  string
	among []string // packages it is forbidden to; nil means all
	but   []string
}{
	{"os.Exit", nil, []string{"cmd/warden"}},
	{"time.Sleep", nil, nil},
	{"time.Now", []string{"internal/workflow", "internal/reconcile", "internal/budget", "internal/roster", "internal/engine"}, nil},
	{"exec.Command", nil, nil},
	{"exec.CommandContext", nil, []string{"internal/proc", "forge/forgetest"}},
}

// TestCalls holds what only some packages may do: leave the process, read a
// clock, start a program.
func TestCalls(t *testing.T) {
	t.Parallel()
	found := map[string]int{}
	for _, p := range packages(t) {
		for name, f := range files(t, p) {
			ast.Inspect(f, func(n ast.Node) bool {
				sel, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				id, ok := sel.X.(*ast.Ident)
				if !ok {
					return true
				}
				said := id.Name + "." + sel.Sel.Name
				for _, c := range calls {
					if c.call != said {
						continue
					}
					found[said]++
					if slices.Contains(c.but, p.name()) || (c.among != nil && !slices.Contains(c.among, p.name())) {
						continue
					}
					t.Errorf("%s uses %s", name, said)
				}
				return true
			})
		}
	}
	if found["os.Exit"] == 0 || found["time.Now"] == 0 {
		t.Errorf("the scan found %v: it shows nothing", found)
	}
}

// TestSolePusher holds that no other package tells git to push.
func TestSolePusher(t *testing.T) {
	t.Parallel()
	pushes := 0
	for _, p := range packages(t) {
		if !slices.Contains(p.Imports, module+"internal/git") && !slices.Contains(p.Imports, module+"internal/proc") && !slices.Contains(p.Imports, "os/exec") {
			continue // it cannot start git
		}
		for name, f := range files(t, p) {
			ast.Inspect(f, func(n ast.Node) bool {
				if isFlag(n) {
					return false // the name of a flag starts nothing
				}
				lit, ok := n.(*ast.BasicLit)
				if !ok || lit.Value != `"push"` && lit.Value != `"send-pack"` {
					return true
				}
				pushes++
				if p.name() != "internal/push" && p.name() != "forge/forgetest" {
					t.Errorf("%s says %s: internal/push is the only pusher", name, lit.Value)
				}
				return true
			})
		}
	}
	if pushes == 0 {
		t.Error("nobody pushes: the scan shows nothing")
	}
}

// isFlag reports whether n defines a flag of the command line.
func isFlag(n ast.Node) bool {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return false
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == "BoolVar"
}
