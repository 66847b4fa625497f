// Package proc runs child processes that cannot outlast, outgrow or outwit
// their caller: each has a deadline, capped output, an environment of allowed
// names, and an end that takes everything it started with it.
//
// On Linux a child's processes are found through the process tree, its process
// group and a mark in the environment, so one that detached itself is found
// too. One that detached and cleared its environment before its parents ended
// is found only inside a sandbox, where the process namespace ends it, or a
// launcher takes it in. On other systems the process group (unix) or the job
// (windows, not tested there) is ended, and Result.LeftUnknown says that nobody
// counted.
package proc

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tolboy/warden/internal/sandbox"
)

// Command is one child to run.
type Command struct {
	// Argv is the program and its arguments. A program without a slash is
	// looked up on the PATH of Env; no shell is involved.
	Argv []string
	Dir  string
	// Env is the complete environment; see Environ.
	Env []string
	// Stdin is written while the child runs; a child that does not read it is
	// not waited for. Nil means an empty input.
	Stdin []byte
	// Timeout limits the run; 0 leaves only the context.
	Timeout time.Duration
	// Grace is the time between SIGTERM and SIGKILL; 0 means DefaultGrace, a
	// negative one kills at once.
	Grace time.Duration
	// MaxOutput caps what is kept of each stream, in bytes; 0 means
	// DefaultMaxOutput. More is read and counted, not kept.
	MaxOutput int
	// MaxTail caps what is kept of each stream's end beside that; 0 means 4 KiB.
	MaxTail int
	// Sandbox confines the child with the program at Bwrap: bubblewrap, or the
	// launcher of Landlock.
	Sandbox *sandbox.Spec
	Bwrap   string
	// Leaf says of a program that we trust that it leaves nothing behind: when it
	// has ended by itself, nothing of it is looked for. One that is stopped is
	// ended with everything it started, as ever.
	Leaf bool
	// ExtraFiles become descriptors 3, 4, ... of the child.
	ExtraFiles []*os.File
	// Started is called once, before anything else of the child is seen, when it
	// runs; it must not block. May be nil.
	Started func(*Family)
	// OnLine gets every line as it arrives, without its end and cut at MaxLine
	// bytes, 0 meaning 64 KiB. It is not called concurrently, must not block and
	// must not keep line. The last call is over when Run returns.
	OnLine  func(stream string, line []byte)
	MaxLine int
}

// Defaults of a Command.
const (
	DefaultGrace     = 2 * time.Second
	DefaultMaxOutput = 1 << 20
)

// MarkVariable is the environment variable that marks a child and all it
// starts. A child that itself uses this package adds to it.
const MarkVariable = "WARDEN_CHILD"

// Result is how a child ended. Only one of StartErr, TimedOut, Canceled,
// Signal and a non-zero ExitCode need be looked at, in this order: what a child
// prints or returns after it was told to end proves nothing.
type Result struct {
	ExitCode int    // -1 if it did not exit by itself or never started
	Signal   string // "SIGKILL"; in a sandbox a signal shows as exit code 128+n
	TimedOut bool
	Canceled bool
	Stdout   Output
	Stderr   Output
	Duration time.Duration
	// StartErr says why the program could not be started.
	StartErr error
	// Left counts processes that outlived the child and were killed. Inside a
	// sandbox the kernel ends them uncounted.
	Left        int
	LeftUnknown bool
	// StdinWritten counts the bytes of Stdin that the system took.
	StdinWritten int64
}

// OK reports whether the child started, ended by itself and exited with 0.
func (r Result) OK() bool {
	return r.StartErr == nil && !r.TimedOut && !r.Canceled && r.Signal == "" && r.ExitCode == 0
}

// Tails returns the labelled ends of both streams for a report, valid UTF-8.
// The reason of a failure may be on either.
func (r Result) Tails() string {
	var b strings.Builder
	for _, s := range []struct {
		name string
		out  Output
	}{{"stdout", r.Stdout}, {"stderr", r.Stderr}} {
		end := s.out.end()
		text := strings.TrimRight(valid(end), "\n")
		switch {
		case s.out.Total == 0:
			fmt.Fprintf(&b, "%s: empty\n", s.name)
		case int64(len(end)) < s.out.Total:
			fmt.Fprintf(&b, "%s, last %d of %d bytes:\n%s\n", s.name, len(end), s.out.Total, text)
		default:
			fmt.Fprintf(&b, "%s:\n%s\n", s.name, text)
		}
	}
	return b.String()
}

func (c Command) check() error {
	if len(c.Argv) == 0 || c.Argv[0] == "" {
		return errors.New("run a command: it has no name")
	}
	for _, list := range [][]string{c.Argv, c.Env} {
		for _, s := range list {
			if strings.ContainsRune(s, 0) {
				return fmt.Errorf("run %q: an argument or variable contains a zero byte", c.Argv[0])
			}
		}
	}
	if c.Dir != "" && !filepath.IsAbs(c.Dir) {
		return fmt.Errorf("run %q: directory %q is not absolute", c.Argv[0], c.Dir)
	}
	if c.MaxOutput < 0 || c.Timeout < 0 {
		return fmt.Errorf("run %q: a limit is negative", c.Argv[0])
	}
	return nil
}

func (c Command) grace() time.Duration {
	if c.Grace == 0 {
		return DefaultGrace
	}
	return max(c.Grace, 0)
}

func (c Command) maxOutput() int {
	if c.MaxOutput == 0 {
		return DefaultMaxOutput
	}
	return c.MaxOutput
}
