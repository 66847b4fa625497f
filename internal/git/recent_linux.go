package git

import (
	"io/fs"
	"syscall"
	"time"
)

// inodeChanged is the time at which the kernel last changed the inode. No program
// can set it.
func inodeChanged(info fs.FileInfo) (time.Time, bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return time.Time{}, false
	}
	return time.Unix(int64(st.Ctim.Sec), int64(st.Ctim.Nsec)), true
}
