package bot

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/tolboy/warden/internal/archive"
)

// later notes that a ledger has lines that the forge has not. They go with the
// next write of that ledger, and at the latest when the round ends: nothing of
// what they say has shown yet, so one write is enough for several lines.
func (b *Bot) later(runID string, reach ...string) {
	if b.unsaved == nil {
		b.unsaved = map[string][]string{}
	}
	b.unsaved[runID] = append(b.unsaved[runID], reach...)
}

// save publishes a ledger now, with whatever was left for later.
func (b *Bot) save(ctx context.Context, runID string, reach ...string) error {
	reach = slices.Concat(b.unsaved[runID], reach)
	slices.Sort(reach)
	reach = slices.Compact(reach)
	if err := b.Archive.Save(ctx, runID, reach...); err != nil {
		return err
	}
	delete(b.unsaved, runID)
	return nil
}

// flushLimit bounds the publication of ledgers at the end of a round. It goes on
// when ctx has ended.
const flushLimit = 2 * time.Minute

// flush publishes every ledger that was left for later. One that somebody else
// wrote meanwhile is theirs: it is read next time, and what we did is looked for
// again before anything is done twice.
func (b *Bot) flush(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushLimit)
	defer cancel()
	for _, id := range slices.Sorted(maps.Keys(b.unsaved)) {
		err := b.save(ctx, id)
		if errors.Is(err, archive.ErrTaken) {
			delete(b.unsaved, id)
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}
