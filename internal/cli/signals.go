package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// watch returns a context that a signal to end cancels, so that children end and
// the ledger is closed. After an interrupt or TERM, a second one ends the process
// at once. A terminal that goes away (HUP) is often told twice and by nobody who
// waits, so that further ones are without effect; under nohup it has none at all.
//
// A reader that goes away (PIPE) ends nothing: narration is lost without harm, and
// a result that cannot be written is an error of its own. The signal is caught and
// not ignored, since children would inherit that it is ignored.
func watch() (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	ctx, cancel := context.WithCancel(ctx)
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	gone := make(chan os.Signal, 1)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(gone, syscall.SIGHUP)
	}
	go func() {
		select {
		case <-gone:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		cancel()
		stop()
	}
}
