package github

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strings"
	"testing"
)

// Methods and fields of the library that merge, approve or close, and words of
// routes that do.
var (
	forbiddenCalls = regexp.MustCompile(`^(Merge|MergeUpstream|MergeBranch|UpdateBranch|CreateReview|SubmitReview|DismissReview|UpdateReview|DeleteReview|CreateCommitOnBranch|UpdateRef|DeleteRef|EditIssue|EnableAutoMerge|Enqueue\w*|Approve\w*)$`)
	forbiddenWords = regexp.MustCompile(`(?i)\bAPPROVE\b|AutoMerge|mergePullRequest|/merge\b`)
)

// TestSourceNeverMerges scans the source of the package itself. The guard names
// what it refuses, so its own file may hold the words, but no such call either.
func TestSourceNeverMerges(t *testing.T) {
	t.Parallel()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	scanned := 0
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		scanned++
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, e.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, fault := range scan(file, e.Name() == "guard.go") {
			t.Errorf("%s: %s", e.Name(), fault)
		}
	}
	if scanned < 10 {
		t.Fatalf("%d files scanned: the scan looks in the wrong place", scanned)
	}
}

func scan(file *ast.File, wordsAllowed bool) (faults []string) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if forbiddenCalls.MatchString(n.Sel.Name) {
				faults = append(faults, "calls "+n.Sel.Name)
			}
		case *ast.BasicLit:
			if n.Kind == token.STRING && !wordsAllowed && forbiddenWords.MatchString(n.Value) {
				faults = append(faults, "says "+n.Value)
			}
		case *ast.KeyValueExpr:
			if key, is := n.Key.(*ast.Ident); is && key.Name == "State" && closes(n.Value) {
				faults = append(faults, "sets a state")
			}
		}
		return true
	})
	return faults
}

func closes(v ast.Expr) bool {
	text, is := v.(*ast.BasicLit)
	return is && strings.Contains(text.Value, "closed")
}

func TestScanFinds(t *testing.T) {
	t.Parallel()
	for _, source := range []string{
		`package p; func f() { c.PullRequests.Merge(ctx) }`,
		`package p; func f() { c.PullRequests.CreateReview(ctx) }`,
		`package p; var x = "APPROVE"`,
		"package p; const q = `mutation { enablePullRequestAutoMerge }`",
		`package p; var x = T{State: "closed"}`,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "p.go", source, 0)
		if err != nil {
			t.Fatal(err)
		}
		if len(scan(file, false)) == 0 {
			t.Errorf("nothing found in %s", source)
		}
	}
}
