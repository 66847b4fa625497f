package launcher

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"github.com/tolboy/warden/internal/sandbox"
)

const (
	prSetChildSubreaper = 36

	sweepLimit = 5 * time.Second      // for what the command left behind
	sweepPause = 2 * time.Millisecond // between two looks
	maxReason  = 8 << 10              // bytes of why a command was not reached
)

// report is what a keeper says of its command, one line on the status descriptor:
// how it ended, or why it could not be started.
type report struct {
	ExitCode *int   `json:"exit-code,omitempty"`
	Start    string `json:"start-error,omitempty"`
}

// keep starts the command, waits for it, ends what it left, and returns its status.
func keep(args []string, rules sandbox.Rules, stderr io.Writer) int {
	runtime.LockOSThread() // the command is ended when this thread is
	// The command is asked to end on its own; its keeper ends after it.
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT)
	id, reasons, err := start(args, rules)
	if err != nil {
		fmt.Fprintln(stderr, "warden: confine:", err)
		return statusFailed
	}
	status, err := wait(id)
	err = errors.Join(err, sweep())
	reason, readErr := io.ReadAll(io.LimitReader(reasons, maxReason))
	if err = errors.Join(err, readErr); err != nil {
		fmt.Fprintln(stderr, "warden: confine:", err)
		return statusFailed
	}
	return tell(rules, status, string(reason), stderr)
}

// tell reports on the status descriptor and returns the exit status.
func tell(rules sandbox.Rules, status int, reason string, stderr io.Writer) int {
	out := report{ExitCode: &status}
	if reason != "" {
		var why failure
		if err := json.Unmarshal([]byte(reason), &why); err != nil || !why.Exec {
			fmt.Fprintln(stderr, "warden: confine:", reason)
			return statusFailed
		}
		out = report{Start: why.Reason}
	}
	if rules.Status > 0 {
		if err := json.NewEncoder(os.NewFile(uintptr(rules.Status), "status")).Encode(out); err != nil {
			fmt.Fprintln(stderr, "warden: confine:", err)
			return statusFailed
		}
	}
	if out.Start != "" {
		fmt.Fprintln(stderr, "warden: confine:", out.Start)
		return statusFailed
	}
	return status
}

// start starts the process that becomes the command. It gets the descriptors of
// this one, and instead of the status one on which it says why it did not become
// the command.
func start(args []string, rules sandbox.Rules) (id int, reasons *os.File, err error) {
	if _, _, e := syscall.RawSyscall6(syscall.SYS_PRCTL, prSetChildSubreaper, 1, 0, 0, 0, 0); e != 0 {
		return 0, nil, os.NewSyscallError("prctl", e)
	}
	r, w, err := os.Pipe()
	if err != nil {
		return 0, nil, err
	}
	files := []uintptr{0, 1, 2}
	for fd := 3; fd < rules.Status; fd++ {
		files = append(files, uintptr(fd))
	}
	files = append(files, w.Fd())
	argv := append([]string{args[0], enterWord}, args[1:]...)
	argv[0] = os.Args[0]
	id, err = syscall.ForkExec("/proc/self/exe", argv, &syscall.ProcAttr{
		Env: os.Environ(), Files: files, Sys: &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL},
	})
	return id, r, errors.Join(err, w.Close())
}

// wait takes in every child that ends until id did, and returns its status as a
// shell would.
func wait(id int) (int, error) {
	for {
		var ws syscall.WaitStatus
		got, err := syscall.Wait4(-1, &ws, 0, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return 0, os.NewSyscallError("wait4", err)
		case got == id && ws.Signaled():
			return 128 + int(ws.Signal()), nil
		case got == id:
			return ws.ExitStatus(), nil
		}
	}
}

// sweep ends what the command left. Whoever lost its parent is a child of this
// process, so that there is nobody left when there are no children.
func sweep() error {
	end := time.Now().Add(sweepLimit)
	for {
		got, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		switch {
		case errors.Is(err, syscall.ECHILD):
			return nil
		case err != nil && !errors.Is(err, syscall.EINTR):
			return os.NewSyscallError("wait4", err)
		case got > 0 || err != nil:
			continue
		case time.Now().After(end):
			return fmt.Errorf("what the command left cannot be ended within %s", sweepLimit)
		}
		list, err := children(os.Getpid())
		if err != nil {
			return err
		}
		for _, id := range list {
			_ = syscall.Kill(id, syscall.SIGKILL) // one that is gone is taken in above
		}
		<-time.After(sweepPause)
	}
}
