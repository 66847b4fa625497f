package ledger

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/tolboy/warden/internal/durable"
)

// maxPrefixes bounds how many earlier states a summary is compared with.
const maxPrefixes = 64

// readSummaries reads the summaries that can be computed again, by name. One that
// is no plain file has no content that could be right.
func readSummaries(dir *durable.Dir, id string, projections map[string]Projection) (map[string][]byte, error) {
	found := map[string][]byte{}
	for name := range projections {
		have, err := dir.Read(path.Join(id, name), MaxFile)
		switch {
		case err == nil:
			found[name] = have
		case unfit(err):
			found[name] = nil
		case !errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("verify run %q: %w", id, err)
		}
	}
	return found, nil
}

// project computes the summaries again. One that follows from an earlier part of
// the chain was not rewritten before a crash; one that follows from none is a
// fault.
func (c *chain) project(summaries map[string][]byte, projections map[string]Projection, v *Verification) {
	for _, name := range slices.Sorted(maps.Keys(summaries)) {
		current, found := follows(c.history(), projections[name], summaries[name])
		switch {
		case !found:
			c.fail(len(c.lines)+2, name, "does not follow from the chain")
		case !current:
			v.Stale = append(v.Stale, name)
		}
	}
}

// follows reports whether have is the summary of h, or of an earlier part.
func follows(h History, compute Projection, have []byte) (current, found bool) {
	all := h.Lines
	for cut := len(all); cut >= max(0, len(all)-maxPrefixes); cut-- {
		h.Lines = all[:cut]
		want, err := compute(h)
		if err == nil && bytes.Equal(want, have) {
			return cut == len(all), true
		}
	}
	return false, false
}

const (
	maxExtra   = 1000
	maxEntries = 20000
	maxDepth   = 6
)

// extra lists files in the directories of a run that no event names.
func extra(dir *durable.Dir, id string, lines []Line) ([]string, error) {
	named := map[string]bool{}
	for _, l := range lines {
		for _, f := range l.Files {
			named[f.Path] = true
		}
	}
	entries, err := dir.List(".")
	if err != nil {
		return nil, err
	}
	w := walk{dir: dir, run: id, named: named}
	for _, e := range entries {
		if e.Name() == id || strings.HasPrefix(e.Name(), id+"--") {
			if err := w.visit(e.Name(), e.IsDir(), 0); err != nil {
				return nil, err
			}
		}
	}
	return w.found, nil
}

type walk struct {
	dir     *durable.Dir
	run     string
	named   map[string]bool
	found   []string
	visited int
}

func (w *walk) visit(name string, isDir bool, depth int) error {
	w.visited++
	if !isDir || depth > maxDepth || w.visited > maxEntries {
		parts := strings.Split(name, "/")
		if !w.named[name] && !(len(parts) == 2 && parts[0] == w.run && reserved(parts[1])) && len(w.found) < maxExtra {
			w.found = append(w.found, name)
		}
		return nil
	}
	entries, err := w.dir.List(name)
	if err != nil {
		return fmt.Errorf("look for files that no event names: %w", err)
	}
	for _, e := range entries {
		if err := w.visit(path.Join(name, e.Name()), e.IsDir(), depth+1); err != nil {
			return err
		}
	}
	return nil
}
