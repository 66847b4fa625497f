package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// mayBeSkipped are the beginnings of what a test says that is skipped in CI too:
// nothing is missing on that machine that could be installed.
var mayBeSkipped = []string{
	"skipped: no profile can ask for less than a minute",
	"every mutant compiles a package and runs a test",
	"%s is not built on %s",
	"%s is skipped here, so it guards nothing",
	"kernel settings are only writable for root",
	"execute bits are needed",
	"no file system that ignores case can be mounted here",
	"needs /proc",
	"an ordinary user has less to lose",
	"the kernel's table has no such name",
	"no links here: %v",
	"the signal is ignored here, and by children too",
	"scripts/test counts codes when every other test has run",
}

// TestSkipsAreFatalInCI holds every test that skips for want of a tool to failing
// where CI says that the tools are there. A skip that nobody reads looks like a
// pass.
func TestSkipsAreFatalInCI(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for path, file := range testFiles(t) {
		ast.Inspect(file, func(n ast.Node) bool {
			list := statements(n)
			for i, s := range list {
				said, skips := skip(s)
				if !skips || excused(said, seen) {
					continue
				}
				if !fatalInCI(list[:i]) {
					t.Errorf("%s skips (%q) and is not fatal before it where CI is true", path, said)
				}
			}
			return true
		})
	}
	for _, m := range mayBeSkipped {
		if !seen[m] {
			t.Errorf("the table excuses %q, which nobody says", m)
		}
	}
}

// statements are the ones that stand in a node one after the other.
func statements(n ast.Node) []ast.Stmt {
	switch n := n.(type) {
	case *ast.BlockStmt:
		return n.List
	case *ast.CaseClause:
		return n.Body
	case *ast.CommClause:
		return n.Body
	}
	return nil
}

func excused(said string, seen map[string]bool) bool {
	for _, m := range mayBeSkipped {
		if strings.HasPrefix(said, m) {
			seen[m] = true
			return true
		}
	}
	return false
}

// skip returns what a statement says when it skips a test.
func skip(s ast.Stmt) (said string, skips bool) {
	call, name := called(s)
	if !strings.HasPrefix(name, "Skip") {
		return "", false
	}
	if len(call.Args) > 0 {
		if lit, ok := call.Args[0].(*ast.BasicLit); ok {
			said, _ = strconv.Unquote(lit.Value)
		}
	}
	return said, true
}

// fatalInCI reports whether one of the statements fails the test where CI is true.
func fatalInCI(before []ast.Stmt) bool {
	for _, s := range before {
		branch, ok := s.(*ast.IfStmt)
		if !ok {
			continue
		}
		asks := false
		ast.Inspect(branch.Cond, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			asks = asks || ok && lit.Value == `"CI"`
			return true
		})
		for _, inner := range branch.Body.List {
			if _, name := called(inner); asks && strings.HasPrefix(name, "Fatal") {
				return true
			}
		}
	}
	return false
}

// called is the method that a statement calls.
func called(s ast.Stmt) (*ast.CallExpr, string) {
	if e, ok := s.(*ast.ExprStmt); ok {
		if call, ok := e.X.(*ast.CallExpr); ok {
			if sel, ok := call.Fun.(*ast.SelectorExpr); ok {
				return call, sel.Sel.Name
			}
		}
	}
	return nil, ""
}

func testFiles(t *testing.T) map[string]*ast.File {
	t.Helper()
	files := map[string]*ast.File{}
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		files[path], err = parser.ParseFile(token.NewFileSet(), path, nil, 0)
		return err
	})
	if err != nil || len(files) < 50 {
		t.Fatalf("read %d test files: %v", len(files), err)
	}
	return files
}
