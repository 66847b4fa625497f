package proc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tolboy/warden/internal/launcher"
	"github.com/tolboy/warden/internal/sandbox"
)

// TestMain lets the test binary stand in for a child that tries to get out.
func TestMain(m *testing.M) {
	if status, own := launcher.Run(os.Args[1:], os.Stderr); own {
		os.Exit(status)
	}
	if len(os.Args) > 2 && os.Args[1] == "probe" {
		os.Exit(probe(os.Args[2], os.Args[3:]))
	}
	m.Run()
}

// Ends of a probe. Denied is told apart from every way of not having tried.
const (
	done   = 0
	denied = 20
	misuse = 21
)

// deeds are what a child may try; nil means that it worked.
var deeds = map[string]func(args []string) error{
	"nothing": func([]string) error { return nil },
	"write":   func(a []string) error { return writeFile(a[0]) },
	"open":    func(a []string) error { return openForWriting(a[0]) },
	"stat":    func(a []string) error { _, err := os.Lstat(a[0]); return err },
	"send": func(a []string) error {
		c, err := net.Dial(a[0], a[1])
		if err != nil {
			return err
		}
		_, err = c.Write([]byte("x"))
		return errors.Join(err, c.Close())
	},
	"read":    func(a []string) error { return readText(a[0], a[1]) },
	"mkdir":   func(a []string) error { return os.Mkdir(a[0], 0o755) },
	"rename":  func(a []string) error { return os.Rename(a[0], a[1]) },
	"remove":  func(a []string) error { return os.Remove(a[0]) },
	"replace": func(a []string) error { return errors.Join(os.Remove(a[0]), os.Symlink(a[1], a[0])) },
	"hardlink": func(a []string) error {
		if err := os.Link(a[0], a[1]); err != nil {
			return err
		}
		return openForWriting(a[1])
	},
	"rebuild": func(a []string) error { // move a parent away, make the path anew
		dir := filepath.Dir(a[0])
		if err := os.Rename(dir, dir+"-away"); err != nil {
			return err
		}
		return errors.Join(os.MkdirAll(a[0], 0o755), writeFile(a[0]+"/file"))
	},
	"symlink": func(a []string) error { // link in a, then write what it leads to
		if err := os.Symlink(a[1], a[0]); err != nil {
			return misused("link: %v", err)
		}
		return openForWriting(a[0])
	},
	"remount": func(a []string) error {
		if err := syscall.Mount("", a[0], "", syscall.MS_REMOUNT|syscall.MS_BIND, ""); err != nil {
			return err
		}
		return writeFile(a[1])
	},
	"unmount": func(a []string) error { return syscall.Unmount(a[0], syscall.MNT_DETACH) },
	"nested":  nested,
	"environ": func(a []string) error { return searchProc("environ", a[0]) },
	"cmdline": func(a []string) error { return searchProc("cmdline", a[0]+a[1]) },
	"signal": func(a []string) error {
		id, err := strconv.Atoi(a[0])
		if err != nil {
			return misused("%v", err)
		}
		return syscall.Kill(id, 0)
	},
	"end the keeper": func([]string) error { return syscall.Kill(os.Getppid(), 0) },
	"dial": func(a []string) error {
		c, err := net.DialTimeout(a[0], a[1], 5*time.Second)
		if err == nil {
			c.Close()
		}
		return err
	},
	"loopback": func([]string) error {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		c, err := net.DialTimeout("tcp", l.Addr().String(), 5*time.Second)
		if err == nil {
			c.Close()
		}
		return err
	},
	"capability": func(a []string) error {
		status, err := os.ReadFile("/proc/self/status")
		if err != nil {
			return misused("%v", err)
		}
		for line := range strings.Lines(string(status)) {
			key, value, _ := strings.Cut(line, ":")
			if key == a[0] && strings.Trim(value, "0\t\n") != "" {
				return nil
			}
		}
		return errors.New("none")
	},
	"detach": detach,
	"hold":   func([]string) error { _, err := io.Copy(io.Discard, os.Stdin); return err },
	"relay":  relay,
}

func misused(format string, args ...any) error {
	return fmt.Errorf("misuse: "+format, args...)
}

