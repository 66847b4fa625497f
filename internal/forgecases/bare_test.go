package forgecases

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// bare is a PATH on which there is no bubblewrap.
func bare(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"sh", "bash", "git", "cat", "grep", "touch"} {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(path, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return "PATH=" + dir
}

// TestWithoutSandbox holds what is published to what happened: without leave
// nothing runs, and with it what ran was not confined, or by Landlock alone where the
// kernel has it.
func TestWithoutSandbox(t *testing.T) {
	t.Parallel()
	plant := func(t *testing.T, policy, setup string) *world {
		w := newWorld(t, setting{files: map[string]string{".github/warden/policy.yaml": policyText + policy},
			project: func(yaml string) string { return yaml + fmt.Sprintf("setup: [%q]\n", setup) }})
		w.open()
		return w
	}
	t.Run("refused", func(t *testing.T) {
		t.Parallel()
		mark := filepath.Join(t.TempDir(), "setup")
		w := plant(t, "", "touch "+mark)
		p := w.try(w.label(), "state", bare(t))
		w.want(p.Runs[0].Reason == "unconfined_refused" && w.model.made() == 0 && !exists(mark), "something ran: setup %v, %s", exists(mark), p)
		text := w.read(w.path("summary.md"))
		w.want(strings.Contains(text, "nothing ran") && !strings.Contains(text, "not confined"), "it says %s", text)
	})
	t.Run("allowed", func(t *testing.T) {
		t.Parallel()
		w := plant(t, "allow_unconfined: true\n", "true")
		p := w.try(w.label(), "state", bare(t))
		w.want(p.Runs[0].Reason == "ready_for_human" && w.model.made() == 1, "it did not run: %s", p)
		text := w.read(w.path("summary.md"))
		says := strings.Contains(text, "not confined") || strings.Contains(text, "confined by Landlock alone")
		w.want(says && !strings.Contains(text, "nothing ran"), "it says %s", text)
	})
}
