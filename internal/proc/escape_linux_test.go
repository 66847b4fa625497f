package proc

import (
	"bufio"
	"encoding/json"
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

// bwrapPath returns bubblewrap, or skips the test; where a sandbox is required
// its absence is a failure.
func bwrapPath(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("bwrap")
	if err == nil {
		return path
	}
	if os.Getenv("WARDEN_REQUIRE_BWRAP") == "1" || os.Getenv("CI") == "true" {
		t.Fatalf("bubblewrap is required here: %v", err)
	}
	t.Skipf("bubblewrap is not installed (%v); nothing about the sandbox was tested", err)
	return ""
}

// area is a worktree with what a child might be after, around and in it.
type area struct {
	bwrap, home, root, self string
	hidden                  []string
}

// newArea makes a worktree below the home of this user, below /tmp, or below
// this package, where the directories around it stay visible.
func newArea(t *testing.T, below string) area {
	t.Helper()
	a := area{bwrap: bwrapPath(t)}
	var err error
	if a.home, err = os.UserHomeDir(); err != nil {
		t.Fatal(err)
	}
	if below == "home" {
		below = a.home
	}
	if below == "/tmp" {
		below = t.TempDir()
	}
	if below, err = filepath.Abs(below); err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp(below, ".warden-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		t.Fatal(err)
	}
	a.root = filepath.Join(dir, "tree")
	put(t, filepath.Join(dir, "outside"), "outside\n")
	put(t, filepath.Join(a.root, "source"), "source\n")
	put(t, filepath.Join(a.root, ".git"), "gitdir: elsewhere\n")
	put(t, filepath.Join(a.root, ".warden/project.yaml"), "name: x\n")
	put(t, filepath.Join(a.root, "sub/dir/.warden/project.yaml"), "name: y\n")
	if a.self, err = os.Executable(); err != nil {
		t.Fatal(err)
	}
	a.hidden = []string{"/tmp", "/var/tmp", a.home}
	return a
}

func (a area) spec(change func(*sandbox.Spec)) *sandbox.Spec {
	s := &sandbox.Spec{
		Backend: sandbox.Bubblewrap, Root: a.root, Writable: true, Home: "/tmp/home", MaskHomes: []string{a.home},
		Protect: []string{a.root + "/.git", a.root + "/.warden", a.root + "/sub/dir/.warden"},
		Mounts:  sandbox.ExecutableMounts(a.self, a.hidden),
	}
	if change != nil {
		change(s)
	}
	return s
}

func (a area) command(s *sandbox.Spec, deed ...string) Command {
	return Command{
		Argv: append([]string{a.self, "probe"}, deed...), Dir: a.root, Env: Environ(os.Environ(), nil),
		Timeout: time.Minute, Sandbox: s, Bwrap: a.bwrap,
	}
}

// expect runs a deed and wants its exit code.
func (a area) expect(t *testing.T, s *sandbox.Spec, want int, deed ...string) {
	t.Helper()
	res := mustRun(t, a.command(s, deed...))
	if res.ExitCode != want {
		t.Fatalf("%q in sandbox %t: exit code %d, want %d\n%s", deed, s != nil, res.ExitCode, want, res.Tails())
	}
}

// dependsOnPlace names the deeds whose outcome depends on what is mounted
// around the worktree.
var dependsOnPlace = map[string]bool{
	"write beside the root": true, "write a read-only root": true, "write .git": true, "move the parent of .warden": true,
	"write through a link": true, "make a missing .git": true, "read a hidden file": true,
}

// TestEscape tries each deed twice: without a sandbox it must work, or the
// denial inside would prove nothing.
func TestEscape(t *testing.T) {
	t.Parallel()
	readOnly := func(s *sandbox.Spec) { s.Writable = false }
	for _, below := range []string{"/tmp", "home", "."} {
		for _, tc := range []struct {
			name   string
			deed   func(a area) []string
			change func(*sandbox.Spec)
		}{
			{"write beside the root", func(a area) []string { return []string{"open", a.root + "/../outside"} }, nil},
			{"write a read-only root", func(a area) []string { return []string{"write", a.root + "/new"} }, readOnly},
			{"write a file of a read-only root", func(a area) []string { return []string{"open", a.root + "/source"} }, readOnly},
			{"write .git", func(a area) []string { return []string{"open", a.root + "/.git"} }, nil},
			{"remove .git", func(a area) []string { return []string{"remove", a.root + "/.git"} }, nil},
			{"replace .git by a link", func(a area) []string { return []string{"replace", a.root + "/.git", a.root + "/source"} }, nil},
			{"move .git", func(a area) []string { return []string{"rename", a.root + "/.git", a.root + "/g"} }, nil},
			{"move a file over .git", func(a area) []string { return []string{"rename", a.root + "/source", a.root + "/.git"} }, nil},
			{"write into .warden", func(a area) []string { return []string{"write", a.root + "/.warden/tasks"} }, nil},
			{"write a file in .warden", func(a area) []string { return []string{"open", a.root + "/.warden/project.yaml"} }, nil},
			{"move .warden", func(a area) []string { return []string{"rename", a.root + "/.warden", a.root + "/w"} }, nil},
			{"hard link into .warden", func(a area) []string {
				return []string{"hardlink", a.root + "/.warden/project.yaml", a.root + "/alias"}
			}, nil},
			{"hard link .git", func(a area) []string { return []string{"hardlink", a.root + "/.git", a.root + "/alias"} }, nil},
			{"move the parent of .warden", func(a area) []string { return []string{"rebuild", a.root + "/sub/dir/.warden"} }, nil},
			{"move a higher parent of .warden", func(a area) []string { return []string{"rename", a.root + "/sub", a.root + "/other"} }, nil},
			{"write through a link", func(a area) []string { return []string{"symlink", a.root + "/link", a.root + "/../outside"} }, nil},
			{"make a missing .git", func(a area) []string { return []string{"mkdir", a.root + "/missing"} },
				func(s *sandbox.Spec) { s.Protect = append(s.Protect, s.Root+"/missing") }},
			{"write a missing .warden", func(a area) []string { return []string{"write", a.root + "/missing"} },
				func(s *sandbox.Spec) { s.Protect = append(s.Protect, s.Root+"/missing") }},
			{"read a hidden file", func(a area) []string { return []string{"read", a.root + "/source", "source\n"} },
				func(s *sandbox.Spec) { s.Hide = []string{s.Root + "/source"} }},
		} {
			if below != "/tmp" && !dependsOnPlace[tc.name] {
				continue
			}
			t.Run(tc.name+" below "+below, func(t *testing.T) {
				t.Parallel()
				control, a := newArea(t, below), newArea(t, below)
				control.expect(t, nil, done, tc.deed(control)...)
				before := tree(t, filepath.Dir(a.root))
				// The same tree, so that only the sandbox makes the difference.
				a.expect(t, a.spec(tc.change), denied, tc.deed(a)...)
				os.Remove(a.root + "/link")
				os.Remove(a.root + "/alias")
				if after := tree(t, filepath.Dir(a.root)); after != before {
					t.Errorf("the tree changed from\n%s\nto\n%s", before, after)
				}
			})
		}
	}
}

// TestConfinedWork holds what a child must still be able to do.
func TestConfinedWork(t *testing.T) {
	t.Parallel()
	for _, below := range []string{"/tmp", "home"} {
		t.Run(below, func(t *testing.T) {
			t.Parallel()
			a := newArea(t, below)
			s := a.spec(nil)
			a.expect(t, s, done, "write", a.root+"/new")
			a.expect(t, s, done, "mkdir", a.root+"/made")
			a.expect(t, s, done, "rename", a.root+"/new", a.root+"/made/newer")
			a.expect(t, s, done, "read", a.root+"/.warden/project.yaml", "name: x\n")
			a.expect(t, s, done, "write", "/tmp/home/file")
			a.expect(t, s, done, "write", "/tmp/file")
			a.expect(t, s, done, "loopback")
			if missing(a.root + "/made/newer") {
				t.Error("a file written in the worktree is not there")
			}
			if !missing("/tmp/home/file") {
				t.Error("the private home is the host's")
			}
			shared := t.TempDir()
			s = a.spec(func(s *sandbox.Spec) {
				s.Mounts = append(s.Mounts, sandbox.Mount{Source: shared, Target: "/tmp/home/.login", Writable: true})
			})
			a.expect(t, s, done, "write", "/tmp/home/.login/token")
			if missing(shared + "/token") {
				t.Error("what was written to a shared directory is not there")
			}
			res := mustRun(t, a.command(s, "nothing"))
			if res.Stderr.Total != 0 {
				t.Errorf("noise: %s", res.Tails())
			}
		})
	}
}

func TestEscapeFromTheHome(t *testing.T) {
	t.Parallel()
	a := newArea(t, "/tmp")
	secret := filepath.Join(newArea(t, "home").root, "source")
	a.expect(t, nil, done, "read", secret, "source\n")
	a.expect(t, a.spec(nil), denied, "read", secret, "source\n")
}

func TestEscapeByMounting(t *testing.T) {
	t.Parallel()
	a := newArea(t, "home")
	outside := filepath.Join(filepath.Dir(a.root), "new")
	// The control is the sandbox without the mapped user.
	weak := Command{
		Argv: []string{a.bwrap, "--unshare-user", "--uid", "0", "--gid", "0", "--cap-add", "ALL", "--ro-bind", "/", "/",
			"--dev", "/dev", "--", a.self, "probe", "remount", "/", outside},
		Env: Environ(os.Environ(), nil), Timeout: time.Minute,
	}
	if res := mustRun(t, weak); res.ExitCode != done || missing(outside) {
		t.Fatalf("control: %s", res.Tails())
	}
	if err := os.Remove(outside); err != nil {
		t.Fatal(err)
	}
	unmask := a.spec(func(s *sandbox.Spec) { s.MaskHomes = nil })
	for _, deed := range [][]string{
		{"remount", "/", outside},
		{"nested", "remount", "/", outside},
		{"remount", a.root + "/.warden", a.root + "/.warden/new"},
		{"nested", "remount", a.root + "/.warden", a.root + "/.warden/new"},
		{"unmount", a.root + "/.warden"},
		{"nested", "unmount", a.root + "/.warden"},
	} {
		a.expect(t, unmask, denied, deed...)
	}
	if !missing(outside) || !missing(a.root+"/.warden/new") {
		t.Error("a remount opened the host")
	}
}

func TestEscapeThroughKernelSettings(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("kernel settings are only writable for root, so there is no control")
	}
	a := newArea(t, "/tmp")
	a.expect(t, nil, done, "open", "/proc/sys/kernel/core_pattern")
	a.expect(t, a.spec(nil), denied, "open", "/proc/sys/kernel/core_pattern")
	a.expect(t, a.spec(nil), denied, "nested", "open", "/proc/sys/kernel/core_pattern")
	a.expect(t, nil, done, "open", "/etc/shadow")
	a.expect(t, a.spec(nil), denied, "open", "/etc/shadow")
}

