package vendor

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/policy"
	"github.com/tolboy/warden/internal/proc"
)

// reply is what a scripted process leaves behind.
type reply struct {
	stdout, stderr string
	exit           int
	timedOut       bool
	canceled       bool
}

// program makes a file that can be found as a program; it is never run.
func program(t *testing.T, name string) []string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\nexit 97\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return []string{"PATH=" + dir + ":/usr/bin:/bin", "HOME=" + dir}
}

func stubProfile() policy.Profile {
	return policy.Profile{Name: "stub", Role: "reviewer", Vendor: "stub", Command: "stub", ReadOnly: true, PromptDelivery: "stdin", WallClock: time.Minute}
}

// settleReply runs one call whose process leaves the reply.
func settleReply(t *testing.T, p policy.Profile, r reply) Result {
	t.Helper()
	runner := New()
	runner.run = func(_ context.Context, c proc.Command) (proc.Result, error) {
		for stream, text := range map[string]string{stdoutName: r.stdout, stderrName: r.stderr} {
			for line := range strings.Lines(text) {
				c.OnLine(stream, []byte(strings.TrimSuffix(line, "\n")))
			}
		}
		return proc.Result{
			ExitCode: r.exit, TimedOut: r.timedOut, Canceled: r.canceled, Duration: time.Second,
			Stdout: proc.Output{Bytes: []byte(r.stdout), Tail: []byte(r.stdout), Total: int64(len(r.stdout))},
			Stderr: proc.Output{Bytes: []byte(r.stderr), Tail: []byte(r.stderr), Total: int64(len(r.stderr))},
		}, nil
	}
	got, err := runner.Call(t.Context(), Call{Profile: p, Prompt: []byte("do it"), Dir: t.TempDir(), Env: program(t, p.Command)})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func wantCode(t *testing.T, got Result, want outcome.Code) {
	t.Helper()
	if got.Code != want {
		t.Errorf("code %s (%s), want %s", got.Code, got.Detail, want)
	}
}
