package main

import (
	"bufio"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// Two runs in one worktree would each count the other's files as their own. The
// second is refused by name, and the end of the first lets go.
func TestOneAtATime(t *testing.T) {
	t.Parallel()
	program := build(t)
	first, repo := hanging(t, program, "run", "greet", "--run-id", "one")
	narration, err := first.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	other := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), program, args...)
		cmd.Dir, cmd.Env = repo, first.Env
		out, _ := cmd.Output()
		note(t, out)
		return string(out)
	}
	asked := false
	for said := bufio.NewScanner(narration); said.Scan(); {
		if asked || !strings.Contains(said.Text(), "dispatching") {
			continue
		}
		asked = true
		for _, args := range [][]string{
			{"run", "greet", "--run-id", "two"},
			{"do", "--in-place", "--scope", "sign", "--run-id", "two", "Put another greeting into greeting.txt"},
			{"gates", "greet", "--run-id", "two"},
			{"role", "implementer", "greet", "--run-id", "two"},
		} {
			got := other(args...)
			if !strings.Contains(got, `"code":"worktree_busy"`) || !strings.Contains(got, "process "+strconv.Itoa(first.Process.Pid)+" for run one") {
				t.Errorf("%s: %s", args[0], got)
			}
		}
		if err := first.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
	}
	_ = first.Wait()
	if got := other("gates", "greet", "--run-id", "two"); !asked || !strings.Contains(got, `"code":"command_failed"`) {
		t.Errorf("asked %t; afterwards: %s", asked, got)
	}
	sealed(t, repo, "one")
}
