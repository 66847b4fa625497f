package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// IS-07: a controller is killed while a worker that nothing confines is in its
// tree. The worker ends with it, the same run is not begun twice, and while both
// live the tree is refused, free of charge: there never is a second writer.
func TestKilledController_IS07(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := &cutOff{t: t, program: build(t), home: filepath.Join(dir, "home"), repo: filepath.Join(dir, "repo"), state: filepath.Join(dir, "state")}
	layOut(t, c.home, c.repo)
	pids, worker := filepath.Join(dir, "pids"), filepath.Join(dir, "worker")
	put := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	began := filepath.Join(dir, "began")
	if err := syscall.Mkfifo(began, 0o600); err != nil {
		t.Fatal(err)
	}
	put(worker, "#!/bin/sh\necho $$ >> "+pids+"\nexec 3> "+began+"\necho >&3\nexec sleep 60\n")
	put(filepath.Join(c.home, ".warden", "profiles", "scribe.yaml"), "version: 1\nprofile: scribe\nrole: implementer\nvendor: scribe-house\ncommand: "+worker+
		"\nread_only: false\nsandbox: none\nprompt_delivery: stdin\nprompt_template: prompts/implementer.md\nverification: {verified_on: \"2026-11-30\"}\n")
	workers := func() []string {
		data, err := os.ReadFile(pids)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Fields(string(data))
	}

	var life *os.File // ends when nobody holds the worker's end of it
	c.kill("k1", func() {
		var err error
		if life, err = os.Open(began); err != nil {
			t.Fatal(err)
		}
		if _, err := life.Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		a := c.run("run", "greet", "--run-id", "k2")
		c.want(a.Code == "worktree_busy", "a second run in the tree", a)
		a = c.run("run", "greet", "--run-id", "k1")
		c.want(a.Code == "worktree_busy", "the same run a second time", a)
	})
	defer life.Close()
	if err := life.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if n, err := life.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("the worker lives on without its controller: read %d, %v", n, err)
	}
	a := c.run("run", "greet", "--run-id", "k1")
	c.want(a.Code == "run_id_exists", "the run that was killed, begun again", a)
	if got := workers(); len(got) != 1 {
		t.Errorf("%d workers were started: %v", len(got), got)
	}
	a = c.run("status")
	c.want(len(a.Decisions) == 1 && a.Decisions[0].RunID == "k1", "status", a)
	c.ended("k1")
}
