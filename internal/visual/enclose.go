package visual

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/tolboy/warden/internal/preview"
	"github.com/tolboy/warden/internal/proc"
	"github.com/tolboy/warden/internal/sandbox"
)

// Word is the first argument by which this program is asked to carry an order out.
const Word = "__visual"

const (
	maxOrder  = 4 << 20  // bytes
	maxAnswer = 16 << 20 // bytes
	// closing is what the ending of everything may take beyond the order's limits.
	closing = 30 * time.Second
)

// Look carries an order out, in a process of its own: self is this program, as of
// launcher.Self, and environ what it is started with. With the loopback network it
// runs where bubblewrap gives one. What keeps it from seeing anything is a Fault.
func Look(ctx context.Context, self string, environ []string, o Order) Seen {
	seen, err := enclosed(ctx, self, environ, o)
	if ctx.Err() != nil && (err != nil || seen.Fault != nil) {
		return Seen{Fault: fault(preview.Cancelled, "the look at the page was cancelled")}
	}
	if err != nil {
		return Seen{Fault: fault(Internal, err.Error())}
	}
	return seen
}

func enclosed(ctx context.Context, self string, environ []string, o Order) (Seen, error) {
	if self == "" {
		return Seen{}, errors.New("look at the page: this program cannot start itself")
	}
	text, err := json.Marshal(o)
	if err != nil {
		return Seen{}, fmt.Errorf("write the order of a look: %w", err)
	}
	argv := []string{self, Word}
	if o.Network == NetworkLoopback {
		if argv, err = sandbox.Loopback(o.Bwrap, argv); err != nil {
			return Seen{}, err
		}
	}
	res, err := proc.Run(ctx, proc.Command{
		Argv: argv, Dir: o.Scratch, Env: proc.Environ(environ, map[string]string{"TMPDIR": o.Scratch}), Stdin: text,
		Timeout: max(o.Ready, preview.ReadyLimit) + o.Limit + closing, Grace: closing / 2, MaxOutput: maxAnswer,
	})
	switch {
	case err != nil:
		return Seen{}, fmt.Errorf("look at the page: %w", err)
	case res.StartErr != nil:
		return Seen{}, fmt.Errorf("look at the page: %w", res.StartErr)
	case res.TimedOut:
		return Seen{}, fmt.Errorf("look at the page: it was not over in its time; %s", res.Stderr.Text())
	case !res.OK():
		return Seen{}, fmt.Errorf("look at the page: the process that does it ended with status %d %s: %s", res.ExitCode, res.Signal, res.Stderr.Text())
	}
	return answer(res.Stdout, o.Scenarios)
}
