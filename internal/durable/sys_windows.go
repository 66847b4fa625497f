package durable

import (
	"errors"
	"os"
	"syscall"
	"unsafe"
)

// noFollow is zero: the comparison after opening does its work here.
const noFollow = 0

// nonBlock is zero: no name of a file opens a pipe that waits here.
const nonBlock = 0

const (
	lockFailImmediately = 1
	lockExclusive       = 2
	lockViolation       = syscall.Errno(33)
)

func lockProc(name string) *syscall.LazyProc {
	return syscall.NewLazyDLL("kernel32.dll").NewProc(name)
}

func tryLock(f *os.File) (func() error, error) {
	return lockRange(f, lockExclusive|lockFailImmediately)
}

func lockFile(f *os.File) (func() error, error) { return lockRange(f, lockExclusive) }

// lockRange locks one byte far beyond any content, because a lock here would
// keep others from reading what it covers.
func lockRange(f *os.File, flags uintptr) (func() error, error) {
	at := &syscall.Overlapped{OffsetHigh: 0x7fffffff}
	ok, _, err := lockProc("LockFileEx").Call(f.Fd(), flags, 0, 1, 0, uintptr(unsafe.Pointer(at)))
	if ok == 0 {
		if errors.Is(err, lockViolation) {
			return nil, errBusy
		}
		return nil, err
	}
	return func() error {
		ok, _, err := lockProc("UnlockFileEx").Call(f.Fd(), 0, 1, 0, uintptr(unsafe.Pointer(at)))
		if ok == 0 {
			return err
		}
		return nil
	}, nil
}

// syncDir does nothing: a directory cannot be synced here.
func (d *Dir) syncDir(string) error { return nil }