func probe(name string, args []string) int {
	deed, ok := deeds[name]
	if !ok {
		return misuse
	}
	err := deed(args)
	if err == nil {
		return done
	}
	fmt.Fprintln(os.Stderr, err)
	if strings.HasPrefix(err.Error(), "misuse: ") {
		return misuse
	}
	return denied
}

func writeFile(path string) error { return os.WriteFile(path, []byte("out\n"), 0o644) }

func openForWriting(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

func readText(path, want string) error {
	b, err := os.ReadFile(path)
	if err == nil && string(b) != want {
		err = fmt.Errorf("read %q", b)
	}
	return err
}

// searchProc looks through what /proc shows of every other process.
func searchProc(file, text string) error {
	list, err := filepath.Glob("/proc/[0-9]*/" + file)
	if err != nil || len(list) == 0 {
		return misused("no processes: %v", err)
	}
	self := "/proc/" + strconv.Itoa(os.Getpid()) + "/" + file
	for _, path := range list {
		if b, err := os.ReadFile(path); path != self && err == nil && bytes.Contains(b, []byte(text)) {
			return nil
		}
	}
	return errors.New("not seen")
}

// again starts this binary with another deed.
func again(name string, args ...string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		self = os.Args[0]
	}
	cmd := exec.Command(self, append([]string{"probe", name}, args...)...)
	cmd.Stderr = os.Stderr
	return cmd
}

// nested does a deed as root of an own user and mount namespace, or with all its
// capabilities and nobody's name where no user can be mapped.
func nested(a []string) error {
	cmd := again(a[0], a[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	err := cmd.Run()
	if errors.Is(err, fs.ErrPermission) {
		cmd = again(a[0], a[1:]...)
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS}
		err = cmd.Run()
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return misused("start in a namespace: %v", err)
	}
	return err
}

// detach starts a daemon in a session of its own, through a process that ends
// at once, so that nothing leads from the child to it. With "bare" it has no
// environment either. The daemon keeps descriptor 3 and says its id on it.
func detach(a []string) error {
	switch a[0] {
	case "daemon":
		if _, err := fmt.Fprintf(os.NewFile(3, "held"), "%d\n", os.Getpid()); err != nil {
			return err
		}
		r, w, err := os.Pipe()
		if err != nil {
			return err
		}
		// The other end is its own, so it waits until it is ended; where a defence is
		// missing and nobody ends it, it goes by itself.
		own := time.AfterFunc(10*time.Minute, func() { w.Close() })
		defer own.Stop()
		_, err = io.Copy(io.Discard, r)
		return err
	case "between":
		cmd := again("detach", "daemon")
		cmd.Stderr = nil
		cmd.ExtraFiles = []*os.File{os.NewFile(3, "held")}
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		return cmd.Start()
	}
	cmd := again("detach", "between")
	if a[0] == "bare" {
		cmd.Env = []string{}
	}
	cmd.ExtraFiles = []*os.File{os.NewFile(3, "held")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd.Run()
}

// relayed is a command in JSON.
type relayed struct {
	Argv, Env  []string
	Dir, Bwrap string
	Sandbox    *sandbox.Spec
	Held       bool // descriptor 3 goes to the command
}

// relay is a parent with a secret in its environment: it runs the command that
// it gets as JSON and passes its result on.
func relay(a []string) error {
	var in relayed
	if err := json.Unmarshal([]byte(a[0]), &in); err != nil {
		return misused("%v", err)
	}
	c := Command{Argv: in.Argv, Dir: in.Dir, Env: in.Env, Timeout: time.Minute, Sandbox: in.Sandbox, Bwrap: in.Bwrap}
	if in.Held {
		c.ExtraFiles = []*os.File{os.NewFile(3, "held")}
	}
	if len(a) > 1 && a[1] == "harden" {
		if err := Harden(); err != nil {
			return misused("%v", err)
		}
	}
	res, err := Run(context.Background(), c)
	if err != nil {
		return misused("%v", err)
	}
	switch res.ExitCode {
	case done:
		return nil
	case denied:
		return errors.New(res.Stderr.Text())
	}
	return misused("%+v %s", res, res.Tails())
}

// put writes a file for a test, with its directories.
func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func missing(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}