func TestCapabilitiesAreNone(t *testing.T) {
	t.Parallel()
	a := newArea(t, "/tmp")
	a.expect(t, nil, done, "capability", "CapBnd")
	for _, set := range []string{"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"} {
		a.expect(t, a.spec(nil), denied, "capability", set)
	}
}

// TestEscapeToProcesses runs the deed as child of a parent that holds a secret.
func TestEscapeToProcesses(t *testing.T) {
	t.Parallel()
	a := newArea(t, "/tmp")
	canary := fmt.Sprintf("canary-%d-%d", os.Getpid(), time.Now().UnixNano())
	relay := func(s *sandbox.Spec) int {
		inner := a.command(s, "environ", canary)
		data, err := json.Marshal(relayed{Argv: inner.Argv, Env: inner.Env, Dir: inner.Dir, Bwrap: inner.Bwrap, Sandbox: s})
		if err != nil {
			t.Fatal(err)
		}
		c := a.command(nil, "relay", string(data))
		c.Env = Environ(os.Environ(), map[string]string{"GITHUB_TOKEN": canary})
		return mustRun(t, c).ExitCode
	}
	if code := relay(nil); code != done {
		t.Fatalf("control: exit code %d", code)
	}
	if code := relay(a.spec(nil)); code != denied {
		t.Errorf("the parent's environment was read: exit code %d", code)
	}
	other := exec.Command(a.self, "probe", "hold", canary)
	stdin, err := other.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer other.Wait()
	defer stdin.Close()
	pid := strconv.Itoa(other.Process.Pid)
	a.expect(t, nil, done, "signal", pid)
	a.expect(t, a.spec(nil), denied, "signal", pid)
	// In two pieces, so that no command line but the other's has the whole.
	a.expect(t, nil, done, "cmdline", canary[:10], canary[10:])
	a.expect(t, a.spec(nil), denied, "cmdline", canary[:10], canary[10:])
}

