package gate

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

const (
	tailBytes    = 4000 // of one stream, in the text for the writer
	maxFiles     = 20   // whose line ends are counted
	maxFileBytes = 1 << 20
)

// FailureText tells the writer what failed: code, report, paths, and the command
// with the ends of both streams. The output of commands is foreign text and
// stands in fences. Control characters are shown as pictures, so that a carriage
// return is seen.
func FailureText(r Report, reportPath string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "The machine gates ended with %s. The report is %s.\n", r.Code, reportPath)
	if r.Message != "" {
		fmt.Fprintf(&b, "\n%s", fence(r.Message))
	}
	if len(r.Violations) > 0 {
		b.WriteString("\nPaths that must not differ from the base:\n\n")
		b.WriteString(fence(strings.Join(describe(r.Violations), "\n")))
	}
	if len(r.ConfigurationChanged) > 0 {
		b.WriteString("\nChanges of the contract:\n\n")
		b.WriteString(fence(strings.Join(r.ConfigurationChanged, "\n")))
	}
	if n := len(r.Commands); n > 0 {
		command(&b, r.Commands[n-1], r.CommandsDeclared)
	}
	if len(r.LineEnds) > 0 {
		b.WriteString("\nHow the lines of the changed files end:\n\n")
		var lines []string
		for _, e := range r.LineEnds {
			lines = append(lines, fmt.Sprintf("%s: %d LF, %d CRLF", e.Path, e.LF, e.CRLF))
		}
		b.WriteString(fence(strings.Join(lines, "\n")))
	}
	text := b.String()
	if strings.ContainsRune(text, '␍') {
		text += "\n␍ stands for a carriage return: such a line ends in CR LF, the others in LF alone.\n"
	}
	return text
}

func command(b *strings.Builder, c Command, total int) {
	how := ending(c)
	if c.TimedOut {
		how = "was stopped for time"
	}
	fmt.Fprintf(b, "\nCommand %d of %d %s after %s:\n\n%s", c.Index, total, how, time.Duration(c.DurationMillis)*time.Millisecond, fence(c.Command))
	stream(b, "standard output", c.Stdout, c.StdoutTail, c.StdoutTruncated)
	stream(b, "standard error", c.Stderr, c.StderrTail, c.StderrTruncated)
}

func stream(b *strings.Builder, name, head, tail string, truncated bool) {
	if truncated && tail != "" {
		head = tail
	}
	text := lastBytes(head, tailBytes)
	switch {
	case text == "":
		fmt.Fprintf(b, "\nIts %s was empty.\n", name)
	case truncated || len(text) < len(head):
		fmt.Fprintf(b, "\nThe end of its %s:\n\n%s", name, fence(text))
	default:
		fmt.Fprintf(b, "\nIts %s:\n\n%s", name, fence(text))
	}
}

// lastBytes cuts at a line where it can, and never inside a character.
func lastBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	s = s[len(s)-n:]
	if i := strings.IndexByte(s, '\n'); i >= 0 && i+1 < len(s) {
		return s[i+1:]
	}
	for len(s) > 0 && s[0]&0xC0 == 0x80 {
		s = s[1:]
	}
	return s
}

// fence makes a block that no run of backticks in the text can end.
func fence(text string) string {
	text = pictures(text)
	longest, run := 2, 0
	for i := range len(text) {
		if text[i] != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	bar := strings.Repeat("`", longest+1)
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return bar + "text\n" + text + bar + "\n"
}

// pictures shows control characters other than line end and tab.
func pictures(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r < ' ':
			return '␀' + r
		case r == 0x7f:
			return '␡'
		}
		return r
	}, text)
}

// lineEnds counts the line ends of changed text files. A file that is gone, is no
// regular file, is large or is not text is left out.
func lineEnds(root string, paths []string) []LineEnds {
	top, err := os.OpenRoot(root)
	if err != nil {
		return nil
	}
	defer top.Close()
	var out []LineEnds
	for _, p := range paths {
		if len(out) == maxFiles {
			break
		}
		info, err := top.Lstat(p)
		if err != nil || !info.Mode().IsRegular() || info.Size() > maxFileBytes {
			continue
		}
		f, err := top.Open(p)
		if err != nil {
			continue
		}
		data, err := io.ReadAll(io.LimitReader(f, maxFileBytes))
		_ = f.Close()
		if err != nil || bytes.IndexByte(data, 0) >= 0 {
			continue
		}
		crlf := bytes.Count(data, []byte("\r\n"))
		out = append(out, LineEnds{Path: p, CRLF: crlf, LF: bytes.Count(data, []byte("\n")) - crlf})
	}
	return out
}
