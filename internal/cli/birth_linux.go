package cli

import (
	"bytes"
	"fmt"
	"os"
	"strings"
)

// birth tells a process from a later one of the same number: when it was started,
// in ticks since the boot. One that ended, and for which nobody waited, was born at
// no time at all. It is "" where that cannot be read.
func birth(pid int) string {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	// The name, in brackets, may hold anything; the 20th word after it is the one.
	rest := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(rest) < 20 {
		return ""
	}
	if rest[0] == "Z" || rest[0] == "X" {
		return "ended"
	}
	return rest[19]
}
