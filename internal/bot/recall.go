package bot

import (
	"context"

	"github.com/tolboy/warden/internal/reconcile"
)

// recall takes the runs of a result from the ledgers here, without the forge. The
// last observation was made before what was done since then, and after an error
// nobody makes another: a run that was paid for must show all the same. What
// cannot be read stays as it was observed; the error says why already.
func (b *Bot) recall(ctx context.Context, res *Result) {
	var o reconcile.Observed
	if err := b.ledgers(context.WithoutCancel(ctx), res.Issue, false, &o); err != nil {
		return
	}
	res.Observed.Runs = o.Runs
	res.Observed.Issue.Number = res.Issue
}
