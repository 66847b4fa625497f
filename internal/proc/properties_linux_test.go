package proc

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tolboy/warden/internal/sandbox"
)

// cell is an area whose children are held by one backend.
type cell struct {
	area
	report sandbox.Report
}

// backends are those that are compared: Landlock of this kernel, and restricted to
// the oldest version that is used.
func backends(t *testing.T) []sandbox.Report {
	t.Helper()
	out := []sandbox.Report{{Backend: sandbox.Bubblewrap, Path: bwrapPath(t)}}
	for _, abi := range []int{0, sandbox.ABITCP} {
		out = append(out, landlocked(t, abi))
	}
	return out
}

// landlocked is the report of Landlock with the test binary as its launcher.
func landlocked(t *testing.T, abi int) sandbox.Report {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r := sandbox.Probe(t.Context(), self, func(string) (string, error) { return "", exec.ErrNotFound }, func(ctx context.Context, argv []string) error {
		out, err := exec.CommandContext(ctx, argv[0], argv[1:]...).CombinedOutput()
		if err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		return nil
	})
	if r.Backend != sandbox.Landlock {
		// A kernel without it is one thing, and a launcher that fails another.
		if os.Getenv("CI") == "true" || os.Getenv("WARDEN_REQUIRE_BWRAP") == "1" || !strings.Contains(r.Reason, "landlock of this kernel") {
			t.Fatalf("landlock is required here: %s", r.Reason)
		}
		t.Skipf("no landlock on this machine (%s)", r.Reason)
	}
	if abi > 0 {
		r.ABI = abi
	}
	return r
}

func (u cell) spec(change func(*sandbox.Spec)) *sandbox.Spec {
	return u.area.spec(func(s *sandbox.Spec) {
		s.Backend, s.ABI = u.report.Backend, u.report.ABI
		if change != nil {
			change(s)
		}
	})
}

