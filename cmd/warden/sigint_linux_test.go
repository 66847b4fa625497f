package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// ofSystem are commands of scripts that look at processes.
func ofSystem() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){"interrupt": interruptCommand, "idle": idleCommand, "fold": foldCommand}
}

// interruptCommand is the script command
//
//	interrupt SCRIPT STATUS FILE ARG...
//
// It starts warden with the arguments, sends it the signal that Ctrl-C sends as soon as
// the vendor that plays SCRIPT is at work, and wants that exit status. What was printed
// goes into FILE.
func interruptCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 4 {
		ts.Fatalf("usage: interrupt SCRIPT STATUS FILE ARG...")
	}
	var program string
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		if p := filepath.Join(dir, "warden"); program == "" && executable(p) {
			program = p
		}
	}
	var out, said bytes.Buffer
	cmd := exec.Command(program, args[3:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = ts.MkAbs("."), &out, &said
	for _, name := range []string{"HOME", "PATH", "USER", "GIT_CONFIG_NOSYSTEM", "NO_COLOR", "WARDEN_STATE_DIR", "WARDEN_PROVOKED"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	ts.Check(cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for giveUp := time.Now().Add(2 * time.Minute); len(processes(args[0], ts.Getenv("HOME"))) == 0; {
		select {
		case err := <-ended:
			ts.Fatalf("warden ended before the vendor was at work: %v\n%s", err, said.String())
		default:
		}
		if time.Now().After(giveUp) {
			_ = cmd.Process.Kill()
			ts.Fatalf("no vendor was at work in two minutes")
		}
	}
	ts.Check(cmd.Process.Signal(os.Interrupt))
	<-ended
	ts.Logf("%s", said.String())
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), out.Bytes(), 0o644))
	if got := strconv.Itoa(cmd.ProcessState.ExitCode()); got != args[1] || !json.Valid(out.Bytes()) {
		ts.Fatalf("exit status %s, want %s; printed:\n%s", got, args[1], out.String())
	}
}

// idleCommand fails where a process of this script is still there.
func idleCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: idle")
	}
	if left := processes(ts.Getenv("HOME")); len(left) > 0 {
		ts.Fatalf("left running: %q", left)
	}
}

func executable(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// processes are the command lines on this machine that have all of the words.
func processes(words ...string) (out []string) {
	names, _ := filepath.Glob("/proc/[0-9]*/cmdline")
next:
	for _, name := range names {
		raw, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		for _, w := range words {
			if !strings.Contains(string(raw), w) {
				continue next
			}
		}
		out = append(out, strings.ReplaceAll(string(raw), "\x00", " "))
	}
	return out
}
