//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package durable

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

const (
	noFollow = syscall.O_NOFOLLOW
	nonBlock = syscall.O_NONBLOCK
)

func tryLock(f *os.File) (func() error, error) {
	err := flock(f, syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, errBusy
	}
	return unlocker(f), err
}

func lockFile(f *os.File) (func() error, error) {
	return unlocker(f), flock(f, syscall.LOCK_EX)
}

func unlocker(f *os.File) func() error {
	return func() error { return flock(f, syscall.LOCK_UN) }
}

func flock(f *os.File, how int) error {
	for {
		err := syscall.Flock(int(f.Fd()), how)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// syncDir makes a new or renamed entry of the directory survive a crash.
func (d *Dir) syncDir(name string) error {
	f, err := d.root.Open(filepath.FromSlash(name))
	if err != nil {
		return fmt.Errorf("sync directory %q: %w", name, err)
	}
	defer f.Close()
	if err := f.Sync(); err != nil {
		return fmt.Errorf("sync directory %q: %w", name, err)
	}
	return nil
}
