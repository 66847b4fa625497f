package cli

import (
	"fmt"
	"strings"

	"github.com/tolboy/warden/internal/gate"
	"github.com/tolboy/warden/internal/plain"
	"github.com/tolboy/warden/internal/redact"
)

const (
	shownLines = 30  // of the end of one stream
	shownWidth = 300 // characters of one line
)

// running narrates each command before it runs.
func (a *app) running(index, total int, command string) {
	a.row("gate", fmt.Sprintf("%d/%d %s", index, total, command))
}

// tellGates says how the gates ended and, of a command that failed, the end of
// what it printed: the reason is nearly always there.
func (a *app) tellGates(r gate.Report, red *redact.Set, path string) {
	if r.OK {
		a.row("gates", "ok")
		return
	}
	a.row("gates", string(r.Code)+": "+r.Message)
	for _, v := range r.Violations {
		a.row("", v.Path+" ("+v.Why+")")
	}
	if n := len(r.Commands); n > 0 && (r.Commands[n-1].ExitCode != 0 || r.Commands[n-1].TimedOut || r.Commands[n-1].Signal != "") {
		c := r.Commands[n-1]
		a.stream("stdout", red, c.Stdout, c.StdoutTail)
		a.stream("stderr", red, c.Stderr, c.StderrTail)
	}
	a.row("report", path)
}

// stream shows the end of a stream, harmless and bounded.
func (a *app) stream(name string, red *redact.Set, head, tail string) {
	if tail != "" {
		head = tail
	}
	clean, _ := red.Bytes([]byte(head))
	text := strings.TrimRight(plain.Terminal(string(clean)), "\n\t ")
	if text == "" {
		return
	}
	lines := strings.Split(text, "\n")
	if over := len(lines) - shownLines; over > 0 {
		a.row(name, fmt.Sprintf("(%d lines before)", over))
		lines = lines[over:]
	} else {
		a.row(name, "")
	}
	for _, line := range lines {
		if r := []rune(line); len(r) > shownWidth {
			line = string(r[:shownWidth]) + "…"
		}
		a.narrate("  | %s", line)
	}
}
