package metrics

import (
	"errors"
	"io/fs"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/tolboy/warden/internal/ledger"
)

// Codes of a ledger that is in no sum, beside those of a verification.
const (
	CodeUnreadable = "ledger_unreadable" // its files could not be read
	CodeUnsafe     = "unsafe_run_id"     // the name can be no run
)

// reading is what came of reading one run.
type reading struct {
	id     string
	code   string
	first  string
	events int
	newer  int
	dryRun bool
	facts  *facts // nil: it is in no sum
}

// Read folds every run of a directory. A directory that is missing has none. The
// runs are read by as many workers as there are processors, and added up in the
// order of their names, so that a sum is the same each time.
func Read(runsDir string) (Ledger, error) {
	s, err := ledger.OpenScanner(runsDir)
	if errors.Is(err, fs.ErrNotExist) {
		return newFolder().result(), nil
	}
	if err != nil {
		return Ledger{}, err
	}
	defer s.Close()
	names, err := s.Names()
	if err != nil {
		return Ledger{}, err
	}
	all := make([]reading, len(names))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(names)) {
		workers.Go(func() {
			var room ledger.Scratch
			for i := next.Add(1) - 1; i < int64(len(names)); i = next.Add(1) - 1 {
				all[i] = readRun(s, names[i], &room)
			}
		})
	}
	workers.Wait()
	o := newFolder()
	for _, r := range all {
		o.add(r)
	}
	return o.result(), nil
}

// readRun reads one run. Whatever is wrong with it is an entry of the result: one
// bad directory hides no other.
func readRun(s *ledger.Scanner, id string, room *ledger.Scratch) reading {
	found, err := s.Scan(id, counted, room)
	switch {
	case errors.Is(err, ledger.ErrUnsafeRunID):
		return reading{id: id, code: CodeUnsafe, first: err.Error()}
	case err != nil:
		return reading{id: id, code: CodeUnreadable, first: err.Error()}
	}
	r := reading{id: id, code: found.Code, first: found.First, events: found.Events, newer: found.Newer, dryRun: found.DryRun}
	if found.Code != ledger.CodeVerified {
		return r
	}
	if r.facts, err = read(found.Lines); err != nil {
		r.facts, r.code, r.first = nil, ledger.CodeAltered, err.Error()
	}
	return r
}