func TestEscapeOverTheNetwork(t *testing.T) {
	t.Parallel()
	a := newArea(t, "/tmp")
	open := func(s *sandbox.Spec) { s.Network = true }
	name := "@warden-test-" + strconv.Itoa(os.Getpid())
	for _, l := range [][2]string{{"tcp", "127.0.0.1:0"}, {"unix", name}} {
		lis, err := net.Listen(l[0], l[1])
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { lis.Close() })
		addr := lis.Addr().String()
		a.expect(t, nil, done, "dial", l[0], addr)
		a.expect(t, a.spec(nil), denied, "dial", l[0], addr)
		a.expect(t, a.spec(open), done, "dial", l[0], addr)
	}
}

// TestEscapeToSockets covers a container daemon, a key agent and the like, also
// while the network is shared.
func TestEscapeToSockets(t *testing.T) {
	t.Parallel()
	a := newArea(t, "/tmp")
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	tmp, err := os.MkdirTemp("", "s")
	if err != nil {
		t.Fatal(err)
	}
	dirs := []string{tmp}
	for _, below := range []string{a.home, "/run", "/var/tmp", here} {
		dir, err := os.MkdirTemp(below, ".s")
		if err != nil {
			t.Logf("no socket is tried in %s: %v", below, err)
			continue
		}
		dirs = append(dirs, dir)
	}
	shared := dirs[0]
	for _, dir := range dirs {
		t.Cleanup(func() { os.RemoveAll(dir) })
		lis, err := net.Listen("unix", filepath.Join(dir, "d.sock"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { lis.Close() })
	}
	for _, dir := range dirs {
		sock := filepath.Join(dir, "d.sock")
		for _, network := range []bool{false, true} {
			s := a.spec(func(s *sandbox.Spec) {
				s.Network = network
				s.Mounts = append(s.Mounts, sandbox.Mount{Source: shared, Target: shared})
			})
			a.expect(t, nil, done, "dial", "unix", sock)
			a.expect(t, s, denied, "dial", "unix", sock)
		}
	}
	s := a.spec(func(s *sandbox.Spec) {
		s.Mounts = append(s.Mounts, sandbox.Mount{Source: shared + "/d.sock", Target: "/tmp/named.sock"})
	})
	a.expect(t, s, done, "dial", "unix", "/tmp/named.sock")
}

// TestOutlive starts daemons that leave no trace of their parents.
func TestOutlive(t *testing.T) {
	t.Parallel()
	a := newArea(t, "/tmp")
	t.Run("control: the daemon outlives a plain child", func(t *testing.T) {
		t.Parallel()
		h := newHeld(t)
		cmd := exec.Command(a.self, "probe", "detach", "bare")
		cmd.ExtraFiles = []*os.File{h.w}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v %s", err, out)
		}
		line, err := bufio.NewReader(h.r).ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		id, err := strconv.Atoi(strings.TrimSpace(line))
		if err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(id, syscall.SIGKILL); err != nil {
			t.Fatalf("the daemon is not there: %v", err)
		}
		h.gone(t)
	})
	t.Run("found by its mark", func(t *testing.T) {
		t.Parallel()
		h := newHeld(t)
		c := a.command(nil, "detach", "marked")
		c.ExtraFiles = []*os.File{h.w}
		if res := mustRun(t, c); !res.OK() || res.Left != 1 {
			t.Errorf("got %+v", res)
		}
		h.gone(t)
	})
	t.Run("ended with the sandbox", func(t *testing.T) {
		t.Parallel()
		h := newHeld(t)
		c := a.command(a.spec(nil), "detach", "bare")
		c.ExtraFiles = []*os.File{h.w}
		if res := mustRun(t, c); !res.OK() {
			t.Errorf("got %+v", res)
		}
		h.gone(t)
	})
	t.Run("a daemon of a child at its limit", func(t *testing.T) {
		t.Parallel()
		for _, s := range []*sandbox.Spec{nil, a.spec(nil)} {
			h := newHeld(t)
			c := a.command(s)
			c.Argv = []string{"/bin/sh", "-c", a.self + ` probe detach marked; trap "" TERM; sleep 300; sleep 300`}
			c.ExtraFiles, c.Timeout, c.Grace = []*os.File{h.w}, 500*time.Millisecond, 100*time.Millisecond
			if res := mustRun(t, c); !res.TimedOut || res.Duration > 20*time.Second {
				t.Errorf("got %+v", res)
			}
			h.gone(t)
		}
	})
}

