package launcher

import (
	"errors"
	"os"
	"syscall"
	"unsafe"
)

// dropCapabilities leaves the calling thread, and whatever it becomes, without any
// capability. A user that has none cannot give up the bounding set, and gains
// nothing from it without new privileges.
func dropCapabilities() error {
	const (
		dropBounding    = 24
		ambient         = 47
		ambientClearAll = 4
		last            = 63
		version3        = 0x20080522
	)
	for c := uintptr(0); c <= last; c++ {
		_, _, e := syscall.RawSyscall6(syscall.SYS_PRCTL, dropBounding, c, 0, 0, 0, 0)
		if errors.Is(e, syscall.EINVAL) {
			break // one more than the kernel knows
		}
		if e != 0 && (e != syscall.EPERM || os.Geteuid() == 0) {
			return os.NewSyscallError("prctl", e)
		}
	}
	if _, _, e := syscall.RawSyscall6(syscall.SYS_PRCTL, ambient, ambientClearAll, 0, 0, 0, 0); e != 0 {
		return os.NewSyscallError("prctl", e)
	}
	header := struct {
		version uint32
		pid     int32
	}{version: version3}
	var none [2]struct{ effective, permitted, inheritable uint32 }
	if _, _, e := syscall.RawSyscall(syscall.SYS_CAPSET, uintptr(unsafe.Pointer(&header)), uintptr(unsafe.Pointer(&none)), 0); e != 0 {
		return os.NewSyscallError("capset", e)
	}
	return nil
}
