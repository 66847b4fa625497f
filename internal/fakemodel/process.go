package fakemodel

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Process is a process of this machine, as far as it may be looked at.
type Process struct {
	ID      string
	Command string   // the argument vector, joined by blanks
	Environ []string // nil when it may not be read
}

// Running lists the processes, this one left out, that have to do with a
// directory: it holds their working directory, or its name stands in their
// arguments or their environment.
func Running(dir string) ([]Process, error) {
	entries, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	var out []Process
	for _, e := range entries {
		if filepath.Base(e) == fmt.Sprint(os.Getpid()) {
			continue
		}
		// Each may have ended, or be another user's.
		cwd, _ := os.Readlink(e + "/cwd")
		line, _ := os.ReadFile(e + "/cmdline")
		env, _ := os.ReadFile(e + "/environ")
		if !strings.HasPrefix(cwd, dir) && !bytes.Contains(line, []byte(dir)) && !bytes.Contains(env, []byte(dir)) {
			continue
		}
		p := Process{ID: filepath.Base(e), Command: strings.TrimSpace(strings.ReplaceAll(string(line), "\x00", " "))}
		if len(env) > 0 {
			p.Environ = strings.Split(strings.TrimSuffix(string(env), "\x00"), "\x00")
		}
		out = append(out, p)
	}
	return out, nil
}
