package runner

import (
	"testing"

	"github.com/tolboy/warden/internal/sandbox"
)

// TestRequired holds that what a job requires is bubblewrap, which alone keeps a
// child from the process that holds a token.
func TestRequired(t *testing.T) {
	t.Parallel()
	for backend, refused := range map[sandbox.Backend]bool{sandbox.Bubblewrap: false, sandbox.Landlock: true, sandbox.None: true} {
		m := Machine{Required: true, Sandbox: sandbox.Report{Backend: backend}}
		if m.refuses() != refused {
			t.Errorf("%s where a sandbox is required: refused %v", backend, !refused)
		}
		if m.Required = false; m.refuses() {
			t.Errorf("%s is refused where none is required", backend)
		}
	}
}
