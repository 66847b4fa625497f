package bot

import (
	"context"
	"maps"
	"slices"
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
	reach = append(b.unsaved[runID], reach...)
	if err := b.Archive.Save(ctx, runID, reach...); err != nil {
		return err
	}
	delete(b.unsaved, runID)
	return nil
}

// flush publishes every ledger that was left for later.
func (b *Bot) flush(ctx context.Context) error {
	for _, id := range slices.Sorted(maps.Keys(b.unsaved)) {
		if err := b.save(context.WithoutCancel(ctx), id); err != nil {
			return err
		}
	}
	return nil
}
