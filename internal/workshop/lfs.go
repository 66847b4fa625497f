package workshop

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tolboy/warden/internal/engine"
	"github.com/tolboy/warden/internal/git"
)

// tellPointers says which files of a tree that was just cut are pointers of Git LFS: a
// mirror has no content of theirs, and a check that reads one fails for that alone.
func (w *Workshop) tellPointers(ctx context.Context, dir, commit string, tell func(engine.Notice)) error {
	if !git.UsesLFS(dir) {
		return nil
	}
	pointers, err := w.Machine.Git.Pointers(ctx, dir, commit)
	if err != nil {
		return fmt.Errorf("find files of Git LFS: %w", err)
	}
	if len(pointers) == 0 {
		return nil
	}
	const most = 5
	paths := slices.Sorted(maps.Keys(pointers))
	shown := strings.Join(paths[:min(most, len(paths))], ", ")
	if more := len(paths) - most; more > 0 {
		shown += fmt.Sprintf(" and %d more", more)
	}
	tell(engine.Notice{Kind: engine.NoticeNote, Text: fmt.Sprintf("%d file(s) of Git LFS are pointers here, since a job does not fetch their content: %s", len(paths), shown)})
	return nil
}
