package grace_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tolboy/warden/internal/grace"
)

func TestContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		parent, stop := context.WithCancel(t.Context())
		ctx, done := grace.Context(parent, time.Minute)
		defer done()
		begun := time.Now()
		stop()
		synctest.Wait()
		if ctx.Err() != nil {
			t.Fatal("it ended with its parent")
		}
		<-ctx.Done()
		if got := time.Since(begun); got != time.Minute || !errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
			t.Errorf("it ended after %s: %v", got, context.Cause(ctx))
		}
	})
	synctest.Test(t, func(t *testing.T) {
		parent, stop := context.WithCancel(t.Context())
		ctx, done := grace.Context(parent, time.Minute)
		stop()
		done()
		if !errors.Is(ctx.Err(), context.Canceled) {
			t.Error("it goes on after it was given up")
		}
	})
}
