package mutants

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"
)

// mutant is one defence less.
type mutant struct {
	name     string
	why      string // what is lost, one sentence
	file     string // slash path from the root of the module
	pkg, run string // the test that must go red: package directory and -run pattern
	old, new string // new replaces old, which stands once in file
}

// parse reads the text of a .mutant file.
func parse(name, text string) (mutant, error) {
	head, body, found := strings.Cut(text, "\n--- old\n")
	old, replacement, both := strings.Cut("\n"+body, "\n+++ new\n")
	if !found || !both {
		return mutant{}, fmt.Errorf("read mutant %q: it has no block \"--- old\" followed by a block \"+++ new\"", name)
	}
	m := mutant{name: name, old: strings.TrimPrefix(old, "\n"), new: strings.TrimSuffix(replacement, "\n")}
	test := ""
	keys := map[string]*string{"why": &m.why, "file": &m.file, "test": &test}
	for i, line := range strings.Split(head, "\n") {
		key, value, _ := strings.Cut(line, ": ")
		into, known := keys[key]
		if !known || strings.TrimSpace(value) == "" {
			return mutant{}, fmt.Errorf("read mutant %q: line %d: want why, file or test with a value, once each; found %q", name, i+1, line)
		}
		*into = strings.TrimSpace(value)
		delete(keys, key)
	}
	for key := range keys {
		return mutant{}, fmt.Errorf("read mutant %q: it has no %s", name, key)
	}
	m.pkg, m.run, _ = strings.Cut(test, " ")
	if err := m.check(); err != nil {
		return mutant{}, fmt.Errorf("read mutant %q: %w", name, err)
	}
	return m, nil
}

func (m mutant) check() error {
	if !local(m.file) || path.Ext(m.file) != ".go" && path.Ext(m.file) != ".js" || strings.HasSuffix(m.file, "_test.go") {
		return fmt.Errorf("file %q is no source file of the module", m.file)
	}
	if !local(m.pkg) {
		return fmt.Errorf("test package %q is no directory of the module", m.pkg)
	}
	if !strings.HasPrefix(m.run, "Test") || strings.ContainsAny(m.run, " []") {
		return fmt.Errorf("test %q does not begin with the name of a test, or has a space or a bracket", m.run)
	}
	if _, err := regexp.Compile(m.run); err != nil {
		return err
	}
	switch {
	case strings.TrimSpace(m.old) == "":
		return errors.New("the old text is empty")
	case m.old == m.new:
		return errors.New("the new text is the old one")
	}
	return nil
}

func local(name string) bool {
	return name != "" && path.Clean(name) == name && !path.IsAbs(name) && name != ".." && !strings.HasPrefix(name, "../")
}

// apply returns the source without the defence. A mutant that no longer fits its
// file is stale.
func (m mutant) apply(source string) (string, error) {
	if n := strings.Count(source, m.old); n != 1 {
		return "", fmt.Errorf("mutant %q is stale: its old text stands %d times in %s", m.name, n, m.file)
	}
	return strings.Replace(source, m.old, m.new, 1), nil
}

// function returns the name of the Go function that the test pattern begins with.
func (m mutant) function() string {
	name, _, _ := strings.Cut(m.run, "/")
	return strings.TrimSuffix(name, "$")
}
