package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Loopback returns the command line that runs a program of ours, with bubblewrap,
// in a network namespace that has a loopback and nothing else. The program sees
// the machine as ever; what it starts under a Spec with Network shares that
// loopback and reaches nobody outside. It changes nothing.
func Loopback(bwrap string, argv []string) ([]string, error) {
	if len(argv) == 0 || argv[0] == "" {
		return nil, errors.New("give a command a loopback of its own: it has no name")
	}
	if !filepath.IsAbs(bwrap) {
		return nil, fmt.Errorf("give %q a loopback of its own: path of bubblewrap %q is not absolute", argv[0], bwrap)
	}
	out := []string{bwrap, "--unshare-user", "--unshare-net", "--die-with-parent", "--cap-drop", "ALL"}
	if os.Geteuid() == 0 {
		// Without it root could not map a user for a sandbox inside.
		out = append(out, "--cap-add", "CAP_SETFCAP")
	}
	out = append(out, "--dev-bind", "/", "/", "--")
	return append(out, argv...), nil
}

// ProbeLoopback runs once what looking at a page needs beyond Probe: a confined
// child inside the namespace of Loopback, so one sandbox in another. Some machines
// give the first and refuse the second. Run is as of Probe; the error says what was
// refused.
func ProbeLoopback(ctx context.Context, bwrap string, run func(ctx context.Context, argv []string) error) error {
	s := Spec{Backend: Bubblewrap, Root: "/usr", Home: "/tmp/home", Network: true}
	argv, err := s.Wrap(bwrap, []string{"/bin/sh", "-c", probeScript})
	if err == nil {
		argv, err = Loopback(bwrap, argv)
	}
	if err == nil {
		err = run(ctx, argv)
	}
	if err != nil {
		return fmt.Errorf("start a sandbox inside of a network namespace: %w", err)
	}
	return nil
}