func TestConfinedEnds(t *testing.T) {
	t.Parallel()
	a := newArea(t, "/tmp")
	t.Run("exit code of the command", func(t *testing.T) {
		t.Parallel()
		c := a.command(a.spec(nil))
		c.Argv = []string{"sh", "-c", "exit 9"}
		if res := mustRun(t, c); res.ExitCode != 9 {
			t.Errorf("got %+v", res)
		}
	})
	t.Run("a chance to clean up", func(t *testing.T) {
		t.Parallel()
		c := a.command(a.spec(nil))
		c.Argv = []string{"sh", "-c", `trap 'echo cleaned; exit 5' TERM; echo up; while :; do sleep 0.05; done`}
		c.Grace = time.Minute
		if res := cancelAt(t, c, "up"); !res.Canceled || res.ExitCode != 5 || !strings.Contains(res.Stdout.Text(), "cleaned") {
			t.Errorf("got %+v\n%s", res, res.Tails())
		}
	})
	t.Run("a program that is not inside", func(t *testing.T) {
		t.Parallel()
		c := a.command(a.spec(nil))
		c.Argv = []string{"/nonexistent/vendor"}
		if res := mustRun(t, c); res.StartErr == nil || res.OK() {
			t.Errorf("got %+v", res)
		}
	})
	t.Run("a sandbox that cannot be set up is no result", func(t *testing.T) {
		t.Parallel()
		c := a.command(a.spec(nil))
		c.Argv, c.Dir = []string{"sh", "-c", "exit 1"}, ""
		c.Sandbox.Dir = a.root + "/no-such-directory"
		if res, err := Run(t.Context(), c); err == nil {
			t.Errorf("got %+v", res)
		}
	})
	t.Run("the report of the sandbox stays outside", func(t *testing.T) {
		t.Parallel()
		c := a.command(a.spec(nil))
		c.Argv = []string{"sh", "-c", `(echo '{ "exit-code": 0 }' >&3) 2>/dev/null && exit 1; exit 0`}
		if res := mustRun(t, c); !res.OK() {
			t.Errorf("the command could write the report: %+v", res)
		}
	})
}

// TestHarden takes the user of the deed from root, who may read everything.
func TestHarden(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "warden-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	binary, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(dir, "child")
	// A child forked meanwhile would hold the file open for writing, and nobody could start it.
	syscall.ForkLock.RLock()
	err = os.WriteFile(copied, binary, 0o755)
	syscall.ForkLock.RUnlock()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	canary := fmt.Sprintf("hardened-%d-%d", os.Getpid(), time.Now().UnixNano())
	for mode, want := range map[string]int{"plain": done, "harden": denied} {
		data, err := json.Marshal(relayed{Argv: []string{copied, "probe", "environ", canary}, Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), copied, "probe", "relay", string(data), mode)
		cmd.Env, cmd.Dir = []string{"GITHUB_TOKEN=" + canary}, dir
		if os.Geteuid() == 0 {
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		}
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != want {
			t.Errorf("%s: %v, want exit code %d\n%s", mode, err, want, out)
		}
	}
}

// tree lists names, kinds and contents below dir.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel := strings.TrimPrefix(path, dir)
		fmt.Fprintf(&b, "%s %s", d.Type(), rel)
		if d.Type().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, " %q", data)
		}
		b.WriteByte('\n')
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
