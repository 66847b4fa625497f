package proc

import (
	"fmt"
	"path"
	"strings"
)

// UndeliverableError names an argument that would not arrive as it is.
type UndeliverableError struct {
	Index  int    // in argv
	Start  string // its beginning
	Reason string
}

func (e *UndeliverableError) Error() string {
	return fmt.Sprintf("deliver argument %d (%q): %s; pass it on stdin or in a prompt file", e.Index, e.Start, e.Reason)
}

// Limits of the systems, in bytes.
const (
	maxArgLinux   = 128<<10 - 1 // one argument
	maxLineOther  = 1<<20 - 1   // all arguments, the smallest of the BSDs and darwin
	maxLineWin    = 32<<10 - 2  // the whole command line
	maxLineBatch  = 8<<10 - 2   // the whole line of the command interpreter
	shownArgument = 60
)

// Deliverable reports whether every argument of argv reaches the program
// unchanged on goos; argv[0] is the resolved path. It looks at nothing but its
// arguments. The error is an *UndeliverableError.
//
// A batch file is read by the command interpreter, which ends a line at a line
// break and takes characters like & for itself where a quote in the text has
// ended its quoting. Both are refused. Percent signs are not covered: the
// interpreter may replace %NAME% in any argument, and the error says so.
func Deliverable(argv []string, goos string) error {
	if len(argv) == 0 {
		return nil
	}
	batch := false
	if goos == "windows" {
		switch strings.ToLower(path.Ext(argv[0])) {
		case ".cmd", ".bat":
			batch = true
		}
	}
	total := 0
	for i, arg := range argv {
		total += len(arg) + 3
		if reason := undeliverable(arg, goos, batch && i > 0, total); reason != "" {
			return &UndeliverableError{Index: i, Start: beginning(arg), Reason: reason}
		}
	}
	return nil
}

func undeliverable(arg, goos string, batch bool, total int) string {
	const percent = " (percent signs, which it may expand, are not checked)"
	switch {
	case strings.ContainsRune(arg, 0):
		return "it contains a zero byte"
	case batch && strings.ContainsAny(arg, "\r\n"):
		return "a batch file gets only the first line" + percent
	case batch && strings.ContainsRune(arg, '"') && strings.ContainsAny(arg, " \t&|<>^"):
		return "a batch file may split it at its quotes" + percent
	case batch && total > maxLineBatch:
		return fmt.Sprintf("the command line of a batch file ends at %d bytes%s", maxLineBatch, percent)
	case goos == "windows" && total > maxLineWin:
		return fmt.Sprintf("the command line ends at %d bytes", maxLineWin)
	case goos == "linux" && len(arg) > maxArgLinux:
		return fmt.Sprintf("one argument is at most %d bytes", maxArgLinux)
	case goos != "linux" && goos != "windows" && total > maxLineOther:
		return fmt.Sprintf("all arguments are at most %d bytes", maxLineOther)
	}
	return ""
}

// beginning returns the first characters of arg for a message.
func beginning(arg string) string {
	if len(arg) <= shownArgument {
		return arg
	}
	return string(cutEnd([]byte(arg[:shownArgument]))) + "..."
}
