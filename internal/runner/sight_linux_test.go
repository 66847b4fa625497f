package runner

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/preview"
	"github.com/tolboy/warden/internal/sandbox"
	"github.com/tolboy/warden/internal/visual"
)

// TestUnseen finds what would keep a page from being seen before anything of it is
// started.
func TestUnseen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	program := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	nests, refuses := program("nests", "exit 0"), program("refuses", "echo no nested namespaces >&2; exit 1")
	browser := program("browser", "exit 0")
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	there := "http://" + server.Addr().String() + "/"
	for _, tt := range []struct {
		name    string
		look    contract.Visual
		network bool
		backend sandbox.Backend
		bwrap   string
		browser string
		why     visual.Why // "" where it can be seen
		says    string
	}{
		{"served and held", contract.Visual{Start: "serve", URL: "http://127.0.0.1:1/"}, false, sandbox.Bubblewrap, nests, browser, "", ""},
		{"nobody serves", contract.Visual{URL: "http://127.0.0.1:1/"}, false, sandbox.Bubblewrap, nests, browser, preview.Undeclared, "set visual_qa.start"},
		{"somebody serves", contract.Visual{URL: there}, false, sandbox.Bubblewrap, refuses, browser, "", ""},
		{"BR-01 a stranger serves", contract.Visual{Start: "serve", URL: there}, false, sandbox.Bubblewrap, nests, browser, preview.Occupied, "already"},
		{"another machine's address", contract.Visual{Start: "serve", URL: "http://0.0.0.0:1/"}, true, sandbox.None, "", browser, preview.Elsewhere, "0.0.0.0"},
		{"BR-21 no browser", contract.Visual{Start: "serve", URL: "http://127.0.0.1:1/"}, false, sandbox.Bubblewrap, nests, dir + "/none", visual.NoBrowser, "none"},
		{"not nested", contract.Visual{Start: "serve", URL: "http://127.0.0.1:1/"}, false, sandbox.Bubblewrap, refuses, browser, visual.NoNetwork, "no nested namespaces"},
		{"not nested, and granted", contract.Visual{Start: "serve", URL: "http://127.0.0.1:1/"}, true, sandbox.Bubblewrap, refuses, browser, "", ""},
		{"landlock", contract.Visual{Start: "serve", URL: "http://127.0.0.1:1/"}, false, sandbox.Landlock, "", browser, visual.NoNetwork, "install bubblewrap"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := &Machine{HomeDir: t.TempDir(), StateDir: t.TempDir(), Now: time.Now, Sandbox: sandbox.Report{Backend: tt.backend, Path: tt.bwrap}}
			task := contract.Task{Visual: tt.look, Authority: contract.Authority{Network: tt.network}}
			var r visual.Report
			fault := m.unseen(t.Context(), Look{RunID: "r1", Worktree: t.TempDir(), Browser: tt.browser, Task: task}, &r)
			if tt.why == "" {
				if fault != nil {
					t.Errorf("refused: %+v", *fault)
				}
				return
			}
			if fault == nil || fault.Why != tt.why || !strings.Contains(fault.Text, tt.says) || fault.Code == outcome.Passed {
				t.Errorf("fault %+v, want %s with %q", fault, tt.why, tt.says)
			}
		})
	}
}

// TestPageNetwork says for doctor what a look would find.
func TestPageNetwork(t *testing.T) {
	t.Parallel()
	for backend, want := range map[sandbox.Backend]string{sandbox.None: visual.NetworkHost, sandbox.Landlock: ""} {
		if got, why := PageNetwork(t.Context(), nil, sandbox.Report{Backend: backend}); got != want || (why == "") != (want != "") {
			t.Errorf("under %s: %q, %q", backend, got, why)
		}
	}
	if got, why := PageNetwork(t.Context(), nil, sandbox.Report{Backend: sandbox.Bubblewrap, Path: filepath.Join(t.TempDir(), "none")}); got != "" || !strings.Contains(why, "loopback of their own") {
		t.Errorf("bubblewrap that is gone: %q, %q", got, why)
	}
}
