package main

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestDemoNeedsEveryRoute drops each route of the forge that the demonstration
// uses: without any one of them the story must not end well. By default it tries
// a sample, with WARDEN_TEST_ALL every route.
func TestDemoNeedsEveryRoute(t *testing.T) {
	t.Parallel()
	program := build(t)
	kept := filepath.Join(t.TempDir(), "kept")
	if out, err := demonstrate(t, program, "--keep", kept); err != nil {
		t.Fatalf("the demonstration itself: %v\n%s", err, out)
	}
	used, err := os.ReadFile(filepath.Join(kept, "requests.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var routes []string
	for line := range strings.Lines(string(used)) {
		if fields := strings.Fields(line); len(fields) == 2 {
			routes = append(routes, fields[1])
		}
	}
	if len(routes) < 20 {
		t.Fatalf("the demonstration used %d routes: %v", len(routes), routes)
	}
	if os.Getenv("WARDEN_TEST_ALL") == "" {
		seed := uint64(time.Now().UnixNano())
		t.Logf("a sample of 4 of %d routes, seed %d; WARDEN_TEST_ALL=1 tries all", len(routes), seed)
		rand.New(rand.NewPCG(seed, 1)).Shuffle(len(routes), func(i, j int) { routes[i], routes[j] = routes[j], routes[i] })
		routes = routes[:4]
	}
	for _, route := range routes {
		t.Run(route, func(t *testing.T) {
			out, err := demonstrate(t, program, "--drop-route", route)
			exit, ok := err.(*exec.ExitError)
			if !ok || exit.ExitCode() != 1 {
				t.Errorf("without %s the demonstration ended with %v\n%s", route, err, out)
			}
		})
	}
}

func demonstrate(t *testing.T, program string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, append([]string{"demo", "--quiet", "--no-browser"}, args...)...)
	home := t.TempDir()
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + t.TempDir()}
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	note(t, out.Bytes())
	return out.String() + said.String(), err
}

// build makes the program that users run.
func build(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "warden")
	cmd := exec.Command("go", "build", "-o", program, ".")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return program
}
