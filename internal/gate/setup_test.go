package gate_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tolboy/warden/internal/gate"
	"github.com/tolboy/warden/internal/outcome"
)

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
