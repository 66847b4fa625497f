package proc

import (
	"os"
	"syscall"
)

// attributes give the child its own process group, and an end when the caller
// is killed.
func attributes(program string, _, _ []string) (string, *syscall.SysProcAttr) {
	return program, &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// Harden keeps processes of the same user from reading this one's memory and
// environment, which /proc otherwise gives to every child. Call it before the
// first secret is read and the first child is started.
func Harden() error {
	const setDumpable = 4
	_, _, e := syscall.RawSyscall6(syscall.SYS_PRCTL, setDumpable, 0, 0, 0, 0, 0)
	if e != 0 {
		return os.NewSyscallError("prctl", e)
	}
	return nil
}
