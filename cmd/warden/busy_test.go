package main

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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
		if i := slices.IndexFunc(first.Env, func(e string) bool { return strings.HasPrefix(e, "HOME=") }); i >= 0 {
			cmd.Env = append(slices.Clone(first.Env), "WARDEN_CONFIG_HOME="+filepath.Join(first.Env[i][len("HOME="):], ".warden"))
		}
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
			if !strings.Contains(got, `"code":"worktree_busy"`) || !strings.Contains(got, "process "+strconv.Itoa(first.Process.Pid)+" for run one") ||
				!strings.Contains(got, "/.warden warden do") {
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

// Of several that would cut one worktree at the same moment, one does. The others say
// who has it, and take nothing back that is not theirs.
func TestOneCuts(t *testing.T) {
	t.Parallel()
	const most = 4
	program := build(t)
	first, repo := hanging(t, program, "do", "--scope", "sign", "--task-id", "both", "Put a greeting into greeting.txt")
	type end struct {
		cmd *exec.Cmd
		out bytes.Buffer
		err error
	}
	working, ended := make(chan *exec.Cmd, most), make(chan *end, most)
	for range most {
		e := &end{cmd: exec.CommandContext(t.Context(), program, first.Args[1:]...)}
		e.cmd.Dir, e.cmd.Env, e.cmd.Stdout = repo, first.Env, &e.out
		narration, err := e.cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := e.cmd.Start(); err != nil {
			t.Fatal(err)
		}
		go func() {
			for said := bufio.NewScanner(narration); said.Scan(); {
				if strings.Contains(said.Text(), "dispatching") {
					working <- e.cmd
				}
			}
			e.err = e.cmd.Wait()
			ended <- e
		}()
	}
	for range most - 1 {
		e := <-ended
		note(t, e.out.Bytes())
		if e.err == nil || !strings.Contains(e.out.String(), `"code":"worktree_busy"`) {
			t.Errorf("ended with %v: %s", e.err, &e.out)
		}
	}
	var last *end
	select {
	case cmd := <-working:
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		last = <-ended
	case last = <-ended:
		t.Errorf("nobody worked: %s", &last.out)
	}
	note(t, last.out.Bytes())
	tree := filepath.Join(repo+"-worktrees", "w-both")
	runs, err := filepath.Glob(filepath.Join(tree, ".warden", "runs", "*", "run.json"))
	if err != nil || len(runs) != 1 {
		t.Fatalf("runs in the tree: %v, %v; the last: %s", runs, err, &last.out)
	}
	sealed(t, tree, filepath.Base(filepath.Dir(runs[0])))
	if _, err := os.Stat(filepath.Join(tree, ".git")); err != nil {
		t.Error(err)
	}
}
