package preview

import (
	"strings"
	"sync"

	"github.com/tolboy/warden/internal/plain"
)

const (
	maxLines = 200
	maxLine  = 400 // bytes
	lastSaid = 4   // lines that a fault quotes
)

// Log keeps the last lines of both streams of a command, in the order in which
// they came. It is bounded, and safe for concurrent use.
type Log struct {
	mu      sync.Mutex
	lines   []string
	dropped int
}

func (l *Log) take(stream string, line []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.lines) == maxLines {
		l.lines, l.dropped = l.lines[1:], l.dropped+1
	}
	l.lines = append(l.lines, stream+": "+plain.Line(string(line), maxLine))
}

// Lines are what was kept, oldest first, and how many lines before them were not.
func (l *Log) Lines() (lines []string, dropped int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string{}, l.lines...), l.dropped
}

// Ending is how a preview came to its end.
type Ending struct {
	// Lines are the last ones that it printed, Dropped how many there were before.
	Lines   []string
	Dropped int
	// Fault is not nil where it was no page of ours after all, or something of it
	// is left running.
	Fault *Fault
}

// LastWords bounds what is kept of a command of which no page came, in bytes.
const LastWords = 4 << 10

// lastWords are as many whole lines from the end as are kept of a command that failed,
// and how many were before them.
func (e Ending) lastWords() (lines []string, dropped int) {
	from, size := len(e.Lines), 0
	for from > 0 && size+len(e.Lines[from-1])+1 <= LastWords {
		from--
		size += len(e.Lines[from]) + 1
	}
	return e.Lines[from:], e.Dropped + from
}

// said quotes the last lines for a sentence about a fault.
func (e Ending) said() string {
	lines := e.Lines[max(0, len(e.Lines)-lastSaid):]
	if len(lines) == 0 {
		return "; it printed nothing"
	}
	return "; it printed last: " + strings.Join(lines, " | ")
}
