package bot

import (
	"context"
	"errors"
	"time"

	"github.com/tolboy/warden/internal/archive"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/reconcile"
)

// quiet is how long a worker may be silent beyond the stage it announced.
const quiet = 10 * time.Minute

// cross renews the lease at a boundary and asks whether a person said stop. The
// lease is published with the call that the next stage makes, or at once when the
// last word on the forge is growing old.
func (b *Bot) cross(ctx context.Context, issue int, run *ledger.Run, limit time.Duration) (outcome.Code, string) {
	lines := run.History().Lines
	until := b.Now().Add(limit + quiet).UTC().Format(time.RFC3339)
	if _, err := run.Append(ledger.TypeNote, b.Now(), ledger.Note{About: leaseNote, Text: until}); err != nil {
		if errors.Is(err, ledger.ErrAltered) {
			return outcome.LedgerAltered, err.Error()
		}
		return outcome.UnexpectedError, err.Error()
	}
	if n := len(lines); n > 0 && b.Now().Sub(lines[n-1].At) > quiet/2 {
		if err := b.save(ctx, run.ID()); err != nil {
			return lost(err)
		}
	}
	o, err := b.observe(ctx, issue, false)
	if err != nil {
		return "", "" // not being able to look is no reason to stop
	}
	if why := reconcile.ShouldStop(o, run.ID()); why != "" {
		return outcome.Stopped, string(why)
	}
	return "", ""
}

// lost says what a failed write of the ledger means for the run.
func lost(err error) (outcome.Code, string) {
	if errors.Is(err, archive.ErrTaken) {
		return outcome.Interrupted, "the run was taken over by another worker"
	}
	return outcome.UnexpectedError, err.Error()
}
