//go:build unix

package proc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// sh returns a command that runs script with a plain environment.
func sh(script string) Command {
	return Command{Argv: []string{"/bin/sh", "-c", script}, Env: Environ(os.Environ(), nil), Timeout: time.Minute}
}

// mustRun runs c and fails the test when the outcome is unknown.
func mustRun(t *testing.T, c Command) Result {
	t.Helper()
	res, err := Run(t.Context(), c)
	if err != nil {
		t.Fatalf("Run(%q): %v\n%s", c.Argv, err, res.Tails())
	}
	return res
}

// cancelAt runs c and cancels it when it prints line.
func cancelAt(t *testing.T, c Command, line string) Result {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c.OnLine = func(_ string, got []byte) {
		if string(got) == line {
			cancel()
		}
	}
	res, err := Run(ctx, c)
	if err != nil {
		t.Fatalf("Run(%q): %v\n%s", c.Argv, err, res.Tails())
	}
	return res
}

func TestRun(t *testing.T) {
	t.Parallel()
	t.Run("exit code, both streams and input", func(t *testing.T) {
		t.Parallel()
		c := sh(`cat; echo err >&2; exit 7`)
		c.Stdin = []byte("in\n")
		res := mustRun(t, c)
		if res.ExitCode != 7 || res.OK() || string(res.Stdout.Bytes) != "in\n" || string(res.Stderr.Bytes) != "err\n" || res.StdinWritten != 3 {
			t.Errorf("got %+v", res)
		}
	})
	t.Run("success", func(t *testing.T) {
		t.Parallel()
		if res := mustRun(t, sh("exit 0")); !res.OK() || res.Left != 0 || res.Duration <= 0 {
			t.Errorf("got %+v", res)
		}
	})
	t.Run("signal", func(t *testing.T) {
		t.Parallel()
		if res := mustRun(t, sh("kill -SEGV $$")); res.Signal != "SIGSEGV" || res.ExitCode != -1 || res.OK() {
			t.Errorf("got %+v", res)
		}
	})
	t.Run("PR-01 input larger than the pipe, child never reads", func(t *testing.T) {
		t.Parallel()
		c := sh("exec sleep 60")
		c.Stdin, c.Timeout, c.Grace = bytes.Repeat([]byte("x"), 8<<20), 300*time.Millisecond, time.Second
		res := mustRun(t, c)
		if !res.TimedOut || res.Signal != "SIGTERM" || res.Duration > 20*time.Second || res.StdinWritten >= 8<<20 {
			t.Errorf("got %+v", res)
		}
	})
	t.Run("PR-01 child exits without reading", func(t *testing.T) {
		t.Parallel()
		c := sh("exit 3")
		c.Stdin = bytes.Repeat([]byte("x"), 8<<20)
		if res := mustRun(t, c); res.ExitCode != 3 || res.TimedOut {
			t.Errorf("got %+v", res)
		}
	})
	t.Run("PR-03 grandchild holds the pipe at the limit", func(t *testing.T) {
		t.Parallel()
		held := newHeld(t)
		c := sh("sleep 300 & sleep 300")
		c.Timeout, c.ExtraFiles = 300*time.Millisecond, []*os.File{held.w}
		res := mustRun(t, c)
		if !res.TimedOut || res.Duration > 20*time.Second {
			t.Errorf("got %+v", res)
		}
		held.gone(t)
	})
	t.Run("PR-03 grandchild ignores SIGTERM", func(t *testing.T) {
		t.Parallel()
		held := newHeld(t)
		c := sh(`trap "" TERM; sleep 300 & echo up; wait; wait; sleep 300`)
		c.Grace, c.ExtraFiles = 100*time.Millisecond, []*os.File{held.w}
		res := cancelAt(t, c, "up")
		if !res.Canceled || res.Signal != "SIGKILL" {
			t.Errorf("got %+v", res)
		}
		held.gone(t)
	})
	t.Run("PR-03 grandchild left behind by a normal end", func(t *testing.T) {
		t.Parallel()
		held := newHeld(t)
		c := sh("sleep 300 & echo done")
		c.ExtraFiles = []*os.File{held.w}
		res := mustRun(t, c)
		if !res.OK() || string(res.Stdout.Bytes) != "done\n" {
			t.Errorf("got %+v", res)
		}
		if treeKnown && res.Left != 1 {
			t.Errorf("Left = %d, want 1", res.Left)
		}
		held.gone(t)
	})
	t.Run("output still arriving after the exit is kept", func(t *testing.T) {
		t.Parallel()
		// The writer waits until the child has been collected.
		res := mustRun(t, sh(`(while kill -0 $$ 2>/dev/null; do :; done; sleep 0.1; echo late) & exit 0`))
		if string(res.Stdout.Bytes) != "late\n" {
			t.Errorf("stdout = %q", res.Stdout.Bytes)
		}
	})
	t.Run("a chance to clean up", func(t *testing.T) {
		t.Parallel()
		c := sh(`trap 'echo cleaned; exit 0' TERM; echo up; while :; do sleep 0.05; done`)
		c.Grace = time.Minute
		res := cancelAt(t, c, "up")
		if !res.Canceled || res.TimedOut || res.OK() || res.ExitCode != 0 || !strings.Contains(res.Stdout.Text(), "cleaned") {
			t.Errorf("got %+v", res)
		}
	})
	t.Run("cancelled before the start", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		marker := filepath.Join(t.TempDir(), "marker")
		res, err := Run(ctx, sh("touch "+marker))
		if err != nil || !res.Canceled {
			t.Errorf("got %+v, %v", res, err)
		}
		if _, err := os.Stat(marker); err == nil {
			t.Error("the command ran")
		}
	})
	t.Run("PR-10 both tails are reported", func(t *testing.T) {
		t.Parallel()
		c := sh(`echo the reason; i=0; while [ $i -lt 3000 ]; do echo noise >&2; i=$((i+1)); done; echo last >&2; exit 1`)
		c.MaxOutput = 100
		tails := mustRun(t, c).Tails()
		for _, want := range []string{"stdout:\nthe reason\n", "stderr, last 4096 of 18005 bytes:\n", "\nlast\n"} {
			if !strings.Contains(tails, want) {
				t.Errorf("tails do not contain %q:\n%.300s", want, tails)
			}
		}
	})
	t.Run("PR-11 cap in bytes", func(t *testing.T) {
		t.Parallel()
		c := sh(`i=0; while [ $i -lt 2000 ]; do printf '€'; i=$((i+1)); done`)
		c.MaxOutput = 32
		out := mustRun(t, c).Stdout
		if string(out.Bytes) != strings.Repeat("€", 10) || !out.Truncated || out.Total != 6000 || !utf8.Valid(out.Tail) || len(out.Tail) > 4096 {
			t.Errorf("got %d bytes %q, truncated %t of %d, tail of %d", len(out.Bytes), out.Bytes, out.Truncated, out.Total, len(out.Tail))
		}
		report, err := json.Marshal(map[string]any{"out": out.Text(), "truncated": out.Truncated})
		if err != nil || !json.Valid(report) {
			t.Errorf("report %q: %v", report, err)
		}
	})
	t.Run("lines of both streams", func(t *testing.T) {
		t.Parallel()
		var got []string
		c := sh(`printf 'one\r\ntwo'; printf 'three\n' >&2`)
		c.OnLine = func(stream string, line []byte) { got = append(got, stream+" "+string(line)) }
		mustRun(t, c)
		all := strings.Join(got, "|") + "|"
		for _, want := range []string{"stdout one|", "stdout two|", "stderr three|"} {
			if !strings.Contains(all, want) {
				t.Errorf("lines %q lack %q", got, want)
			}
		}
	})
	t.Run("SE-01 the name is not given to a shell", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		c := sh("")
		c.Dir, c.Argv = dir, []string{"git; touch marker"}
		res := mustRun(t, c)
		if !errors.Is(res.StartErr, exec.ErrNotFound) || res.OK() {
			t.Errorf("got %+v", res)
		}
		if list, _ := os.ReadDir(dir); len(list) != 0 {
			t.Errorf("made %v", list)
		}
	})
	t.Run("a file that cannot start", func(t *testing.T) {
		t.Parallel()
		file := filepath.Join(t.TempDir(), "data")
		if err := os.WriteFile(file, []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
		c := sh("")
		c.Argv = []string{file}
		if res := mustRun(t, c); res.StartErr == nil || res.OK() {
			t.Errorf("got %+v", res)
		}
	})
	t.Run("an argument beyond the system's limit", func(t *testing.T) {
		t.Parallel()
		c := sh("exit 0")
		c.Argv = append(c.Argv, strings.Repeat("x", 4<<20))
		if res := mustRun(t, c); res.StartErr == nil {
			t.Errorf("got %+v", res)
		}
	})
}

