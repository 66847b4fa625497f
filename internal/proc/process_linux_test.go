package proc

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

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
