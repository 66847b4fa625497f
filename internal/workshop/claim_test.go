package workshop

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tolboy/warden/internal/bot"
	"github.com/tolboy/warden/internal/git"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/redact"
	"github.com/tolboy/warden/internal/runner"
	"github.com/tolboy/warden/internal/sandbox"
)

// TestNothingBeforeTheClaim holds that a run which is somebody else's comes no
// further than its worktree, which goes again, whatever stood in its place.
func TestNothingBeforeTheClaim(t *testing.T) {
	t.Parallel()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	mirror, start := mirrored(t, filepath.Join(base, "mirror.git"))
	machine, err := runner.NewMachineHeld(sandbox.Report{}, []string{"PATH=" + os.Getenv("PATH")}, base, filepath.Join(base, "state"))
	if err != nil {
		t.Fatal(err)
	}
	red, err := redact.New()
	if err != nil {
		t.Fatal(err)
	}
	run, err := ledger.Create(filepath.Join(base, "runs"), ledger.RunHead{SchemaVersion: ledger.SchemaVersion, RunID: "issue-1-1", TaskID: "issue-1",
		ReservedAt: time.Unix(1, 0).UTC(), BaseCommit: start, StartCommit: start}, red)
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	w := &Workshop{Machine: machine, Mirror: mirror, Ledgers: mirror, RunsDir: filepath.Join(base, "runs")}
	tree := filepath.Join(machine.StateDir, "trees", run.ID())
	theirs := errors.New("it is somebody else's")
	for name, left := range map[string]func(){
		"nothing": func() {},
		"a directory": func() {
			if err := os.MkdirAll(filepath.Join(tree, "x"), 0o755); err != nil {
				t.Fatal(err)
			}
		},
		"a worktree": func() {
			if _, err := machine.Git.Run(t.Context(), mirror, "worktree", "add", "--quiet", "--detach", tree, start); err != nil {
				t.Fatal(err)
			}
		},
	} {
		left()
		cut := false
		err := w.Run(t.Context(), bot.Order{Ledger: run, Start: start, Claimed: func() error {
			_, err := os.Stat(filepath.Join(tree, "a.txt"))
			cut = err == nil
			return theirs
		}})
		if !errors.Is(err, theirs) || !cut {
			t.Errorf("%s: Run = %v, cut %v", name, err, cut)
		}
		for _, path := range []string{tree, machine.JudgeDir(run.ID())} {
			if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: %s: %v", name, path, err)
			}
		}
	}
}

// mirrored is a mirror with one commit.
func mirrored(t *testing.T, dir string) (mirror, commit string) {
	t.Helper()
	if err := git.MakeDir(git.DirSpec{Dir: dir, Bare: true}); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("git", "--git-dir="+dir, "fast-import", "--quiet")
	cmd.Stdin = strings.NewReader("commit refs/heads/main\nmark :1\ncommitter A <a@example.org> 1 +0000\ndata 1\nx\nM 100644 inline a.txt\ndata 1\nx\n\nget-mark :1\n")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return dir, strings.TrimSpace(string(out))
}
