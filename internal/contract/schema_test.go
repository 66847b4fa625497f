package contract

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/tolboy/warden/internal/schema"
	"github.com/tolboy/warden/internal/strict"
)

var update = flag.Bool("update", false, "write spec/schemas from the tables of keys")

// The schemas an editor completes from are made from the tables the reader
// reads by. A file that differs was edited by hand, or left behind.
func TestSchemasMatchTheReader(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, title, description string
		shape                    strict.Shape
	}{
		{"project.schema.json", "Warden project", "The file .warden/project.yaml: what a repository declares once for all of its tasks.", new(rawProject).shape()},
		{"task.schema.json", "Warden task", "A file .warden/tasks/<id>.yaml: one piece of work and what makes it done.", new(rawTask).shape()},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			want, err := strict.Describe(tt.shape, "https://github.com/tolboy/warden/spec/schemas/"+tt.name, tt.title, tt.description)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("..", "..", "spec", "schemas", tt.name)
			if *update {
				if err := os.WriteFile(file, want, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			got, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s is not what the reader reads by: run go test ./internal/contract -run TestSchemasMatchTheReader -update", file)
			}
		})
	}
}

// An editor that completes from the schema refuses what the reader refuses
// about keys, types, words and ranges.
func TestSchemasRefuseWhatTheReaderRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string][]string{
		"project.schema": {"", minimalProject + "zzz: 1", "version: 1\nproject: x\nchecks: {}", "version: 1\nproject: x\nchecks: {a: b}", minimalProject + "scopes: {a: []}",
			minimalProject + "scopes: {a: ['*']}", minimalProject + "scopes: {a: [/etc]}", minimalProject + "defaults: {risk: x}", minimalProject + "defaults: {timeout_minutes: 241}",
			minimalProject + "forge: {decide: {permission: read}}", minimalProject + "forge: {branch_prefix: main}", minimalProject + "base_ref: -x"},
		"task.schema": {"", minimalTask + "zzz: 1", minimalTask + "use: {}", minimalTask + "checks: {a: b}", minimalTask + "acceptance: x", minimalTask + "authority: {network: 1}",
			minimalTask + "budgets: {max_role_runs: 51}", minimalTask + "risk: x", "version: 1\nid: T\ngoal: g\nscope: code", "version: 1\nid: t\ngoal: g\nscope: []"},
	}
	for name, texts := range tests {
		s, err := schema.Compile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range texts {
			doc, faults := strict.Parse(strict.Source{File: "f"}, []byte(text))
			if faults != nil {
				t.Fatal(faults)
			}
			plain, err := json.Marshal(doc.Plain())
			if err != nil {
				t.Fatal(err)
			}
			if s.Validate(plain) == nil {
				t.Errorf("%s takes %q", name, text)
			}
		}
	}
}
