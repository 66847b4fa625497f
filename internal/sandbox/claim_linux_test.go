package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestClaim(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	spec := Spec{Backend: Bubblewrap, Root: root, Writable: true, Protect: []string{root + "/.git", root + "/.warden", root + "/kept"}}
	if err := os.Mkdir(root+"/kept", 0o755); err != nil {
		t.Fatal(err)
	}
	claim := func() *Claim {
		t.Helper()
		c, err := spec.Claim()
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	release := func(c *Claim, want ...string) {
		t.Helper()
		if err := c.Release(); err != nil {
			t.Fatal(err)
		}
		entries, err := os.ReadDir(root)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, e := range entries {
			names = append(names, e.Name())
		}
		if got := strings.Join(names, " "); got != strings.Join(want, " ") {
			t.Errorf("the worktree holds %q, want %q", got, want)
		}
	}
	mkdir := func(names ...string) {
		t.Helper()
		for _, n := range names {
			if err := os.Mkdir(filepath.Join(root, n), 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	c := claim()
	mkdir(".git", ".warden")
	if err := os.WriteFile(root+"/.warden/file", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	release(c, ".warden", "kept")
	release(c, ".warden", "kept")

	first, second := claim(), claim()
	mkdir(".git")
	release(first, ".git", ".warden", "kept") // the other may still be using it
	release(second, ".warden", "kept")
}

func TestProbe(t *testing.T) {
	t.Parallel()
	run := func(ctx context.Context, argv []string) error {
		out, err := exec.CommandContext(ctx, argv[0], argv[1:]...).CombinedOutput()
		if err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		return nil
	}
	found := func(string) (string, error) { return "/usr/bin/bwrap", nil }
	t.Run("not installed", func(t *testing.T) {
		t.Parallel()
		r := Probe(t.Context(), "", func(string) (string, error) { return "", exec.ErrNotFound }, run)
		if r.Backend != None || r.Reason == "" {
			t.Errorf("got %+v", r)
		}
	})
	t.Run("refused by the machine", func(t *testing.T) {
		t.Parallel()
		r := Probe(t.Context(), "", found, func(context.Context, []string) error { return errors.New("no permission") })
		if r.Backend != None || !strings.Contains(r.Reason, "no permission") {
			t.Errorf("got %+v", r)
		}
	})
	t.Run("interrupted", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if r := Probe(ctx, "", found, func(context.Context, []string) error { return nil }); r.Backend != None {
			t.Errorf("got %+v", r)
		}
	})
	t.Run("here", func(t *testing.T) {
		t.Parallel()
		path, err := exec.LookPath("bwrap")
		if err != nil {
			if os.Getenv("WARDEN_REQUIRE_BWRAP") == "1" || os.Getenv("CI") == "true" {
				t.Fatalf("bubblewrap is required here: %v", err)
			}
			t.Skipf("bubblewrap is not installed (%v); nothing about the sandbox was tested", err)
		}
		if r := Probe(t.Context(), "", exec.LookPath, run); r.Backend != Bubblewrap || r.Path != path {
			t.Errorf("got %+v", r)
		}
	})
	// Each promise left out of the command line has to fail the probe.
	for name, change := range map[string]func(string) string{
		"own processes":   func(s string) string { return strings.Replace(s, "--unshare-pid ", "", 1) },
		"read-only root":  func(s string) string { return strings.Replace(s, "--ro-bind / /", "--bind / /", 1) },
		"mapped user":     func(s string) string { return strings.Replace(s, "--uid 1000 --gid 1000", "--uid 0 --gid 0", 1) },
		"no capabilities": func(s string) string { return strings.Replace(s, "--cap-drop ALL", "--cap-add ALL", 1) },
		"kernel settings": func(s string) string { return strings.Replace(s, "--ro-bind /proc/sys /proc/sys ", "", 1) },
	} {
		t.Run("without "+name, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath("bwrap"); err != nil {
				if os.Getenv("WARDEN_REQUIRE_BWRAP") == "1" || os.Getenv("CI") == "true" {
					t.Fatalf("bubblewrap is required here: %v", err)
				}
				t.Skipf("bubblewrap is not installed (%v)", err)
			}
			if os.Geteuid() != 0 {
				t.Skip("an ordinary user has less to lose, so the change cannot show")
			}
			r := Probe(t.Context(), "", exec.LookPath, func(ctx context.Context, argv []string) error {
				split := len(argv) - 4 // -- sh -c script
				line := strings.Join(argv[:split], " ")
				changed := change(line)
				if changed == line {
					t.Error("nothing was changed")
				}
				return run(ctx, append(strings.Fields(changed), argv[split:]...))
			})
			if r.Backend != None || !strings.Contains(r.Reason, "exit status") {
				t.Errorf("got %+v", r)
			}
			t.Log(r.Reason)
		})
	}
}
