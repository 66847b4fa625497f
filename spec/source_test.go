package spec_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// source parses the Go files of a package of this module that are not tests.
func source(t *testing.T, pkg string) []*ast.File {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("..", filepath.FromSlash(pkg), "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var out []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, f)
	}
	if len(out) == 0 {
		t.Fatalf("package %s has no source: the comparison shows nothing", pkg)
	}
	return out
}

// each calls visit for every node of a package.
func each(t *testing.T, pkg string, visit func(ast.Node)) {
	t.Helper()
	for _, f := range source(t, pkg) {
		ast.Inspect(f, func(n ast.Node) bool {
			visit(n)
			return true
		})
	}
}

// text is the value of a string literal.
func text(e ast.Expr) (string, bool) {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	s, err := strconv.Unquote(lit.Value)
	return s, err == nil
}

// constants are the values of the string constants of a package whose name
// matches, and whose declared type is typ where typ is not "".
func constants(t *testing.T, pkg, typ string, name *regexp.Regexp) []string {
	t.Helper()
	var out []string
	each(t, pkg, func(n ast.Node) {
		decl, ok := n.(*ast.GenDecl)
		if !ok || decl.Tok != token.CONST {
			return
		}
		for _, s := range decl.Specs {
			v := s.(*ast.ValueSpec)
			if id, ok := v.Type.(*ast.Ident); typ != "" && (!ok || id.Name != typ) {
				continue
			}
			for i, id := range v.Names {
				if i < len(v.Values) && name.MatchString(id.Name) {
					if s, ok := text(v.Values[i]); ok {
						out = append(out, s)
					}
				}
			}
		}
	})
	return unique(out)
}

var anyName = regexp.MustCompile("")

// commands are the words of cobra commands, each with its flags. Flags that two
// commands share are set in a method called flags.
func commands(t *testing.T) map[string][]string {
	t.Helper()
	shared, out, sharing := []string{}, map[string][]string{}, []string{}
	for _, f := range source(t, "internal/cli") {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			word, flags, shares := command(fn)
			switch {
			case fn.Name.Name == "flags":
				shared = append(shared, flags...)
			case word != "" && fn.Name.Name != "root":
				out[word] = flags
				if shares {
					sharing = append(sharing, word)
				}
			}
		}
	}
	for _, word := range sharing {
		out[word] = append(out[word], shared...)
	}
	return out
}

func command(fn *ast.FuncDecl) (word string, flags []string, shares bool) {
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.KeyValueExpr:
			if id, ok := n.Key.(*ast.Ident); ok && id.Name == "Use" {
				use, _ := text(n.Value)
				word, _, _ = strings.Cut(use, " ")
			}
		case *ast.CallExpr:
			sel, ok := n.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			shares = shares || sel.Sel.Name == "flags"
			if strings.HasSuffix(sel.Sel.Name, "Var") && len(n.Args) > 1 {
				if name, ok := text(n.Args[1]); ok {
					flags = append(flags, "--"+name)
				}
			}
		}
		return true
	})
	return word, flags, shares
}

// codeWord is how a code is written.
var codeWord = regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`)

// cliCodes are the literals by which package cli names a code itself, and cliWords
// everything in it that is written like one.
func cliCodes(t *testing.T) (codes, words []string) {
	t.Helper()
	add := func(e ast.Expr) {
		if s, ok := text(e); ok && codeWord.MatchString(s) {
			codes = append(codes, s)
		}
	}
	each(t, "internal/cli", func(n ast.Node) {
		switch n := n.(type) {
		case *ast.BasicLit:
			if s, ok := text(n); ok && codeWord.MatchString(s) {
				words = append(words, s)
			}
		case *ast.KeyValueExpr:
			key, _ := text(n.Key)
			if id, ok := n.Key.(*ast.Ident); ok && id.Name == "Code" || key == "code" {
				add(n.Value)
			}
		case *ast.AssignStmt:
			for i, l := range n.Lhs {
				index, ok := l.(*ast.IndexExpr)
				if !ok || i >= len(n.Rhs) {
					continue
				}
				if key, _ := text(index.Index); key == "code" {
					add(n.Rhs[i])
				}
			}
		}
	})
	return unique(codes), unique(words)
}

// jsonKeys are the keys that package cli prints: those of its structs, and those of
// its objects.
func jsonKeys(t *testing.T) []string {
	t.Helper()
	var out []string
	each(t, "internal/cli", func(n ast.Node) {
		switch n := n.(type) {
		case *ast.Field:
			if n.Tag == nil {
				return
			}
			tag, err := strconv.Unquote(n.Tag.Value)
			if err != nil {
				return
			}
			if name, _, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ","); name != "" && name != "-" {
				out = append(out, name)
			}
		case *ast.CompositeLit:
			if id, ok := n.Type.(*ast.Ident); !ok || id.Name != "object" {
				return
			}
			for _, e := range n.Elts {
				if kv, ok := e.(*ast.KeyValueExpr); ok {
					if key, ok := text(kv.Key); ok {
						out = append(out, key)
					}
				}
			}
		}
	})
	return unique(out)
}

// refusedKeys are the keys of YAML files that are known and refused.
func refusedKeys(t *testing.T, pkg string) []string {
	t.Helper()
	var out []string
	each(t, pkg, func(n ast.Node) {
		kv, ok := n.(*ast.KeyValueExpr)
		if id, isID := kvKey(kv, ok); !isID || id != "Refused" {
			return
		}
		for _, e := range kv.Value.(*ast.CompositeLit).Elts {
			if key, ok := text(e.(*ast.KeyValueExpr).Key); ok {
				out = append(out, key)
			}
		}
	})
	return unique(out)
}

func kvKey(kv *ast.KeyValueExpr, ok bool) (string, bool) {
	if !ok {
		return "", false
	}
	id, ok := kv.Key.(*ast.Ident)
	if !ok {
		return "", false
	}
	_, isMap := kv.Value.(*ast.CompositeLit)
	return id.Name, isMap
}

// issueKeys are the keys of the block of an issue.
func issueKeys(t *testing.T) []string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", "internal", "contract", "issue.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	ast.Inspect(f, func(n ast.Node) bool {
		if kv, ok := n.(*ast.KeyValueExpr); ok {
			if id, ok := kv.Key.(*ast.Ident); ok && id.Name == "Key" {
				if key, ok := text(kv.Value); ok {
					out = append(out, key)
				}
			}
		}
		return true
	})
	return unique(out)
}

var testFunc = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)

// tests are the test functions of the module, each as "package.Name".
func tests(t *testing.T) []string {
	t.Helper()
	var out []string
	root := os.DirFS("..")
	for _, pattern := range []string{"spec/*_test.go", "forge/*/*_test.go", "internal/*/*_test.go", "cmd/*/*_test.go"} {
		names, err := filepath.Glob(filepath.Join("..", filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			rel, err := filepath.Rel("..", name)
			if err != nil {
				t.Fatal(err)
			}
			rel = filepath.ToSlash(rel)
			data, err := readFile(root, rel)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range testFunc.FindAllStringSubmatch(data, -1) {
				out = append(out, rel[:strings.LastIndexByte(rel, '/')]+"."+m[1])
			}
		}
	}
	return unique(out)
}

func unique(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}
