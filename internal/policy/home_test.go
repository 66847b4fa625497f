package policy

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/tolboy/warden/internal/strict"
	"github.com/tolboy/warden/internal/workflow"
)

func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

func load(t *testing.T, fsys fs.FS) Home {
	t.Helper()
	h, err := Load("/home/op/.warden", fsys)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestLoadHome(t *testing.T) {
	t.Parallel()
	h := load(t, fstest.MapFS{
		"policy.yaml":             file(minimalPolicy),
		"profiles/coder.yaml":     file(minimalProfile),
		"profiles/reader-a.yaml":  file("version: 1\nprofile: reader-a\nrole: reviewer\nvendor: bolt\ncommand: bolt\n"),
		"profiles/other.yaml":     file(minimalProfile),
		"profiles/broken.yaml":    file("version: 1\nprofile: broken\nrole: [x\n"),
		"profiles/writer.yaml":    file("version: 1\nprofile: writer\nrole: reviewer\nvendor: bolt\ncommand: bolt\nread_only: false\n"),
		"profiles/short.yml":      file(minimalProfile),
		"profiles/README.md":      file("not a profile"),
		"profiles/dir.yaml/x":     file(""),
		"prompts/implementer.md":  file("do it"),
		"schemas/reviewer.json":   file("{}"),
		"verification/coder.text": file(""),
	})
	if diff := cmp.Diff([]string{"coder", "reader-a", "writer"}, h.ProfileNames()); diff != "" {
		t.Errorf("profiles (-want +got):\n%s", diff)
	}
	want := map[string]string{
		"other":     `/home/op/.warden/profiles/other.yaml:2: profile: the profile is called "coder", and its file "other" (give both one name)`,
		"broken":    `/home/op/.warden/profiles/broken.yaml:3: this is not YAML: did not find expected ',' or ']' (look at the indentation, the quotes and the colon of this line and the one before)`,
		"writer":    `/home/op/.warden/profiles/writer.yaml:6: read_only: a reviewer only reads and must be read-only (write read_only: true; until then the profile is refused)`,
		"short.yml": `read /home/op/.warden/profiles/short.yml: the name of a profile's file ends in .yaml`,
	}
	if diff := cmp.Diff(want, h.Problems); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"reviewer -> reader-b"}, h.Dangling()); diff != "" {
		t.Errorf("dangling (-want +got):\n%s", diff)
	}
	if len(h.Faults) != len(want) {
		t.Errorf("%d faults, want %d: %v", len(h.Faults), len(want), h.Faults)
	}
}

func TestAbsentHome(t *testing.T) {
	t.Parallel()
	h := load(t, fstest.MapFS{})
	if h.Policy.Present || h.Policy.Err != nil || len(h.Policy.Roles) != 0 || len(h.Problems) != 0 {
		t.Errorf("an absent home: %+v", h)
	}
	if diff := cmp.Diff(workflow.BuiltIn(), h.Policy.Stages); diff != "" {
		t.Errorf("chain (-want +got):\n%s", diff)
	}
}

func TestLoadPolicy(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		file *fstest.MapFile
	}{
		{"CF-03_unfinished_flow", file("version: 1\nroles: { reviewer: { profiles: [a] }\n")},
		{"CF-03_wrong_key", file(minimalPolicy + "falover: {}\n")},
		{"CF-03_empty", file("")},
		{"CF-03_text", file("nothing to see")},
		{"CF-03_second_document", file(minimalPolicy + "---\n" + minimalPolicy)},
		{"CF-03_not_a_file", &fstest.MapFile{Mode: fs.ModeNamedPipe}},
		{"CF-03_too_large", file(minimalPolicy + strings.Repeat("#", strict.MaxYAMLBytes+1))},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := load(t, fstest.MapFS{"policy.yaml": tt.file})
			if !h.Policy.Present || h.Policy.Err == nil {
				t.Errorf("present %v, err %v: an unreadable policy must not look like none", h.Policy.Present, h.Policy.Err)
			}
			if h.Policy.Stages != nil || h.Policy.Roles != nil {
				t.Errorf("an unreadable policy still says something: %+v", h.Policy)
			}
			if h.Problems["policy.yaml"] == "" || len(h.Faults) == 0 {
				t.Errorf("problems %v, faults %v", h.Problems, h.Faults)
			}
		})
	}
}

// denied is a file system whose files cannot be opened.
type denied struct{ fs.FS }

func (denied) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
}

func TestCF03DeniedIsNotAbsent(t *testing.T) {
	t.Parallel()
	_, err := Load("/h", denied{})
	if !errors.Is(err, fs.ErrPermission) {
		t.Errorf("profiles that cannot be listed: got %v", err)
	}
}

func TestWritingJudges(t *testing.T) {
	t.Parallel()
	h := load(t, fstest.MapFS{
		"policy.yaml":            file(minimalPolicy),
		"profiles/reader-a.yaml": file("version: 1\nprofile: reader-a\nrole: reviewer\nvendor: bolt\ncommand: bolt\nread_only: false\n"),
		"profiles/coder.yaml":    file(minimalProfile + "read_only: false\n"),
	})
	if diff := cmp.Diff([]string{"reviewer -> reader-a"}, h.WritingJudges()); diff != "" {
		t.Errorf("writing judges (-want +got):\n%s", diff)
	}
}

func TestHomeReadFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	h := Home{Dir: dir, FS: fstest.MapFS{"prompts/a.md": file("hello"), "big": file(strings.Repeat("x", maxSupport+1)), "d/e": file("")}}
	for _, name := range []string{"prompts/a.md", "./prompts/a.md", "x/../prompts/a.md", filepath.Join(dir, "prompts", "a.md")} {
		if got, err := h.ReadFile(name); err != nil || string(got) != "hello" {
			t.Errorf("ReadFile(%q) = %q, %v", name, got, err)
		}
	}
	for _, name := range []string{"../x", filepath.Dir(dir), "/etc/passwd", "prompts/../../x", "absent", "big", "d", ""} {
		if got, err := h.ReadFile(name); err == nil {
			t.Errorf("ReadFile(%q) = %q, want an error", name, got)
		}
	}
}
