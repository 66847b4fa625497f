package contract

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

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
