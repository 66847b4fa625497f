package gate

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tolboy/warden/internal/proc"
)

const (
	maxOutput = 64 << 10 // bytes kept of one stream
	grace     = 2 * time.Second
)

// execute runs one command line. An error means that it was not run to its end
// for a reason that says nothing about the candidate.
func (r Runner) execute(ctx context.Context, root string, index int, command string, limit time.Duration) (Command, error) {
	env := proc.Environ(r.Env, nil)
	res, err := proc.Run(ctx, proc.Command{
		Argv: proc.Shell(command, env), Dir: root, Env: env,
		Timeout: limit, Grace: grace, MaxOutput: maxOutput,
		Sandbox: r.Sandbox, Bwrap: r.Bwrap,
	})
	c := Command{
		Index: index, Command: command, ExitCode: res.ExitCode, Signal: res.Signal, TimedOut: res.TimedOut,
		DurationMillis: res.Duration.Milliseconds(), StdoutTruncated: res.Stdout.Truncated, StderrTruncated: res.Stderr.Truncated,
	}
	for _, s := range []struct {
		into *string
		from []byte
		keep bool
	}{
		{&c.Stdout, res.Stdout.Bytes, true}, {&c.StdoutTail, res.Stdout.Tail, res.Stdout.Truncated},
		{&c.Stderr, res.Stderr.Bytes, true}, {&c.StderrTail, res.Stderr.Tail, res.Stderr.Truncated},
	} {
		if s.keep {
			text, escaped := escape(s.from)
			*s.into = text
			c.Escaped = c.Escaped || escaped
		}
	}
	switch {
	case err != nil:
		return c, fmt.Errorf("run command %d (%q): %w", index, command, err)
	case res.StartErr != nil:
		return c, fmt.Errorf("start command %d (%q): %w", index, command, res.StartErr)
	case res.Canceled:
		return c, fmt.Errorf("run command %d (%q): %w", index, command, context.Cause(ctx))
	}
	return c, nil
}

// escape keeps every byte: what is no UTF-8 is written as \xNN, so that JSON can
// hold it and a person can see it.
func escape(text []byte) (string, bool) {
	if utf8.Valid(text) {
		return string(text), false
	}
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if r == utf8.RuneError && size == 1 {
			fmt.Fprintf(&b, `\x%02x`, text[0])
		} else {
			b.Write(text[:size])
		}
		text = text[size:]
	}
	return b.String(), true
}

// ending says how a command that was not stopped for time ended.
func ending(c Command) string {
	switch {
	case c.Signal != "":
		return "was ended by " + c.Signal
	case c.ExitCode == 127:
		return "exited with status 127, which a shell uses for a command that it does not find"
	}
	return fmt.Sprintf("exited with status %d", c.ExitCode)
}

const raise = "raise timeout_minutes, which all commands of one gate run share"

// timedOut names the command that was stopped and the one that took the time.
func (r *run) timedOut(c Command) string {
	text := fmt.Sprintf("command %d of %d (%q) was still running when the %s that all commands of a gate run share had passed", c.Index, len(r.commands), c.Command, r.req.Limit)
	return text + "; " + r.longest() + "; " + raise
}

// spentBefore says that no time was left for a command.
func (r *run) spentBefore(next int) string {
	text := fmt.Sprintf("no time was left for command %d of %d (%q): all commands of a gate run share %s", next+1, len(r.commands), r.commands[next], r.req.Limit)
	return text + "; " + r.longest() + "; " + raise
}

func (r *run) longest() string {
	var top Command
	for _, c := range r.Commands {
		if c.DurationMillis >= top.DurationMillis {
			top = c
		}
	}
	return fmt.Sprintf("most of it, %s, went to command %d (%q)", time.Duration(top.DurationMillis)*time.Millisecond, top.Index, top.Command)
}
