package proc

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/tolboy/warden/internal/sandbox"
)

// prepare resolves the program, marks the environment and confines the child.
func prepare(c Command) (*launch, error) {
	l := &launch{}
	var nonce [16]byte
	if _, err := rand.Read(nonce[:]); err != nil {
		return nil, fmt.Errorf("run %q: mark it: %w", c.Argv[0], err)
	}
	l.mark = hex.EncodeToString(nonce[:])
	env := marked(c.Env, l.mark)
	path := c.Argv[0]
	if !filepath.IsAbs(path) {
		found, err := LookPath(path, c.Env)
		if err != nil {
			l.startErr = err
			return l, nil
		}
		path = found
	}
	argv := append([]string(nil), c.Argv...)
	files := c.ExtraFiles
	if c.Sandbox != nil && c.Sandbox.Backend != sandbox.None {
		if err := l.confine(c, &argv, &files, path); err != nil {
			return nil, errors.Join(fmt.Errorf("run %q: %w", c.Argv[0], err), l.close())
		}
		path = argv[0]
	}
	program, attr := attributes(path, argv, c.Env)
	l.cmd = &exec.Cmd{Path: program, Args: argv, Env: env, Dir: c.Dir, ExtraFiles: files, SysProcAttr: attr}
	return l, nil
}

// confine turns argv into the command line of the sandbox.
func (l *launch) confine(c Command, argv *[]string, files *[]*os.File, path string) error {
	spec := *c.Sandbox
	if c.Dir != "" {
		spec.Dir = c.Dir
	}
	status, err := newStatusPipe()
	if err != nil {
		return err
	}
	l.status = status
	spec.StatusFD = 3 + len(c.ExtraFiles)
	*files = append(append([]*os.File(nil), c.ExtraFiles...), status.w)
	claim, err := spec.Claim()
	if err != nil {
		return err
	}
	l.release = claim.Release
	spec.Tmp = claim.Tmp
	inner := append([]string{path}, c.Argv[1:]...)
	*argv, err = spec.Wrap(c.Bwrap, inner)
	l.held = byNamespace
	if spec.Backend == sandbox.Landlock {
		l.held = byKeeper
	}
	return err
}

// maxMarks bounds how many enclosing marks a child carries on.
const maxMarks = 16

// marked adds mark to the environment, after the marks of enclosing runs, so
// that each of them still recognises the child.
func marked(env []string, mark string) []string {
	out := make([]string, 1, len(env)+1)
	var outer []string
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, MarkVariable+"="); ok {
			outer = strings.Split(v, ".")
			continue
		}
		out = append(out, kv)
	}
	outer = append(outer[max(0, len(outer)-maxMarks):], mark)
	out[0] = MarkVariable + "=" + strings.Join(outer, ".")
	return out
}

// judge tells a command that failed from a sandbox that did: only the sandbox
// knows whether it got as far as the command.
func (l *launch) judge(res Result, c Command) (Result, error) {
	if l.status == nil || res.TimedOut || res.Canceled || res.ExitCode < 0 {
		return res, nil
	}
	reached, startError := l.status.read()
	if startError != "" {
		res.ExitCode, res.StartErr = -1, errors.New("inside the sandbox: "+startError)
		return res, nil
	}
	if reached {
		return res, nil
	}
	said := strings.TrimSpace(valid(res.Stderr.end()))
	if strings.HasPrefix(said, "bwrap: execvp ") {
		res.ExitCode, res.StartErr = -1, errors.New("inside the sandbox: "+strings.TrimPrefix(said, "bwrap: execvp "))
		return res, nil
	}
	return res, fmt.Errorf("run %q: %w: %s", c.Argv[0], errNotReached, said)
}

// statusPipe carries the report of a sandbox, one JSON object a line.
type statusPipe struct {
	r, w *os.File
	data []byte
	done chan struct{}
}

func newStatusPipe() (*statusPipe, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	return &statusPipe{r: r, w: w}, nil
}

func (p *statusPipe) listen() {
	p.w.Close()
	p.done = make(chan struct{})
	go func() {
		defer close(p.done)
		p.data, _ = io.ReadAll(io.LimitReader(p.r, 64<<10))
	}()
}

// read reports whether the sandbox saw the command end, or why it could not start
// it. Everything of the child is gone, so the pipe has ended.
func (p *statusPipe) read() (reached bool, startError string) {
	if p.done == nil || !within(p.done, drain) {
		return false, ""
	}
	for line := range bytes.Lines(p.data) {
		var report struct {
			ExitCode *int   `json:"exit-code"`
			Start    string `json:"start-error"`
		}
		if json.Unmarshal(line, &report) == nil && (report.ExitCode != nil || report.Start != "") {
			return report.ExitCode != nil, report.Start
		}
	}
	return false, ""
}

func (p *statusPipe) close() {
	p.w.Close()
	p.r.Close()
	if p.done != nil {
		<-p.done
	}
}
