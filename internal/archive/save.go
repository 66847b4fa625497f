package archive

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tolboy/warden/internal/push"
)

// Save publishes a run's ledger as it stands on disk. The commits in reach, such
// as the candidate, become reachable from the ref, so that another machine can
// go on from there. The first Save of a run claims it.
func (a *Archive) Save(ctx context.Context, runID string, reach ...string) error {
	tip := a.tip(runID)
	commit, err := a.commit(ctx, runID, tip, reach)
	if err != nil {
		return fmt.Errorf("publish the ledger of %s: %w", runID, err)
	}
	switch err := a.Transport.Ref(ctx, a.Remote, a.GitDir, commit, Ref(runID), tip); {
	case errors.Is(err, push.ErrLease):
		return fmt.Errorf("publish the ledger of %s: %w", runID, ErrTaken)
	case err != nil:
		return fmt.Errorf("publish the ledger of %s: %w", runID, err)
	}
	return a.setTip(runID, commit)
}

// commit makes the ledger as it stands on disk a commit on top of tip.
func (a *Archive) commit(ctx context.Context, runID, tip string, reach []string) (string, error) {
	files, err := a.public(runID)
	if err != nil {
		return "", err
	}
	return a.Transport.LedgerCommit(ctx, a.GitDir, files, tip, "warden: ledger of "+runID, a.Now(), reach...)
}

// leaves reports whether a file of the evidence may leave, by what it is.
func (a *Archive) leaves(name string) bool {
	switch filepath.Ext(name) {
	case ".png":
		return a.Pictures
	case ".json", ".jsonl":
		return true
	}
	return a.Full
}

// public lists what may leave: records, pictures unless the project keeps them, never
// transcripts or prompts unless it asks for them. Links and special files are left out.
func (a *Archive) public(runID string) (map[string]string, error) {
	dirs, err := directories(a.RunsDir, runID)
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	for _, dir := range dirs {
		err := filepath.WalkDir(filepath.Join(a.RunsDir, dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			rel, err := filepath.Rel(a.RunsDir, path)
			if err != nil {
				return err
			}
			if a.leaves(rel) {
				files[filepath.ToSlash(rel)] = path
			}
			return nil
		})
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
	}
	return files, nil
}
