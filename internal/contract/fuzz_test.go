package contract

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tolboy/warden/internal/schema"
	"github.com/tolboy/warden/internal/strict"
)

// fits fails when the reader took a file that the published schema refuses.
func fits(t *testing.T, s *schema.Schema, data []byte) {
	t.Helper()
	doc, faults := strict.Parse(strict.Source{File: "f"}, data)
	if faults != nil {
		t.Fatalf("a file that was read has faults of form: %v", faults)
	}
	text, err := json.Marshal(doc.Plain())
	if err != nil {
		t.Fatal(err)
	}
	if v := s.Validate(text); v != nil {
		t.Fatalf("the reader takes what the schema refuses: %v\n%s", v, data)
	}
}

// placed fails when a fault does not say where it is.
func placed(t *testing.T, err error, data []byte) {
	t.Helper()
	var faults strict.Faults
	if !errors.As(err, &faults) {
		t.Fatalf("an error that is no list of faults: %v", err)
	}
	for _, f := range faults {
		if f.Line < 1 || f.Line > bytes.Count(data, []byte("\n"))+1 || f.Message == "" || strings.Contains(f.Message, "\n") {
			t.Fatalf("fault %+v", f)
		}
	}
}

func compile(f *testing.F, name string) *schema.Schema {
	f.Helper()
	s, err := schema.Compile(name)
	if err != nil {
		f.Fatal(err)
	}
	return s
}

// FuzzProject: faults have a place; what is read fits the schema, has a check
// set, and no scope that reaches beyond its repository.
func FuzzProject(f *testing.F) {
	s := compile(f, "project.schema")
	for _, seed := range []string{"", minimalProject, richProject, fullProject, minimalProject + "scopes: {a: ['./x//', '..']}\n", minimalProject + "forge:\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := ParseProject("f", data)
		if err != nil {
			placed(t, err, data)
			return
		}
		fits(t, s, data)
		if _, ok := p.CheckSet(p.Defaults.Checks); !ok {
			t.Fatalf("no default set of checks: %+v", p)
		}
		for _, scope := range p.Scopes {
			safeScope(t, scope.Paths)
		}
	})
}

func safeScope(t *testing.T, paths []string) {
	t.Helper()
	if len(paths) == 0 || slices.Contains(paths, Repository) && len(paths) > 1 {
		t.Fatalf("scope %q", paths)
	}
	for _, p := range paths {
		if n, m, _ := normalPath(p); p != Repository && (m != "" || n != p) {
			t.Fatalf("scope path %q is not in its one form: %s", p, m)
		}
	}
}

// FuzzTask: faults have a place; what is read fits the schema, is bounded, has
// something that decides, and may not land.
func FuzzTask(f *testing.F) {
	s := compile(f, "task.schema")
	p, err := ParseProject("p", []byte(richProject+"defaults: {baseline_checks: health}\n"))
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{"", minimalTask, fullTask, minimalTask + "checks: none\n", minimalTask + "acceptance: [a]\nreproduce: [a]\n", "version: 1\nid: a\ngoal: |\n  x\nscope: [<repository>]\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		task, err := ParseTask("f", data, p)
		if err != nil {
			placed(t, err, data)
			return
		}
		fits(t, s, data)
		safeScope(t, task.Scope)
		if len(task.Acceptance) < len(task.Baseline) || len(task.Acceptance) < len(task.Reproduce) || len(task.Acceptance) > MaxCommands || task.Authority.Land || task.MaxRoleRuns < 1 || task.Timeout <= 0 {
			t.Fatalf("task %+v", task)
		}
		for _, c := range task.Acceptance {
			if strings.TrimSpace(c) == "" || strings.ContainsAny(c, "\n\r\x00") {
				t.Fatalf("command %q", c)
			}
		}
	})
}

// FuzzIssueBlock: faults have a place; a block only yields names the project
// declares; and the goal is drafted so that it reads back byte for byte.
func FuzzIssueBlock(f *testing.F) {
	p, err := ParseProject("p", []byte(richProject+"forge: {scope: code}\n"))
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{"", "text", fence + "warden\nscope: code\nchecks: [fast]\n" + fence, "<!--\n" + fence + "warden\n-->", "~~~warden\nrisk: x\n", "> " + fence + "warden\n" + fence + "\n",
		fence + "warden\nscenarios: ['a']\n" + fence + "\n" + fence + "warden\n" + fence} {
		f.Add("title", seed)
	}
	f.Fuzz(func(t *testing.T, title, body string) {
		b, faults := ParseIssueBlock(body)
		for _, fault := range faults {
			if fault.Line < 1 || fault.Line > strings.Count(body, "\n")+1 {
				t.Fatalf("fault %+v of %d lines", fault, strings.Count(body, "\n")+1)
			}
		}
		goal := IssueGoal(title, body)
		task, text, err := Synthesize("t1", goal, b, p)
		if err != nil {
			if len(b.Check(p)) == 0 && utf8.ValidString(goal) && strings.TrimSpace(goal) != "" && !strings.ContainsRune(goal, 0) && len(goal) < 1<<16 {
				t.Fatalf("a sound issue is not drafted: %v", err)
			}
			return
		}
		if task.Goal != goal {
			t.Fatalf("goal %q, want %q", task.Goal, goal)
		}
		if !bytes.HasPrefix(text, []byte("version: 1\n")) {
			t.Fatalf("draft %q", text)
		}
		for _, c := range task.Acceptance {
			if !strings.Contains(richProject, c) {
				t.Fatalf("command %q comes from the issue", c)
			}
		}
	})
}
