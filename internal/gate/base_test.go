package gate_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tolboy/warden/internal/gate"
	"github.com/tolboy/warden/internal/git"
	"github.com/tolboy/warden/internal/outcome"
)

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
