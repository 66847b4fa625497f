package gate_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tolboy/warden/internal/gate"
	"github.com/tolboy/warden/internal/git"
	"github.com/tolboy/warden/internal/outcome"
)

func TestPreflight(t *testing.T) {
	t.Parallel()
	t.Run("GF-11_dirty outside the scope before anyone ran", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, append([]string{"package-lock.json", "{}\n"}, contracted...)...)
		setup, err := gate.Setup(t.Context(), gate.SetupRequest{
			Commands: []string{"echo '{1}' > package-lock.json"}, Root: b.dir, Judge: b.judge(), Runner: gate.Runner{Env: os.Environ(), Limit: time.Minute},
		})
		if err != nil || !setup.OK {
			t.Fatalf("setup %+v, %v", setup.Verdict, err)
		}
		b.write("stray.txt", "x\n", "src/a.txt", "in scope\n")
		r, err := gate.Preflight(t.Context(), gate.PreflightRequest{Task: task("true"), Judge: b.judge(), SetupChanged: setup.ChangedPaths})
		if err != nil {
			t.Fatal(err)
		}
		want := []gate.Violation{{Path: "package-lock.json", Why: "outside the scope; changed by a setup command"}, {Path: "stray.txt", Why: "outside the scope"}}
		if r.Code != outcome.PreflightOutsideScope || r.OK || r.Fixable() || r.Resolution == "" || !cmp.Equal(want, r.Violations) {
			t.Errorf("verdict %+v, violations %v", r.Verdict, r.Violations)
		}
	})
	t.Run("CF-05_lists what it would stop for", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, contracted...)
		b.write("other.txt", "dirty\n")
		r, err := gate.Preflight(t.Context(), gate.PreflightRequest{Task: task("true"), Judge: b.judge()})
		if err != nil || r.OK || !strings.Contains(r.Message, "other.txt") {
			t.Errorf("verdict %+v, %v", r.Verdict, err)
		}
	})
	t.Run("clean", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, contracted...)
		r, err := gate.Preflight(t.Context(), gate.PreflightRequest{Task: task("true"), Judge: b.judge()})
		if err != nil || !r.OK || r.Code != outcome.Passed || r.Tree.Source == "" {
			t.Errorf("verdict %+v, %v", r.Verdict, err)
		}
	})
	t.Run("a judge that cannot look", func(t *testing.T) {
		t.Parallel()
		r, err := gate.Preflight(t.Context(), gate.PreflightRequest{Task: task("true"), Judge: blind{}})
		if err == nil || r.OK {
			t.Errorf("verdict %+v, %v", r.Verdict, err)
		}
	})
}

func TestPinBase(t *testing.T) {
	t.Parallel()
	b := newBench(t, contracted...)
	t.Run("GF-12_a typo names the ref", func(t *testing.T) {
		t.Parallel()
		_, v, err := gate.PinBase(t.Context(), b.git, b.dir, "origin/mian")
		if err != nil || v.OK || v.Code != outcome.BaseRefUnresolvable || v.Fixable() || !strings.Contains(v.Message, `"origin/mian"`) {
			t.Errorf("verdict %+v, %v", v, err)
		}
	})
	t.Run("GF-12_a shallow clone suggests the history", func(t *testing.T) {
		t.Parallel()
		clone := filepath.Join(t.TempDir(), "clone")
		b.run("-c", "protocol.file.allow=always", "clone", "--quiet", "--depth=1", "--branch=work", "file://"+b.dir, clone)
		_, v, err := gate.PinBase(t.Context(), b.git, clone, "origin/main")
		if err != nil || v.OK || !strings.Contains(v.Message, "fetch-depth: 0") {
			t.Errorf("verdict %+v, %v", v, err)
		}
	})
	t.Run("no commit yet", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		b.run("init", "--quiet", dir)
		_, v, err := gate.PinBase(t.Context(), b.git, dir, "HEAD")
		if err != nil || v.OK || !strings.Contains(v.Message, "no commit yet") {
			t.Errorf("verdict %+v, %v", v, err)
		}
	})
	t.Run("no repository is an error", func(t *testing.T) {
		t.Parallel()
		_, v, err := gate.PinBase(t.Context(), b.git, t.TempDir(), "main")
		var unresolvable *git.UnresolvableError
		if err == nil || errors.As(err, &unresolvable) || v.OK {
			t.Errorf("verdict %+v, %v", v, err)
		}
	})
}

func TestSetup(t *testing.T) {
	t.Parallel()
	setup := func(t *testing.T, commands ...string) (gate.SetupReport, *bench) {
		t.Helper()
		b := newBench(t, contracted...)
		r, err := gate.Setup(t.Context(), gate.SetupRequest{
			Commands: commands, Root: b.dir, Judge: b.judge(), Runner: gate.Runner{Env: os.Environ(), Limit: 5 * time.Second},
		})
		if err != nil {
			t.Fatal(err)
		}
		return r, b
	}
	t.Run("IS-06_in order, changes listed", func(t *testing.T) {
		t.Parallel()
		r, b := setup(t, "echo 1 > lock", "echo 2 >> lock; test \"$(cat lock | tr '\\n' ' ')\" = '1 2 '")
		if !r.OK || len(r.Commands) != 2 || !slices.Equal(r.ChangedPaths, []string{"lock"}) {
			t.Errorf("%+v", r)
		}
		if _, err := os.Stat(filepath.Join(b.dir, "lock")); err != nil {
			t.Error(err)
		}
	})
	t.Run("IS-06_failing is its own stop", func(t *testing.T) {
		t.Parallel()
		r, _ := setup(t, "echo why; exit 4", "true")
		if r.OK || r.Code != outcome.SetupFailed || len(r.Commands) != 1 || r.Commands[0].Stdout != "why\n" || !strings.Contains(r.Message, "status 4") || r.Fixable() {
			t.Errorf("%+v", r)
		}
	})
	t.Run("IS-06_the contract stays", func(t *testing.T) {
		t.Parallel()
		r, _ := setup(t, "echo '# x' >> .warden/project.yaml")
		if r.OK || r.Code != outcome.ContractMutated || !strings.Contains(r.Message, "project.yaml") {
			t.Errorf("%+v", r.Verdict)
		}
	})
}
