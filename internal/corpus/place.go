package corpus

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tolboy/warden/internal/ledger"
)

// place is where a run lies in the corpus, or where it would go.
type place struct {
	project string
	number  int // of the shelf
	free    int // first shelf of the source's project that has no run of this name
	there   bool
	old     ledger.History
	receipt Receipt
}

// find looks for a run by its run.json, in every project: under which name a project
// is known may have changed, and the run is the same.
func (c Corpus) find(s Source, runSHA string) (place, error) {
	ids, _, err := c.projects()
	if err != nil {
		return place{}, err
	}
	at, taken := place{project: s.Project}, map[int]bool{}
	for _, id := range ids {
		for n := range maxShelves {
			shelf := c.shelf(id, n)
			if _, err := os.Lstat(filepath.Join(shelf, s.RunID)); err != nil {
				if !errors.Is(err, fs.ErrNotExist) {
					return place{}, err
				}
				if _, err := os.Lstat(shelf); err != nil {
					break // there is no further one
				}
				continue
			}
			old, err := ledger.Read(shelf, s.RunID)
			if err != nil && !errors.Is(err, ledger.ErrUnknownRun) {
				return place{}, err
			}
			if err == nil && old.RunSHA == runSHA {
				r, err := readReceipts(shelf)
				if err != nil {
					return place{}, err
				}
				at = place{project: id, number: n, there: true, old: old, receipt: r.of[s.RunID]}
			}
			taken[n] = taken[n] || id == s.Project
		}
	}
	for taken[at.free] {
		at.free++
	}
	return at, nil
}

// relation says how what is here stands to what would come. A copy that is not what
// its receipt says is mended by a source that holds what the receipt says.
func (at place) relation(h ledger.History) string {
	if !at.there {
		return Imported
	}
	if at.old.Damaged != "" || at.old.Head() != at.receipt.Head {
		n := at.receipt.Events
		if n == 0 && len(h.Lines) >= len(at.old.Lines) || n > 0 && n <= len(h.Lines) && h.Lines[n-1].SHA256 == at.receipt.Head {
			return Extended
		}
		return Diverged
	}
	for i := range min(len(at.old.Lines), len(h.Lines)) {
		if at.old.Lines[i].SHA256 != h.Lines[i].SHA256 {
			return Diverged
		}
	}
	if len(at.old.Lines) >= len(h.Lines) {
		return Already
	}
	return Extended
}

// Holds returns the directory of runs in which a run with a receipt lies.
func (c Corpus) Holds(r Receipt) (shelf string, err error) {
	at, err := c.find(Source{RunID: r.RunID, Project: r.ProjectID}, r.RunSHA256)
	if err == nil && !at.there {
		err = fmt.Errorf("the corpus %s does not have run %s", c.dir, r.RunID)
	}
	return c.shelf(at.project, at.number), err
}
