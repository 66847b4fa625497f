// Package grace gives work that must be finished after a cancel, such as the
// sealing of a ledger, a bounded time for it.
package grace

import (
	"context"
	"fmt"
	"time"
)

// Period is what a look at the worktree and a last write have after a cancel. A
// hosted runner kills a cancelled job within ten seconds; a person may wait longer.
const Period = 30 * time.Second

// Context returns a context that outlives parent by d: it ends d after parent was
// cancelled, with a cause that says so, or when the returned function is called,
// which must happen.
func Context(parent context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(parent))
	stop := context.AfterFunc(parent, func() {
		late := time.AfterFunc(d, func() { cancel(fmt.Errorf("not finished %s after the cancel: %w", d, context.DeadlineExceeded)) })
		context.AfterFunc(ctx, func() { late.Stop() })
	})
	return ctx, func() {
		stop()
		cancel(context.Canceled)
	}
}
