package sandbox

import (
	"context"
	"errors"
	"fmt"
)

// Report is what a probe found. Reason says why the backend is None, or why it is
// not the better one.
type Report struct {
	Backend Backend `json:"backend"`
	// Path is the program that confines: bubblewrap, or this one for Landlock.
	Path   string `json:"path,omitempty"`
	Reason string `json:"reason,omitempty"`
	ABI    int    `json:"landlock_version,omitempty"`
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

// landlockScript is the same for what Landlock promises. The last line is an
// attempt on a place that the rules do not name.
const landlockScript = `
(: > "$HOME/probe") && (: > "$TMPDIR/probe") || { echo "HOME or TMPDIR is not writable" >&2; exit 6; }
while read -r key value rest; do
  case $key in
  NoNewPrivs:) [ "$value" = 1 ] || { echo "new privileges can be had" >&2; exit 7; } ;;
  CapEff:|CapPrm:|CapAmb:) case $value in *[!0]*) echo "$key $value" >&2; exit 8 ;; esac ;;
  esac
done < /proc/self/status
if (: > "$TMPDIR/../probe") 2>/dev/null; then echo "a place outside of the rules is writable" >&2; exit 4; fi
exit 0`

// Probe finds the best backend of this machine by running it once. lookPath
// finds an executable by name; run starts a command line and returns nil only
// if it ended with status 0. The launcher is the path of a program that starts
// package launcher, "" where there is none. Whatever goes wrong is a reason for
// less.
func Probe(ctx context.Context, launcher string, lookPath func(string) (string, error), run func(ctx context.Context, argv []string) error) Report {
	if _, err := thisHost(); err != nil {
		return Report{Backend: None, Reason: err.Error()}
	}
	best := probeBubblewrap(ctx, lookPath, run)
	if best.Backend != None || launcher == "" || ctx.Err() != nil {
		return best
	}
	err := probeLandlock(ctx, launcher, run)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		best.Reason += fmt.Sprintf("; probe landlock: %v", err)
		return best
	}
	return Report{Backend: Landlock, Path: launcher, Reason: best.Reason, ABI: landlockABI()}
}

func probeBubblewrap(ctx context.Context, lookPath func(string) (string, error), run func(ctx context.Context, argv []string) error) Report {
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

func probeLandlock(ctx context.Context, launcher string, run func(ctx context.Context, argv []string) error) error {
	s := Spec{Backend: Landlock, Root: "/usr", Home: "/tmp/home"}
	c, err := s.Claim()
	if err != nil {
		return err
	}
	s.Tmp = c.Tmp
	argv, err := s.Wrap(launcher, []string{"/bin/sh", "-c", landlockScript})
	if err == nil {
		err = run(ctx, argv)
	}
	return errors.Join(err, c.Release())
}
