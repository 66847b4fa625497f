package durable

import "syscall"

// StampOf looks at a plain file, through no link in the last part of its name. It is
// false where there is none, and where the system has no stamps.
func StampOf(name string) (Stamp, bool) {
	var s syscall.Stat_t
	if again(func() error { return syscall.Lstat(name, &s) }) != nil || s.Mode&syscall.S_IFMT != syscall.S_IFREG {
		return Stamp{}, false
	}
	return Stamp{Device: s.Dev, Inode: s.Ino, Size: s.Size, Modified: s.Mtim.Nano(), Changed: s.Ctim.Nano()}, true
}
