package browser

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"

	"github.com/tolboy/warden/internal/proc"
	"github.com/tolboy/warden/internal/scenario"
)

func program(t *testing.T, dir, name, script string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	first := program(t, dir, "chromium", "exit 0")
	second := program(t, dir, "chosen", "exit 0")
	empty := t.TempDir()
	tree := t.TempDir()
	if err := os.MkdirAll(filepath.Join(tree, ".warden"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(tree, ".warden", "project.yaml"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	planted := program(t, tree, "chromium", "exit 0")
	for _, tt := range []struct {
		name, given string
		env         []string
		want        string
	}{
		{"on PATH", "", []string{"PATH=" + dir}, first},
		{"by the variable", "", []string{"PATH=" + dir, "WARDEN_BROWSER=" + second}, second},
		{"given", second, []string{"PATH=" + dir, "WARDEN_BROWSER=/nowhere"}, second},
		{"planted is passed over", "", []string{"PATH=" + tree + ":" + dir}, first},
	} {
		if got, err := Find(tt.given, tt.env); err != nil || got != tt.want {
			t.Errorf("%s: %q, %v", tt.name, got, err)
		}
	}
	t.Run("BR-21", func(t *testing.T) {
		for name, given := range map[string]string{"that is not there": filepath.Join(empty, "none"), "that is a directory": dir, "in the work": planted} {
			_, err := Find(given, []string{"PATH=" + dir})
			var missing *Missing
			if !errors.As(err, &missing) || missing.Named != given {
				t.Errorf("a browser %s: %v", name, err)
			}
		}
	})
}

// TestNoAnswer has browsers that are none.
func TestNoAnswer(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", t.TempDir())
	for name, tt := range map[string]struct{ path, why string }{
		"ends":         {program(t, dir, "ends", "echo no display >&2; exit 3"), "no display"},
		"no program":   {filepath.Join(dir, "gone"), "cannot be started"},
		"says rubbish": {program(t, dir, "rubbish", `printf 'nonsense\0' >&4; exit 0`), "ended before it answered"},
	} {
		_, err := Run(t.Context(), parse(t, "css=h1 visible"), Options{Browser: tt.path, Address: "http://127.0.0.1:1", Dir: t.TempDir()})
		var missing *Missing
		if !errors.As(err, &missing) || !strings.Contains(missing.Why, tt.why) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if left, err := filepath.Glob(filepath.Join(os.TempDir(), "warden-browser-*")); err != nil || len(left) > 0 {
		t.Errorf("profiles are left: %q, %v", left, err)
	}
}

// TestLaunch holds what the browser is started with, and that nothing of it is left.
func TestLaunch(t *testing.T) {
	path := theBrowser(t)
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("GITHUB_TOKEN", "secret")
	var started proc.Command
	runner := func(ctx context.Context, c proc.Command) (proc.Result, error) {
		started = c
		return proc.Run(ctx, c)
	}
	shut, err := newGate(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer shut.close()
	p, err := launch(t.Context(), path, shut.address, os.Geteuid() == 0, runner)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(p.version, "/") || p.profile == "" {
		t.Errorf("version %q, profile %q", p.version, p.profile)
	}
	address := site(t, nil)
	allowed, err := resolve(t.Context(), []string{address})
	if err != nil {
		t.Fatal(err)
	}
	tab, err := openTab(t.Context(), p, allowed, scenario.Usual())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := call(t.Context(), tab.session, page.Navigate, page.NavigateParams{URL: address + "/plain.html"}); err != nil {
		t.Fatal(err)
	}
	// A tab that crashes ends what is asked of it.
	if _, err := post(t.Context(), tab.session, page.Crash, cdp.Empty{}); err != nil {
		t.Fatal(err)
	}
	if err := tab.ask(t.Context(), "new Promise(()=>{})", 0, nil); !errors.Is(err, errCrashed) {
		t.Errorf("a crashed tab: %v", err)
	}
	tab.close(t.Context())
	if _, err := p.close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(p.profile); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the profile is left: %v", err)
	}
	line := strings.Join(started.Argv, " ")
	if strings.Contains(line, "--remote-debugging-port") || !strings.Contains(line, "--remote-debugging-pipe") {
		t.Errorf("started with %s", line)
	}
	if root := os.Geteuid() == 0; slices.Contains(started.Argv, "--no-sandbox") != root {
		t.Errorf("as root %t, started with %s", root, line)
	}
	for _, kv := range started.Env {
		if strings.Contains(kv, "secret") || strings.HasPrefix(kv, "HOME=") && kv != "HOME="+p.profile {
			t.Errorf("environment has %s", kv)
		}
	}
	if slices.Contains(flags("p", "g", false), "--no-sandbox") {
		t.Error("without root, the browser has no sandbox of its own")
	}
}

// TestCancelled holds that a run whose time is over says so and leaves nothing.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	r, err := Run(ctx, parse(t, "wait 60 -> css=h1 visible"), Options{Browser: theBrowser(t), Address: site(t, nil) + "/plain.html", Dir: t.TempDir()})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	if r.OK() {
		t.Error("a run that did not end is a pass")
	}
}
