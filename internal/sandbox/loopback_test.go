package sandbox_test

import (
	"slices"
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
