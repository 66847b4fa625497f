package forgecases

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// lineWatch is told by the kernel when a ledger grows.
type lineWatch struct {
	file *os.File
	runs string
}

// watchLines calls act once, as soon as the ledgers under runs have at least this
// many lines together. Closing the watch ends it.
func watchLines(t *testing.T, runs string, lines int, act func(have int)) *lineWatch {
	t.Helper()
	if err := os.MkdirAll(runs, 0o755); err != nil {
		t.Fatal(err)
	}
	fd, err := syscall.InotifyInit1(syscall.IN_CLOEXEC | syscall.IN_NONBLOCK)
	if err != nil {
		t.Fatalf("watch the ledgers: %v", err)
	}
	w := &lineWatch{file: os.NewFile(uintptr(fd), "inotify"), runs: runs}
	if _, err := syscall.InotifyAddWatch(fd, runs, syscall.IN_CREATE|syscall.IN_MOVED_TO); err != nil {
		t.Fatalf("watch the ledgers: %v", err)
	}
	w.follow(fd)
	go w.read(fd, lines, act)
	return w
}

func (w *lineWatch) Close() { _ = w.file.Close() } // it ends the reading, which is all that is wanted

func (w *lineWatch) read(fd, lines int, act func(int)) {
	buf := make([]byte, 64<<10)
	for {
		n, err := w.file.Read(buf)
		if err != nil {
			return // closed
		}
		if names(buf[:n]) {
			w.follow(fd)
		}
		if have := countLines(w.runs); have >= lines {
			act(have)
			return
		}
	}
}

// names reports whether one of the events is about a new directory.
func names(events []byte) bool {
	for len(events) >= syscall.SizeofInotifyEvent {
		mask, size := binary.NativeEndian.Uint32(events[4:]), binary.NativeEndian.Uint32(events[12:])
		if mask&syscall.IN_ISDIR != 0 {
			return true
		}
		events = events[syscall.SizeofInotifyEvent+int(size):]
	}
	return false
}

// follow watches the ledger of every run that is there by now.
func (w *lineWatch) follow(fd int) {
	entries, err := os.ReadDir(w.runs)
	if err != nil {
		return
	}
	for _, e := range entries {
		if e.IsDir() && strings.HasPrefix(e.Name(), "issue-") && !strings.Contains(e.Name(), "--") {
			// A directory that is gone again has no ledger to follow.
			_, _ = syscall.InotifyAddWatch(fd, filepath.Join(w.runs, e.Name()), syscall.IN_MODIFY|syscall.IN_CREATE|syscall.IN_MOVED_TO)
		}
	}
}

func countLines(runs string) int {
	files, err := filepath.Glob(filepath.Join(runs, "issue-*", "evidence.jsonl"))
	if err != nil {
		return 0
	}
	n := 0
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err == nil {
			n += bytes.Count(data, []byte("\n"))
		}
	}
	return n
}
