package proc

import (
	"runtime"
	"strings"
)

// Shell returns the call of a login shell that runs the command. A login shell of
// some systems replaces PATH by its own, and with it the toolchain that the caller
// chose; so the caller's is put first again.
func Shell(command string, env []string) []string {
	if runtime.GOOS == "windows" {
		return []string{"cmd.exe", "/d", "/s", "/c", command}
	}
	for _, kv := range env {
		if path, ok := strings.CutPrefix(kv, "PATH="); ok && path != "" {
			return []string{"/bin/sh", "-lc", `PATH="$1:$PATH"; export PATH; shift` + "\n" + command, "sh", path}
		}
	}
	return []string{"/bin/sh", "-lc", command}
}
