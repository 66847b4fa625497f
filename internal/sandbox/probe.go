package sandbox

import (
	"context"
	"errors"
	"fmt"
)

// Report is what a probe found. Reason says why the backend is None.
type Report struct {
	Backend Backend `json:"backend"`
	Path    string  `json:"path,omitempty"`
	Reason  string  `json:"reason,omitempty"`
}

// probeScript fails unless the promises that matter most hold inside. It uses
// the shell's own words only, so nothing but /bin/sh has to exist.
const probeScript = `
[ "$$" -lt 10 ] || { echo "process ids are the host's" >&2; exit 3; }
while read -r device dir type options rest; do
  [ "$dir" != / ] || case $options in ro|ro,*) ;; *) echo "the root is writable" >&2; exit 4 ;; esac
done < /proc/self/mounts
if (: > /proc/sys/kernel/core_pattern) 2>/dev/null; then echo "kernel settings are writable" >&2; exit 5; fi
(: > "$HOME/probe") && (: > /tmp/probe) || { echo "HOME or /tmp is not writable" >&2; exit 6; }
while read -r key value rest; do
  case $key in
  Uid:) [ "$value" != 0 ] || { echo "the user is root" >&2; exit 7; } ;;
  CapEff:|CapPrm:|CapBnd:|CapAmb:) case $value in *[!0]*) echo "$key $value" >&2; exit 8 ;; esac ;;
  esac
done < /proc/self/status
exit 0`

// Probe finds the best backend of this machine by running it once. lookPath
// finds an executable by name; run starts a command line and returns nil only
// if it ended with status 0. Whatever goes wrong is a reason for None.
func Probe(ctx context.Context, lookPath func(string) (string, error), run func(ctx context.Context, argv []string) error) Report {
	if _, err := thisHost(); err != nil {
		return Report{Backend: None, Reason: err.Error()}
	}
	path, err := lookPath("bwrap")
	if err != nil {
		return Report{Backend: None, Reason: fmt.Sprintf("find bubblewrap: %v", err)}
	}
	s := Spec{Backend: Bubblewrap, Root: "/usr", Home: "/tmp/home"}
	argv, err := s.Wrap(path, []string{"/bin/sh", "-c", probeScript})
	if err == nil {
		err = run(ctx, argv)
	}
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		if errors.Is(err, context.Canceled) {
			return Report{Backend: None, Path: path, Reason: "the probe was interrupted"}
		}
		return Report{Backend: None, Path: path, Reason: fmt.Sprintf("probe bubblewrap: %v", err)}
	}
	return Report{Backend: Bubblewrap, Path: path}
}
