//go:build unix

package clean

import (
	"io/fs"
	"os"
	"syscall"
)

// mine reports whether the directory is this user's: others share the place.
func mine(e fs.DirEntry) bool {
	info, err := e.Info()
	if err != nil {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}
