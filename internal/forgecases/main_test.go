package forgecases

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// program is the built binary, and room the directory that holds it and every
// world. TestMain sets them before any test runs.
var program, room string

func TestMain(m *testing.M) { os.Exit(build(m)) }

// build makes the program once, so that what is tested, and killed, is a process
// as a runner starts it.
func build(m *testing.M) int {
	dir, err := os.MkdirTemp("", "warden-forgecases-")
	if err != nil {
		fmt.Fprintln(os.Stderr, "make a directory for the program:", err)
		return 1
	}
	defer os.RemoveAll(dir)
	program, room = filepath.Join(dir, "warden"), dir
	cmd := exec.Command("go", "build", "-o", program, "../../cmd/warden")
	if out, err := cmd.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the program: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// scratch is a directory for one world on the program's own file system, so that
// the program can be linked into it.
func scratch(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp(room, "world-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Errorf("remove the world: %v", err)
		}
	})
	return dir
}
