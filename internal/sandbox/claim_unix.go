//go:build unix && !solaris && !illumos && !aix

package sandbox

import (
	"errors"
	"os"
	"syscall"
)

// share opens dir and takes a shared lock on it. The only exclusive holder is
// a release, which is brief.
func share(dir string) (*os.File, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_SH)
		if err == nil {
			return f, nil
		}
		if !errors.Is(err, syscall.EINTR) {
			return nil, errors.Join(os.NewSyscallError("flock "+dir, err), f.Close())
		}
	}
}

// alone turns the shared lock into an exclusive one and reports whether it
// could.
func alone(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}
