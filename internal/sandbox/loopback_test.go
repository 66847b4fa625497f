package sandbox_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/tolboy/warden/internal/sandbox"
)

func TestLoopback(t *testing.T) {
	t.Parallel()
	argv, err := sandbox.Loopback("/usr/bin/bwrap", []string{"/bin/program", "word"})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"--unshare-net", "--unshare-user", "--die-with-parent"} {
		if !slices.Contains(argv, want) {
			t.Errorf("%s is not in %q", want, argv)
		}
	}
	if !slices.Equal(argv[len(argv)-3:], []string{"--", "/bin/program", "word"}) {
		t.Errorf("the command is not at the end of %q", argv)
	}
	for name, call := range map[string]func() ([]string, error){
		"no command":    func() ([]string, error) { return sandbox.Loopback("/usr/bin/bwrap", nil) },
		"relative path": func() ([]string, error) { return sandbox.Loopback("bwrap", []string{"/bin/program"}) },
	} {
		if argv, err := call(); err == nil {
			t.Errorf("%s: %q was built", name, argv)
		}
	}
}

// TestProbeLoopback tries one sandbox inside of the namespace, and tells what refused it.
func TestProbeLoopback(t *testing.T) {
	t.Parallel()
	refused := errors.New("no nested namespaces")
	err := sandbox.ProbeLoopback(t.Context(), "/usr/bin/bwrap", func(_ context.Context, argv []string) error {
		within := slices.Index(argv, "--") + 1
		if argv[0] != "/usr/bin/bwrap" || argv[within] != "/usr/bin/bwrap" || !slices.Contains(argv[:within], "--unshare-net") || slices.Contains(argv[within:], "--unshare-net") {
			t.Errorf("one sandbox is not tried in the namespace of another: %q", argv)
		}
		return refused
	})
	if !errors.Is(err, refused) || !strings.Contains(err.Error(), "inside of a network namespace") {
		t.Errorf("told %v", err)
	}
	if err := sandbox.ProbeLoopback(t.Context(), "bwrap", func(context.Context, []string) error { return nil }); err == nil {
		t.Error("a name that is no path was tried")
	}
}
