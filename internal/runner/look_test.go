package runner

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/sandbox"
	"github.com/tolboy/warden/internal/visual"
)

// TestLookNetwork gives a preview the network that the commands of its task have, a
// loopback of its own, or none at all.
func TestLookNetwork(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		backend sandbox.Backend
		granted bool
		command string
		network string // "" where nothing may be started
	}{
		{"bubblewrap", sandbox.Bubblewrap, false, "serve", visual.NetworkLoopback},
		{"bubblewrap, granted", sandbox.Bubblewrap, true, "serve", visual.NetworkHost},
		{"landlock", sandbox.Landlock, false, "serve", ""},
		{"landlock, granted", sandbox.Landlock, true, "serve", visual.NetworkHost},
		{"nothing confines", sandbox.None, false, "serve", visual.NetworkHost},
		{"somebody else serves", sandbox.Landlock, false, "", visual.NetworkHost},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := &Machine{HomeDir: t.TempDir(), StateDir: t.TempDir(), Now: time.Now, Sandbox: sandbox.Report{Backend: tt.backend, Path: "/usr/bin/bwrap"}}
			var r visual.Report
			o := visual.Order{Command: tt.command, Browser: "/usr/bin/true"}
			fault := m.confineLook(Look{RunID: "r1", Worktree: t.TempDir(), Task: contract.Task{Authority: contract.Authority{Network: tt.granted}}}, &o, &r)
			if o.Network != tt.network || (fault == nil) != (tt.network != "") {
				t.Errorf("network %q, fault %+v", o.Network, fault)
			}
			if fault != nil && (fault.Code != outcome.VisualUnavailable || fault.Why != visual.NoNetwork) {
				t.Errorf("fault %+v", fault)
			}
			if fault == nil && tt.backend == sandbox.Bubblewrap && (o.Chromium == nil || o.Preview == nil || !o.Preview.Network) {
				t.Errorf("confined as %+v and %+v", o.Preview, o.Chromium)
			}
		})
	}
}

// TestDetectedPage serves by the command that is found only the address that it
// serves, and one that the task names before it.
func TestDetectedPage(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, start, url, command, address string }{
		{"found", "", "", "npm run preview -- --host 127.0.0.1 --port 4173", "http://127.0.0.1:4173/"},
		{"declared", "make serve", "", "make serve", contract.DefaultURL},
		{"another address", "", "http://127.0.0.1:9/", "", "http://127.0.0.1:9/"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"scripts":{"preview":"vite preview"}}`), 0o600); err != nil {
				t.Fatal(err)
			}
			var o visual.Order
			var r visual.Report
			task := contract.Task{Visual: contract.Visual{Start: tt.start, URL: tt.url}}
			if fault := (&Machine{}).page(t.Context(), Look{Worktree: dir, Task: task}, &o, &r); fault != nil {
				t.Fatal(fault.Text)
			}
			if o.Command != tt.command || o.URL != tt.address || r.StartDeclared != (tt.start != "") {
				t.Errorf("command %q at %q, declared %v", o.Command, o.URL, r.StartDeclared)
			}
		})
	}
}
