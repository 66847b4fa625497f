package gate_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tolboy/warden/internal/gate"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/proc"
	"github.com/tolboy/warden/internal/sandbox"
)

func TestRunConfined(t *testing.T) {
	t.Parallel()
	probe := sandbox.Probe(t.Context(), "", func(name string) (string, error) { return proc.LookPath(name, os.Environ()) },
		func(ctx context.Context, argv []string) error {
			res, err := proc.Run(ctx, proc.Command{Argv: argv, Env: proc.Environ(os.Environ(), nil), Timeout: time.Minute})
			if err == nil && !res.OK() {
				t.Log(res.Tails())
				err = os.ErrPermission
			}
			return err
		})
	if probe.Backend != sandbox.Bubblewrap {
		if os.Getenv("WARDEN_REQUIRE_BWRAP") == "1" || os.Getenv("CI") == "true" {
			t.Fatalf("a sandbox is required here: %s", probe.Reason)
		}
		t.Skipf("no sandbox on this machine: %s", probe.Reason)
	}
	b := newBench(t, contracted...)
	confined := func(network bool, commands ...string) gate.Report {
		req := b.request(commands...)
		req.Task.Authority.Network = network
		req.Bwrap = probe.Path
		req.Sandbox = &sandbox.Spec{Backend: sandbox.Bubblewrap, Root: b.dir, Writable: true, Home: "/tmp/home", Network: !network,
			Protect: []string{filepath.Join(b.dir, ".warden"), filepath.Join(b.dir, ".git")}}
		r := gates(t, req)
		if req.Sandbox.Network == network {
			t.Error("the caller's sandbox was changed")
		}
		return r
	}
	const interfaces = "sed 1,2d /proc/net/dev"
	r := confined(false, "echo ok > src/a.txt", interfaces)
	if !r.OK || r.ConfinedBy != "bubblewrap" || r.Network {
		t.Fatalf("verdict %+v, confined by %q, network %v", r.Verdict, r.ConfinedBy, r.Network)
	}
	if lines := strings.Split(strings.TrimSpace(r.Commands[1].Stdout), "\n"); len(lines) != 1 || !strings.Contains(lines[0], "lo:") {
		t.Errorf("without the authority the commands see the interfaces %q", lines)
	}
	if r := confined(true, interfaces); !r.OK || !r.Network {
		t.Errorf("with the authority: %+v, network %v", r.Verdict, r.Network)
	}
	r = confined(false, "echo x >> .warden/tasks/t1.yaml")
	if r.Code != outcome.CommandFailed || !strings.Contains(r.Commands[0].Stderr, "Read-only") {
		t.Errorf("CI-01: a write to the contract: %+v, %q", r.Verdict, r.Commands[0].Stderr)
	}
}
