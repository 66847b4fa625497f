package vendor_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/tolboy/warden/internal/fakemodel"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/sandbox"
)

// Where there is no bubblewrap the CLIs run under Landlock. A CLI that confines its
// commands by mounting cannot, and what it does then is what the test says.
func TestRealUnderLandlock(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c cli) {
		var root, outside string
		script := func(r fakemodel.Request) fakemodel.Turn {
			turns := []fakemodel.Turn{
				{Edit: &fakemodel.Edit{Path: filepath.Join(root, "hello.txt"), Content: "hello\n"}},
				{Edit: &fakemodel.Edit{Path: outside, Content: "out\n"}},
				{Text: "Done.\n" + implementerDone},
			}
			if c.name == "opencode" { // it ends its turn when it is to write outside
				turns = slices.Delete(turns, 1, 2)
			}
			return fakemodel.Script(turns...)(r)
		}
		b := newBench(t, c, "implement", script)
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		b.backend, b.bwrap = sandbox.Landlock, self
		root, outside = b.root, filepath.Join(b.home, "outside.txt")
		got := b.call(5 * time.Minute)
		if got.Code != outcome.OK {
			fail(t, got)
			t.Fatalf("code %s: %s", got.Code, got.Detail)
		}
		text, err := os.ReadFile(filepath.Join(b.root, "hello.txt"))
		if wrote := err == nil && string(text) == "hello\n"; wrote != !c.mounts {
			fail(t, got)
			t.Errorf("hello.txt is %q, %v", text, err)
		}
		if _, err := os.Lstat(outside); err == nil {
			t.Error("it wrote beside the worktree")
		}
	})
}
