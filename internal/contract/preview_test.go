package contract

import (
	"strings"
	"testing"
)

// TestPreviewOfTheProject holds who serves the page of a task: the task's own word
// first, and the project's only where the task says nothing and a browser looks.
func TestPreviewOfTheProject(t *testing.T) {
	t.Parallel()
	const declared = richProject + "preview:\n  start: serve it\n  url: http://127.0.0.1:9000/\n"
	const look = "visual_qa:\n  required: true\n  scenarios: [no-console-errors]\n"
	tests := []struct{ name, project, visual, start, url string }{
		{"the task says nothing", declared, look, "serve it", "http://127.0.0.1:9000/"},
		{"the task has a command", declared, look + "  start: mine\n", "mine", ""},
		{"the task has an address", declared, look + "  url: http://127.0.0.1:1/\n", "", "http://127.0.0.1:1/"},
		{"nobody looks", declared, "", "", ""},
		{"an agent looks", declared, look + "  evidence: agent\n", "", ""},
		{"the project says nothing", richProject, look, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			task, err := ParseTask("t1", []byte(minimalTask+tt.visual), project(t, tt.project))
			if err != nil {
				t.Fatal(err)
			}
			if task.Visual.Start != tt.start || task.Visual.URL != tt.url {
				t.Errorf("served by %q at %q, want %q at %q", task.Visual.Start, task.Visual.URL, tt.start, tt.url)
			}
		})
	}
	_, err := ParseProject("p", []byte(minimalProject+"preview:\n  url: http://127.0.0.1:9000/\n"))
	if err == nil || !strings.Contains(err.Error(), "start") {
		t.Errorf("a preview that nobody starts: %v", err)
	}
}
