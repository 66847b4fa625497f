package mutants

import (
	"strings"
	"testing"
)

const sample = "why: The door stays open.\nfile: a/b.go\ntest: a TestDoor/shut\n--- old\n\tif open {\n\t\tshut()\n\t}\n+++ new\n\tif false {\n\t}\n"

func TestParse(t *testing.T) {
	t.Parallel()
	got, err := parse("door", sample)
	want := mutant{name: "door", why: "The door stays open.", file: "a/b.go", pkg: "a", run: "TestDoor/shut",
		old: "\tif open {\n\t\tshut()\n\t}", new: "\tif false {\n\t}"}
	if err != nil || got != want {
		t.Fatalf("parse: %v\n got %#v\nwant %#v", err, got, want)
	}
	if got.function() != "TestDoor" {
		t.Errorf("function %q", got.function())
	}
	if nothing, err := parse("door", strings.TrimSuffix(sample, "\tif false {\n\t}\n")); err != nil || nothing.new != "" {
		t.Errorf("a mutant that only removes: %q, %v", nothing.new, err)
	}
	bad := []struct{ name, old, new, says string }{
		{"no why", "why: The door stays open.\n", "", "has no why"},
		{"empty why", "The door stays open.", "", `line 1`},
		{"no test", "\ntest: a TestDoor/shut", "", "has no test"},
		{"a key twice", "file: a/b.go", "file: a/b.go\nfile: a/c.go", "line 3"},
		{"an unknown key", "file:", "path:", `line 2`},
		{"no old block", "--- old\n", "", "no block"},
		{"no new block", "+++ new\n", "", "no block"},
		{"old text empty", "\tif open {\n\t\tshut()\n\t}\n", "", "old text is empty"},
		{"nothing changes", "\tif false {\n\t}", "\tif open {\n\t\tshut()\n\t}", "is the old one"},
		{"a file elsewhere", "a/b.go", "../b.go", "no source file"},
		{"a test file", "a/b.go", "a/b_test.go", "no source file"},
		{"no test package", "test: a ", "test: ", "does not begin"},
		{"every test", "TestDoor/shut", ".", "does not begin"},
		{"a broken pattern", "TestDoor/shut", "TestDoor/(", "missing closing"},
	}
	for _, tt := range bad {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if n := strings.Count(sample, tt.old); n != 1 {
				t.Fatalf("%q stands %d times in the sample", tt.old, n)
			}
			got, err := parse("door", strings.Replace(sample, tt.old, tt.new, 1))
			if err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("parse = %+v, %v; want an error that says %q", got, err, tt.says)
			}
		})
	}
}

func TestApply(t *testing.T) {
	t.Parallel()
	m := mutant{name: "door", file: "a/b.go", old: "shut()", new: "_ = 0"}
	for source, want := range map[string]string{"x\nshut()\ny\n": "x\n_ = 0\ny\n", "open()": "", "shut(); shut()": ""} {
		got, err := m.apply(source)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("apply to %q = %q, %v; want %q", source, got, err, want)
		}
	}
}
