package ci

import (
	"errors"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/sethvargo/go-githubactions"

	"github.com/tolboy/warden/forge"
	"github.com/tolboy/warden/internal/plain"
)

// Log writes to the job log. From Open to Close the runner takes no command from
// it except those that Log issues itself: everything written is foreign text
// until proven otherwise. It is safe for concurrent use.
type Log struct {
	mu     sync.Mutex
	out    io.Writer
	random io.Reader
	stop   string // token that ends the silence
	midway bool   // the last byte written was not a line end
	closed bool
}

// Open tells the runner to take no commands and returns the log. random yields
// the tokens; pass crypto/rand.Reader.
func Open(out io.Writer, random io.Reader) (*Log, error) {
	l := &Log{out: out, random: random}
	return l, l.silence()
}

// Write implements io.Writer for text of any origin. Text that holds the token,
// which nobody but the runner was told, is refused whole.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return 0, errors.New("write to the job log: closed")
	}
	if len(p) == 0 {
		return 0, nil
	}
	if strings.Contains(string(p), l.stop) {
		return 0, errors.New("write to the job log: the text holds the token of this log")
	}
	l.midway = p[len(p)-1] != '\n'
	return l.out.Write(p)
}

// Annotate shows a finding at its line. Every field may be foreign.
func (l *Log) Annotate(a forge.Annotation) error {
	name := "notice"
	switch a.Level {
	case "failure":
		name = "error"
	case "warning":
		name = "warning"
	}
	props := githubactions.CommandProperties{}
	if a.Path != "" {
		props["file"] = plain.Terminal(a.Path)
	}
	if a.Line > 0 {
		props["line"] = strconv.Itoa(a.Line)
	}
	if a.Title != "" {
		props["title"] = plain.Terminal(a.Title)
	}
	return l.issue(&githubactions.Command{Name: name, Properties: props, Message: plain.Terminal(a.Message)})
}

// Mask makes the runner replace the secret in all later output. Each line of it
// is masked by itself, since the runner looks line by line.
func (l *Log) Mask(secret Secret) error {
	for line := range strings.Lines(secret.Reveal()) {
		line = strings.TrimRight(line, "\r\n")
		if strings.TrimSpace(line) == "" {
			continue
		}
		if err := l.issue(&githubactions.Command{Name: "add-mask", Message: line}); err != nil {
			return err
		}
	}
	return nil
}

// Close lets the runner take commands again.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil
	}
	l.closed = true
	return l.resume()
}

// issue lifts the silence for one command and restores it under a new token.
func (l *Log) issue(c *githubactions.Command) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return errors.New("write to the job log: closed")
	}
	if err := l.resume(); err != nil {
		return err
	}
	if _, err := io.WriteString(l.out, c.String()+"\n"); err != nil {
		l.closed = true
		return err
	}
	return l.silence()
}

// silence begins a stretch without commands. Where it cannot, the log closes:
// foreign text must not reach a runner that listens.
func (l *Log) silence() error {
	stop, err := token(l.random)
	if err == nil {
		l.stop = stop
		_, err = io.WriteString(l.out, "::stop-commands::"+stop+"\n")
	}
	l.closed = err != nil
	return err
}

func (l *Log) resume() error {
	text := "::" + l.stop + "::\n"
	if l.midway {
		text = "\n" + text
		l.midway = false
	}
	_, err := io.WriteString(l.out, text)
	return err
}

// GuardJSON takes the runner's older command mark, which it obeys anywhere in a
// line, out of a JSON text without changing what the text means.
func GuardJSON(text []byte) []byte {
	return []byte(strings.ReplaceAll(string(text), "##[", `#\u0023[`))
}
