package proc

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestKin leaves one trace at a time that leads to a process.
func TestKin(t *testing.T) {
	t.Parallel()
	t.Run("PR-03 only the parent", func(t *testing.T) {
		t.Parallel()
		h := newHeld(t)
		c := sh(`env -i setsid sh -c 'echo up; sleep 300' & wait`)
		c.ExtraFiles = []*os.File{h.w}
		cancelAt(t, c, "up")
		h.gone(t)
	})
	t.Run("PR-03 only the group", func(t *testing.T) {
		t.Parallel()
		h := newHeld(t)
		c := sh(`(env -i sleep 300 >/dev/null 2>&1 & echo $! >&4) 4>&1`)
		c.ExtraFiles = []*os.File{h.w}
		if res := mustRun(t, c); res.Left != 1 {
			t.Errorf("Left = %d, want 1", res.Left)
		}
		h.gone(t)
	})
}

// TestStreamsEnd holds a pipe open from outside, where no kill reaches.
func TestStreamsEnd(t *testing.T) {
	t.Parallel()
	s, err := attach(new(exec.Cmd), Command{Stdin: make([]byte, 1<<20)})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range s.theirs {
		fd, err := syscall.Dup(int(f.Fd()))
		if err != nil {
			t.Fatal(err)
		}
		defer syscall.Close(fd)
	}
	s.pump()
	if s.drained(time.Millisecond) {
		t.Error("the held pipe ended")
	}
	ended := make(chan struct{})
	go func() { s.end(); close(ended) }()
	if !within(ended, 10*time.Second) {
		t.Fatal("a held pipe holds the caller")
	}
}

// FuzzParseStat puts a name that a child chose into a line of the kernel.
func FuzzParseStat(f *testing.F) {
	f.Add("sh", 1, uint64(2))
	f.Add(") Z 1 1 1 (", 77, uint64(1<<63))
	f.Add("", -1, uint64(0))
	f.Fuzz(func(t *testing.T, name string, parent int, start uint64) {
		line := fmt.Sprintf("42 (%s) S %d 42 41 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 %d 2 3 4\n", name, parent, start)
		want := process{id: 42, parent: parent, group: 42, session: 41, start: start, state: 'S'}
		if got, ok := parseStat(42, line); !ok || got != want {
			t.Errorf("got %+v, %t of %q", got, ok, line)
		}
		parseStat(42, name)
	})
}

func TestReadProcess(t *testing.T) {
	t.Parallel()
	p, ok := readProcess(os.Getpid())
	if !ok || p.parent != os.Getppid() || !p.alive() || p.start == 0 {
		t.Errorf("got %+v, %t", p, ok)
	}
	if p.starting {
		t.Error("a running process is taken for one that is starting")
	}
	if p, ok := parseStat(2, "2 (x) R 1 2 3"+strings.Repeat(" 0", 48)); !ok || !p.starting {
		t.Errorf("got %+v, %t of a process without an environment yet", p, ok)
	}
	later := p
	later.start++
	if fd := later.open(); fd >= 0 {
		t.Error("a process of another time with this id was taken for it")
	}
	if later.signal(0) {
		t.Error("a process of another time with this id was signalled")
	}
	if !p.signal(0) {
		t.Error("the process itself was not found")
	}
}

func TestHasMark(t *testing.T) {
	t.Parallel()
	env := strings.Join([]string{"A=m1", MarkVariable + "=m0.m2", "B=x"}, "\x00") + "\x00"
	for mark, want := range map[string]bool{"m0": true, "m2": true, "m1": false} {
		if got := hasMark([]byte(env), mark); got != want {
			t.Errorf("mark %q: %t", mark, got)
		}
	}
}
