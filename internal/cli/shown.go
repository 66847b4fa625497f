package cli

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/tolboy/warden/internal/ledger"
)

// fingerprint computes what the tree is now, against the base of the run, so that
// an accept is about what was shown; and which paths seem to have changed since.
func (a *app) fingerprint(ctx context.Context, l *local, id string) (string, []string, error) {
	h, err := ledger.Read(l.runsDir, id)
	if err != nil {
		return "", nil, err
	}
	m, err := a.machine(ctx, l.root)
	if err != nil {
		return "", nil, err
	}
	look := a.freshID("look")
	judge, err := l.judge(ctx, m, look, h.Run.BaseCommit)
	if err != nil {
		return "", nil, err
	}
	defer func() { _ = m.Discard(look) }()
	snap, err := judge.Snapshot(ctx)
	if err != nil {
		return "", nil, err
	}
	return snap.Source, changedSince(h, l.root, snap.SourcePaths()), nil
}

// changedSince are the paths that the last gates saw and that are as at the base
// now, those that they did not see, and those that were written after the run was
// sealed. It only helps a person to find them: the fingerprint decides.
func changedSince(h ledger.History, root string, now []string) []string {
	sealed, ended := h.Sealed()
	var was ledger.GateRun
	seen := false
	for _, line := range h.Lines {
		if line.Type == ledger.TypeMachineGate && line.Decode(&was) == nil {
			seen = true
		}
	}
	var out []string
	for _, path := range now {
		info, err := os.Lstat(filepath.Join(root, filepath.FromSlash(path)))
		written := ended && err == nil && info.ModTime().After(sealed.At)
		if written || seen && !slices.Contains(was.ChangedPaths, path) {
			out = append(out, path)
		}
	}
	for _, path := range was.ChangedPaths {
		if !slices.Contains(now, path) {
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return out
}
