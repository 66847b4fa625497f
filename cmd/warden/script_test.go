package main

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/tolboy/warden/internal/cli"
	"github.com/tolboy/warden/internal/provoked"
)

// TestMain registers the real program as a command of the scripts. It plays the
// vendors too: profiles start it as `warden demo vendor`.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"warden": func() { os.Exit(program()) },
		"pages":  func() { os.Exit(servePages(os.Args[1:])) },
	})
}

// program is main, with a copy of what it prints where codes are counted.
func program() int {
	if os.Getenv(provoked.Env) == "" {
		return cli.Main(os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr)
	}
	var said bytes.Buffer
	status := cli.Main(os.Args[1:], os.Environ(), os.Stdin, io.MultiWriter(os.Stdout, &said), os.Stderr)
	if err := provoked.Note(said.Bytes()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 70
	}
	return status
}

// note keeps what the program printed where codes are counted.
func note(t *testing.T, printed []byte) {
	t.Helper()
	if err := provoked.Note(printed); err != nil {
		t.Error(err)
	}
}

// TestScript runs what users run, one readable file each.
func TestScript(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               lay,
		Condition:           condition,
		Cmds:                commands(),
	})
}

// commands are those of the scripts.
func commands() map[string]func(*testscript.TestScript, bool, []string) {
	all := map[string]func(*testscript.TestScript, bool, []string){"json": jsonCommand, "model": modelCommand, "overlay": overlay, "browser": browserCommand, "serve": serveCommand}
	maps.Copy(all, ofSystem())
	return all
}

// lay puts a home with two scripted vendors and a repository with a contract into
// the script's directory.
func lay(env *testscript.Env) error {
	home, repo := filepath.Join(env.WorkDir, "home"), filepath.Join(env.WorkDir, "repo")
	if err := copyTree("testdata/home", home); err != nil {
		return err
	}
	if err := copyTree("testdata/repo", repo); err != nil {
		return err
	}
	ledgers, err := filepath.Abs("../../internal/cli/testdata/ledgers/0.1.0/forge-octo-shop/0") // of two runs for one issue
	if err != nil {
		return err
	}
	for k, v := range map[string]string{
		"LEDGERS": ledgers, "HOME": home, "REPO": repo, "USER": "ann", "GIT_CONFIG_NOSYSTEM": "1", "NO_COLOR": "1",
		"WARDEN_STATE_DIR": filepath.Join(env.WorkDir, "state"), provoked.Env: os.Getenv(provoked.Env),
	} {
		env.Setenv(k, v)
	}
	if err := firstCommit(home, repo); err != nil {
		return err
	}
	env.Cd = repo
	env.Defer(func() {
		if err := provoked.Tree(env.WorkDir); err != nil {
			env.T().Fatal(err)
		}
	})
	return nil
}

// overlay lays further files over the home: `overlay planner`.
func overlay(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: overlay name")
	}
	ts.Check(copyTree(filepath.Join("testdata", args[0]), ts.Getenv("HOME")))
}

// firstCommit makes a directory a repository with what is there.
func firstCommit(home, repo string) error {
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"}, {"config", "user.name", "Ann"}, {"config", "user.email", "ann@example.com"},
		{"add", "-A"}, {"commit", "-qm", "the project"},
	} {
		cmd := exec.Command("git", args...)
		cmd.Dir = repo
		cmd.Env = append(os.Environ(), "HOME="+home, "GIT_CONFIG_NOSYSTEM=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, out)
		}
	}
	return nil
}

func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		text := strings.ReplaceAll(string(data), "@HOME@", to) // in profiles of the home
		return os.WriteFile(filepath.Join(to, rel), []byte(text), 0o644)
	})
}