// attempts are what a child tries against each property. Each says what it did
// without a sandbox first: a denial that nobody needed proves nothing. The answer
// is nil when the child got what it was after.
var attempts = map[string]func(t *testing.T, u cell) error{
	"outside": func(t *testing.T, u cell) error {
		here := newArea(t, ".") // where reading is allowed
		return every(u.both(t, nil, "open", filepath.Dir(u.root)+"/outside"), u.both(t, nil, "open", here.root+"/source"),
			u.both(t, nil, "write", here.root+"/new"), u.attempt(t, nil, "rename", here.root+"/source", here.root+"/moved"), u.attempt(t, nil, "remove", here.root+"/source"))
	},
	"reader": func(t *testing.T, u cell) error {
		reader := func(s *sandbox.Spec) { s.Writable = false }
		return every(u.both(t, reader, "open", u.root+"/source"), u.both(t, reader, "write", u.root+"/new"))
	},
	"protected": func(t *testing.T, u cell) error {
		return every(u.both(t, nil, "open", u.root+"/.git"), u.both(t, nil, "write", u.root+"/.warden/tasks"))
	},
	"home": func(t *testing.T, u cell) error {
		return u.both(t, nil, "read", filepath.Join(newArea(t, "home").root, "source"), "source\n")
	},
	"machine": func(t *testing.T, u cell) error {
		secret := filepath.Join(t.TempDir(), "file")
		put(t, secret, "x")
		hidden := filepath.Join(newArea(t, ".").root, "source")
		hide := func(s *sandbox.Spec) { s.Hide = []string{hidden} }
		return every(u.both(t, nil, "read", secret, "x"), u.both(t, hide, "read", hidden, "source\n"))
	},
	"tree": func(t *testing.T, u cell) error {
		res := u.attempt(t, func(s *sandbox.Spec) { s.Hide = []string{s.Root + "/source"} }, "read", u.root+"/source", "source\n")
		if u.report.Backend == sandbox.Landlock && strings.Contains(fmt.Sprint(res), "inside the worktree") {
			return nil // it is refused before it starts, since it would be seen
		}
		return res
	},
	"names": func(t *testing.T, u cell) error {
		secret := filepath.Join(t.TempDir(), "file")
		put(t, secret, "x")
		return u.both(t, nil, "stat", secret)
	},
	"tmp": func(t *testing.T, u cell) error {
		if u.attempt(t, nil, "write", "/tmp/warden-probe-"+strconv.Itoa(os.Getpid())) == nil {
			return errors.New("it wrote in one")
		}
		return nil
	},
	"tcp": func(t *testing.T, u cell) error {
		return u.both(t, nil, "dial", "tcp", listen(t, "tcp", "127.0.0.1:0"))
	},
	"udp": func(t *testing.T, u cell) error {
		c, err := net.ListenPacket("udp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		res := u.attempt(t, nil, "send", "udp", c.LocalAddr().String())
		if err := c.SetReadDeadline(time.Now().Add(time.Second)); err != nil {
			t.Fatal(err)
		}
		if _, _, err := c.ReadFrom(make([]byte, 16)); err != nil {
			return errors.Join(res, err)
		}
		return nil
	},
	"loopback": func(t *testing.T, u cell) error {
		if u.attempt(t, nil, "loopback") == nil {
			return errors.New("it has one")
		}
		return nil
	},
	"paths": func(t *testing.T, u cell) error {
		dir, err := os.MkdirTemp("", "s")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(dir) })
		return u.both(t, nil, "dial", "unix", listen(t, "unix", dir+"/s"))
	},
	"abstract": func(t *testing.T, u cell) error {
		return u.both(t, nil, "dial", "unix", listen(t, "unix", abstract(t)))
	},
	"abstract-net": func(t *testing.T, u cell) error {
		return u.both(t, func(s *sandbox.Spec) { s.Network = true }, "dial", "unix", listen(t, "unix", abstract(t)))
	},
	"memory": func(t *testing.T, u cell) error {
		return u.fromParent(t)
	},
	"list": func(t *testing.T, u cell) error {
		canary, _ := bystander(t, u)
		return u.both(t, nil, "cmdline", canary[:10], canary[10:])
	},
	"signal": func(t *testing.T, u cell) error {
		_, id := bystander(t, u)
		return u.both(t, nil, "signal", id)
	},
	"capabilities": func(t *testing.T, u cell) error {
		var err error
		for _, set := range []string{"CapInh", "CapPrm", "CapEff", "CapAmb"} {
			if got := u.attempt(t, nil, "capability", set); got == nil {
				return nil
			} else {
				err = got
			}
		}
		return err
	},
	"mount": func(t *testing.T, u cell) error {
		return every(u.attempt(t, nil, "nested", "remount", "/", filepath.Dir(u.root)+"/new"), u.attempt(t, nil, "remount", "/", filepath.Dir(u.root)+"/new"))
	},
	"settings": func(t *testing.T, u cell) error {
		return u.attempt(t, nil, "open", "/proc/sys/kernel/core_pattern")
	},
	"outlive": func(t *testing.T, u cell) error {
		h := newHeld(t)
		c := u.command(u.spec(nil), "detach", "bare")
		c.ExtraFiles = []*os.File{h.w}
		if res := mustRun(t, c); !res.OK() {
			t.Fatalf("got %+v\n%s", res, res.Tails())
		}
		h.gone(t)
		if u.report.Backend == sandbox.Landlock {
			return u.attempt(t, nil, "end the keeper") // who would have no successor
		}
		return errors.New("it is gone")
	},
	"orphans": orphans,
}

// TestProperties holds every backend to what package sandbox says of it, and to
// nothing more: what it does not hold, a child does.
func TestProperties(t *testing.T) {
	t.Parallel()
	listed, all := map[string]bool{}, backends(t)
	oldest := len(all) - 1
	for _, p := range sandbox.Properties() {
		listed[p.ID] = true
		try := attempts[p.ID]
		if try == nil {
			t.Errorf("nobody tries %q", p.ID)
			continue
		}
		for i, r := range all {
			if i == oldest && p.Holds(r) == p.Holds(all[oldest-1]) {
				continue // the version makes no difference
			}
			t.Run(fmt.Sprintf("%s under %s", p.ID, r), func(t *testing.T) {
				t.Parallel()
				u := cell{newArea(t, "/tmp"), r}
				u.bwrap = r.Path
				err := try(t, u)
				if p.Holds(r) && err == nil {
					t.Errorf("a child %s: it did", p.Says)
				}
				if !p.Holds(r) && err != nil {
					t.Errorf("the table says that this is not held, and it is: %v", err)
				}
			})
		}
	}
	for id := range attempts {
		if !listed[id] {
			t.Errorf("%q is tried and no property", id)
		}
	}
}

