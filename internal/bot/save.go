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
	e := b.entry(runID, reach)
	if err := b.Archive.Save(ctx, runID, e.Reach...); err != nil {
		return err
	}
	delete(b.unsaved, runID)
	return nil
}

// saveWith is save, and the branch with it where the forge takes both at once. It
// reports whether the branch has moved; if not, nothing was refused for good.
func (b *Bot) saveWith(ctx context.Context, branch archive.Branch, runID string, reach ...string) (moved bool, err error) {
	err = b.Archive.SaveTogether(ctx, []archive.Entry{b.entry(runID, reach)}, &branch)
	if errors.Is(err, archive.ErrApart) {
		return false, b.save(ctx, runID, reach...)
	}
	if err != nil {
		return false, err
	}
	delete(b.unsaved, runID)
	return true, nil
}

// entry is a ledger with whatever was left for later.
func (b *Bot) entry(runID string, reach []string) archive.Entry {
	reach = slices.Concat(b.unsaved[runID], reach)
	slices.Sort(reach)
	return archive.Entry{RunID: runID, Reach: slices.Compact(reach)}
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
	ids := slices.Sorted(maps.Keys(b.unsaved))
	if len(ids) > 1 {
		var all []archive.Entry
		for _, id := range ids {
			all = append(all, b.entry(id, nil))
		}
		err := b.Archive.SaveTogether(ctx, all, nil)
		if err == nil {
			clear(b.unsaved)
		}
		if !errors.Is(err, archive.ErrApart) {
			return err
		}
	}
	for _, id := range ids {
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
