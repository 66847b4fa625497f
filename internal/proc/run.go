package proc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"
)

const (
	// settle is how long output may still arrive after the child exited by
	// itself, as from a process it left to write a log.
	settle = time.Second
	// drain is how long output may arrive after everything was killed.
	drain = time.Second
	// reap is how long a killed child may take to vanish.
	reap = 5 * time.Second
)

// Run runs c to its end and returns how it ended. A child that fails, cannot be
// started, runs into the limit or is cancelled is a Result; an error means that
// the outcome is unknown or that something of the child could not be ended.
// When ctx ends, by a deadline too, the result is Canceled and the child's tree
// gets SIGTERM, the grace, then SIGKILL, as with the limit. Run is safe for
// concurrent use.
func Run(ctx context.Context, c Command) (Result, error) {
	if err := c.check(); err != nil {
		return Result{}, err
	}
	start := time.Now()
	if err := ctx.Err(); err != nil {
		return Result{ExitCode: -1, Canceled: true}, nil
	}
	var res Result
	var err error
	// A file that is to be covered may vanish between the look at the machine
	// and the mount, such as a daemon's socket. The command was not reached.
	for range setupTries {
		res, err = once(ctx, c)
		if !errors.Is(err, errNotReached) || ctx.Err() != nil {
			break
		}
	}
	res.Duration = time.Since(start)
	return res, err
}

// setupTries bounds how often a sandbox is set up for one command.
const setupTries = 3

// errNotReached says that a sandbox ended before the command in it started.
var errNotReached = errors.New("the sandbox did not get to it")

func once(ctx context.Context, c Command) (Result, error) {
	l, err := prepare(c)
	if err != nil {
		return Result{}, err
	}
	res, err := l.run(ctx, c)
	return res, errors.Join(err, l.close())
}

// run starts the prepared child and stays until it and its kin are gone.
func (l *launch) run(ctx context.Context, c Command) (Result, error) {
	res := Result{ExitCode: -1}
	if l.startErr != nil {
		res.StartErr = l.startErr
		return res, nil
	}
	s, err := attach(l.cmd, c)
	if err != nil {
		return res, fmt.Errorf("run %q: %w", c.Argv[0], err)
	}
	if err := l.cmd.Start(); err != nil {
		s.discard()
		res.StartErr = err
		return res, nil
	}
	l.started()
	kin := newKin(l.cmd.Process, l.mark, l.held)
	if c.Started != nil {
		c.Started(newFamily(l.cmd.Process, l.mark, l.held))
	}
	s.pump()
	exited := make(chan struct{})
	go func() {
		defer close(exited)
		_ = l.cmd.Wait() // the state is read from cmd.ProcessState
	}()

	res.TimedOut, res.Canceled = l.wait(ctx, c, exited)
	if res.TimedOut || res.Canceled {
		kin.terminate()
		within(exited, c.grace())
	} else {
		s.drained(settle)
	}
	var left int
	var endErr error
	if !c.Leaf || l.held != byNobody || res.TimedOut || res.Canceled {
		left, endErr = kin.kill(exited)
	} else {
		endErr = kin.release()
	}
	res.Left, res.LeftUnknown = left, !treeKnown
	gone := within(exited, reap)
	s.drained(drain)
	s.end()
	res.Stdout, res.Stderr, res.StdinWritten = s.stdout.output(), s.stderr.output(), s.written
	if !gone {
		return res, fmt.Errorf("run %q: it is still there %s after it was killed", c.Argv[0], reap)
	}
	res.ExitCode, res.Signal = ending(l.cmd.ProcessState)
	if endErr != nil {
		return res, fmt.Errorf("run %q: %w", c.Argv[0], endErr)
	}
	return l.judge(res, c)
}

// wait returns when the child exited, the limit passed or ctx ended.
func (l *launch) wait(ctx context.Context, c Command, exited <-chan struct{}) (timedOut, canceled bool) {
	var limit <-chan time.Time
	if c.Timeout > 0 {
		t := time.NewTimer(c.Timeout)
		defer t.Stop()
		limit = t.C
	}
	select {
	case <-exited:
		return false, false
	case <-limit:
		timedOut = true
	case <-ctx.Done():
		canceled = true
	}
	if within(exited, 0) {
		return false, false // it ended by itself at the same moment
	}
	return timedOut, canceled
}

// within waits for done, at most for limit, and reports whether it came.
func within(done <-chan struct{}, limit time.Duration) bool {
	select {
	case <-done:
		return true
	default:
		if limit <= 0 {
			return false
		}
	}
	t := time.NewTimer(limit)
	defer t.Stop()
	select {
	case <-done:
		return true
	case <-t.C:
		return false
	}
}

// holder is what keeps a child's processes together.
type holder int

const (
	byNobody    holder = iota
	byNamespace        // bubblewrap, whose end is the end of all that runs in it
	byKeeper           // a launcher, which takes in what lost its parents
)

// launch is a child ready to start, with what has to be undone after it.
type launch struct {
	cmd      *exec.Cmd
	mark     string
	held     holder
	startErr error
	status   *statusPipe
	release  func() error
}

func (l *launch) started() {
	if l.status != nil {
		l.status.listen()
	}
}

func (l *launch) close() error {
	var err error
	if l.status != nil {
		l.status.close()
	}
	if l.release != nil {
		err = l.release()
	}
	return err
}

// ending translates a process state.
func ending(st *os.ProcessState) (code int, signal string) {
	if st == nil {
		return -1, ""
	}
	return st.ExitCode(), signalName(st)
}
