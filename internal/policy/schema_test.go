package policy

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
		{"policy.schema.json", "Warden policy", "The file policy.yaml of the operator's home: who fills which role, and in what order the stages run.", new(rawPolicy).shape()},
		{"profile.schema.json", "Warden profile", "A file profiles/<name>.yaml of the operator's home: one way to run one vendor's program in one role.", new(rawProfile).shape()},
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
				t.Errorf("%s is not what the reader reads by: run go test ./internal/policy -run TestSchemasMatchTheReader -update", file)
			}
		})
	}
}

// An editor that completes from the schema refuses what the reader refuses
// about keys, types, words and ranges.
func TestSchemasRefuseWhatTheReaderRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string][]string{
		"policy.schema": {"roles: {}", "version: 2\nroles: {reviewer: {profiles: [a]}}", minimalPolicy + "zzz: 1", "version: 1\nroles: {boss: {profiles: [a]}}",
			minimalPolicy + "failover: {on_quota_exhausted: x}", minimalPolicy + "retry: {rate_limited: {max_attempts: 6}}", minimalPolicy + "workflow: {stages: []}",
			minimalPolicy + "workflow: {stages: [{stage: a, run: role, role: reviewer, when: [x]}]}", minimalPolicy + "allow_unconfined: 1"},
		"profile.schema": {"", minimalProfile + "zzz: 1", minimalProfile + "args: x", minimalProfile + "args: [1]", minimalProfile + "sandbox: x",
			minimalProfile + "limits: {wall_clock_minutes: 0}", minimalProfile + "env: {A: 1}", minimalProfile + "env: {'a b': x}", minimalProfile + "api_key_env: []", minimalProfile + "home: {share: [/x]}"},
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
