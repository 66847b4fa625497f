package visual

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/tolboy/warden/internal/browser"
	"github.com/tolboy/warden/internal/preview"
	"github.com/tolboy/warden/internal/proc"
	"github.com/tolboy/warden/internal/sandbox"
	"github.com/tolboy/warden/internal/scenario"
)

// perform carries an order out in this process. When it returns, nothing that it
// started is left.
func perform(ctx context.Context, o Order) Seen {
	var list []scenario.Scenario
	for _, text := range o.Scenarios {
		s, faults := scenario.Parse(text)
		if len(faults) > 0 {
			return Seen{Fault: fault(Internal, fmt.Sprintf("read scenario %q: %v", text, faults))}
		}
		list = append(list, s)
	}
	began := time.Now()
	server, failed := preview.Open(ctx, preview.Request{
		URL: o.URL, Command: o.Command, Dir: o.Dir, Env: o.Env, Sandbox: o.Preview, Bwrap: o.Bwrap, Private: o.Network == NetworkLoopback,
		Ready: o.Ready,
	})
	served := millis(time.Since(began))
	if failed != nil {
		return Seen{Fault: &Fault{Code: failed.Code(), Why: failed.Why, Text: failed.Text}, Lines: failed.Lines, Dropped: failed.Dropped, Serve: served}
	}
	seen := o.look(ctx, list)
	seen.Serve = served
	if gone := server.Exited(ctx); gone != nil && gone.Why != preview.Cancelled {
		seen.Exited = gone.Text
	}
	ending := time.Now()
	end := server.Close()
	seen.Unserve = millis(time.Since(ending))
	seen.Lines, seen.Dropped = end.Lines, end.Dropped
	if end.Fault != nil && ctx.Err() == nil {
		seen.Fault = &Fault{Code: end.Fault.Code(), Why: end.Fault.Why, Text: end.Fault.Text}
	}
	return seen
}

// look drives the browser over a page that answers.
func (o Order) look(ctx context.Context, list []scenario.Scenario) Seen {
	bounded, cancel := context.WithTimeout(ctx, o.Limit)
	defer cancel()
	report, err := browser.Run(bounded, list, browser.Options{
		Browser: o.Browser, Address: o.URL, Origins: o.Origins, Dir: o.Pictures, Ignore: o.Ignore, Runner: o.confined,
		// Inside bubblewrap nobody is root.
		Unprivileged: o.Chromium != nil && o.Chromium.Backend == sandbox.Bubblewrap,
	})
	var missing *browser.Missing
	switch {
	case err == nil:
		return Seen{Report: report}
	case ctx.Err() != nil:
		return Seen{Fault: fault(preview.Cancelled, "the look at the page was cancelled")}
	case errors.As(err, &missing):
		return Seen{Fault: fault(NoBrowser, missing.Error())}
	case bounded.Err() != nil:
		return Seen{Report: report, Fault: fault(OverLimit, fmt.Sprintf("the scenarios were not over after %s, which is all that they may take", o.Limit))}
	}
	return Seen{Report: report, Fault: fault(Internal, err.Error())}
}

// confined starts the browser where it sees its own profile and nothing of what is
// worked on.
func (o Order) confined(ctx context.Context, c proc.Command) (proc.Result, error) {
	if o.Chromium == nil || o.Chromium.Backend == sandbox.None {
		return proc.Run(ctx, c)
	}
	if !filepath.IsAbs(c.Dir) {
		return proc.Result{}, fmt.Errorf("confine the browser: its directory %q is not absolute", c.Dir)
	}
	spec := *o.Chromium
	spec.Root, spec.Writable, spec.Network = c.Dir, true, true
	c.Sandbox, c.Bwrap = &spec, o.Bwrap
	return proc.Run(ctx, c)
}

// millis is d in seconds, to the millisecond.
func millis(d time.Duration) float64 { return float64(d.Milliseconds()) / 1000 }
