package vendor

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/sandbox"
)

func TestAgentFiles(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	p := stubProfile()
	p.Command = "opencode"
	env := program(t, "opencode")
	clean, err := agentFiles(p, root)
	if err != nil || len(clean) != 0 {
		t.Errorf("a clean tree has %q, %v", clean, err)
	}
	if err := os.MkdirAll(filepath.Join(root, ".opencode", "plugin"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/nowhere", filepath.Join(root, "opencode.json")); err != nil {
		t.Fatal(err)
	}
	want := []string{filepath.Join(root, ".opencode"), filepath.Join(root, "opencode.json")}
	for name, q := range map[string]func(){
		"by program": func() { p.Command, p.Vendor = "opencode", "x" },
		"by path":    func() { p.Command, p.Vendor = "/opt/bin/opencode", "x" },
		"by vendor":  func() { p.Command, p.Vendor = "wrapper", "OpenCode" },
	} {
		q()
		if got, err := agentFiles(p, root); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	p.Command, p.Vendor = "opencode", "opencode"
	wantCode(t, call(t, Call{Profile: p, Dir: root, Env: env}), outcome.Unconfined)
	if err := os.Remove(filepath.Join(root, "opencode.json")); err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	if err := os.MkdirAll(filepath.Join(home, ".cli"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, ".cli", "auth.json"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.HomeShare = []string{".cli/auth.json"}
	spec, _ := confined(t, Call{Profile: p, Dir: root, Env: env, HomeDir: home, Sandbox: &sandbox.Spec{Backend: sandbox.Bubblewrap, Root: root, Home: home, Hide: []string{"/x"}}})
	if !slices.Equal(spec.Hide, []string{"/x", filepath.Join(root, ".opencode")}) {
		t.Errorf("hidden %q", spec.Hide)
	}
}