func TestRunRefusesBadCommands(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*Command){
		"no program":         func(c *Command) { c.Argv = nil },
		"zero byte":          func(c *Command) { c.Argv = append(c.Argv, "a\x00b") },
		"relative directory": func(c *Command) { c.Dir = "x" },
		"negative cap":       func(c *Command) { c.MaxOutput = -1 },
		"negative limit":     func(c *Command) { c.Timeout = -1 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := sh("exit 0")
			change(&c)
			if res, err := Run(t.Context(), c); err == nil {
				t.Errorf("got %+v", res)
			}
		})
	}
}

// held is a pipe whose writing end children inherit: it ends when the last of
// them is gone.
type held struct{ r, w *os.File }

func newHeld(t *testing.T) *held {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	return &held{r, w}
}

// gone fails the test if a process still holds the pipe.
func (h *held) gone(t *testing.T) {
	t.Helper()
	h.w.Close()
	if err := h.r.SetReadDeadline(time.Now().Add(5 * time.Second)); err != nil {
		t.Fatal(err)
	}
	for buf := make([]byte, 512); ; {
		_, err := h.r.Read(buf)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatal("a process outlived the run")
		}
		if err != nil {
			return
		}
	}
}

func ExampleResult_Tails() {
	r := Result{Stdout: Output{Tail: []byte("quota spent\n"), Total: 12}}
	fmt.Print(r.Tails())
	// Output:
	// stdout:
	// quota spent
	// stderr: empty
}