// attempt runs a deed inside and returns what kept it.
func (u cell) attempt(t *testing.T, change func(*sandbox.Spec), deed ...string) error {
	t.Helper()
	res, err := Run(t.Context(), u.command(u.spec(change), deed...))
	switch {
	case err != nil:
		return err
	case res.OK():
		return nil
	case res.ExitCode != denied:
		t.Fatalf("%q: %+v\n%s", deed, res, res.Tails())
	}
	return errors.New(res.Stderr.Text())
}

// both runs a deed without a sandbox, where it must work, and then inside.
func (u cell) both(t *testing.T, change func(*sandbox.Spec), deed ...string) error {
	t.Helper()
	u.expect(t, nil, done, deed...)
	if deed[0] == "write" {
		if err := os.Remove(deed[1]); err != nil {
			t.Fatal(err)
		}
	}
	return u.attempt(t, change, deed...)
}

// every is nil when one of several attempts came through.
func every(attempts ...error) error {
	for _, err := range attempts {
		if err == nil {
			return nil
		}
	}
	return errors.Join(attempts...)
}

func listen(t *testing.T, network, address string) string {
	t.Helper()
	l, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l.Addr().String()
}

func abstract(t *testing.T) string {
	return fmt.Sprintf("@warden-%d-%d", os.Getpid(), len(t.Name())+int(time.Now().UnixNano()%1e9))
}

// bystander is a process of the same user that the child has nothing to do with.
func bystander(t *testing.T, u cell) (canary, id string) {
	t.Helper()
	canary = fmt.Sprintf("bystander-%d-%d", os.Getpid(), time.Now().UnixNano())
	other := exec.Command(u.self, "probe", "hold", canary)
	stdin, err := other.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stdin.Close()
		if err := other.Wait(); err != nil {
			t.Error(err)
		}
	})
	return canary, strconv.Itoa(other.Process.Pid)
}

// fromParent lets a child look for the secret of the process that started it.
func (u cell) fromParent(t *testing.T) error {
	t.Helper()
	canary := fmt.Sprintf("canary-%d-%d", os.Getpid(), time.Now().UnixNano())
	s := u.spec(nil)
	inner := u.command(s, "environ", canary)
	data, err := json.Marshal(relayed{Argv: inner.Argv, Env: inner.Env, Dir: inner.Dir, Bwrap: inner.Bwrap, Sandbox: s})
	if err != nil {
		t.Fatal(err)
	}
	c := u.command(nil, "relay", string(data))
	c.Env = Environ(os.Environ(), map[string]string{"GITHUB_TOKEN": canary})
	if code := mustRun(t, c).ExitCode; code == done {
		return nil
	} else if code != denied {
		t.Fatalf("exit code %d", code)
	}
	return errors.New("not seen")
}

// orphans kills the process that runs a confined child, and looks whether a
// grandchild lives on.
func orphans(t *testing.T, u cell) error {
	h := newHeld(t)
	s := u.spec(nil)
	c := u.command(s)
	c.Argv = []string{"/bin/sh", "-c", u.self + " probe detach bare; exec sleep 300"}
	data, err := json.Marshal(relayed{Argv: c.Argv, Env: c.Env, Dir: c.Dir, Bwrap: c.Bwrap, Sandbox: s, Held: true})
	if err != nil {
		t.Fatal(err)
	}
	parent := exec.Command(u.self, "probe", "relay", string(data))
	parent.ExtraFiles = []*os.File{h.w}
	parent.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	h.w.Close()
	line, err := bufio.NewReader(h.r).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait()
	if err := h.r.SetReadDeadline(time.Now().Add(3 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := h.r.Read(make([]byte, 1)); errors.Is(err, os.ErrDeadlineExceeded) {
		if id, err := strconv.Atoi(strings.TrimSpace(line)); err == nil && u.report.Backend == sandbox.Landlock {
			return syscall.Kill(id, syscall.SIGKILL) // so that the test leaves nothing
		}
		return nil
	}
	return errors.New("it is gone")
}
