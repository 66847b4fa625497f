package metrics

import (
	"errors"
	"io/fs"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/tolboy/warden/internal/ledger"
)

// Codes of a ledger that is in no sum, beside those of a verification.
const (
	CodeUnreadable = "ledger_unreadable" // its files could not be read
	CodeUnsafe     = "unsafe_run_id"     // the name can be no run
)

// Source is one directory of runs.
type Source struct {
	RunsDir string
	Project string // what its runs are listed under, or ""
	// Heads, unless nil, are the heads that runs are known to have. A run that has
	// another, that is not named, or that is missing is in no sum.
	Heads map[string]string
	// Doubts takes from this directory only what cannot be told: its runs are in no
	// sum, and one that does not verify could belong to whatever is added up.
	Doubts bool
	// Index, unless zero, is where what was read is remembered.
	Index Index
}

// reading is what came of reading one run.
type reading struct {
	id      string
	project string
	code    string
	first   string
	run     string // hash of run.json
	head    string // of the chain
	stamp   ledger.Stamp
	again   bool // it was in the index
	events  int
	newer   int
	dryRun  bool
	facts   *facts // nil: it is in no sum
}

// Read folds every run of a directory. A directory that is missing has none.
func Read(runsDir string) (Ledger, error) { return ReadAll([]Source{{RunsDir: runsDir}}, nil) }

// ReadAll folds every run of several directories, each run once, with what else is
// known not to verify. The runs are read by as many workers as there are processors,
// and added up in the order of the directories and of their names, so that a sum is
// the same each time.
func ReadAll(sources []Source, also []Unverified) (Ledger, error) {
	o := newFolder()
	o.out.Unverified = append(o.out.Unverified, also...)
	for _, from := range sources {
		all, err := from.read()
		if err != nil {
			return Ledger{}, err
		}
		for _, r := range all {
			if from.Doubts {
				o.doubt(r)
				continue
			}
			o.add(r)
		}
	}
	return o.result(), nil
}

func (from Source) read() ([]reading, error) {
	s, err := ledger.OpenScanner(from.RunsDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer s.Close()
	slots, err := s.Slots()
	if err != nil {
		return nil, err
	}
	before, began := from.Index.load(from.RunsDir), from.Index.Now
	all := make([]reading, len(slots))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(slots)) {
		workers.Go(func() {
			var room ledger.Scratch
			for i := next.Add(1) - 1; i < int64(len(slots)); i = next.Add(1) - 1 {
				all[i] = before.run(s, slots[i], &room)
			}
		})
	}
	workers.Wait()
	from.Index.save(from.RunsDir, before, all, began)
	for i := range all {
		from.judge(&all[i])
	}
	return append(all, from.missing(slots)...), nil
}

// run takes one run from the index, or reads it. Whatever is wrong with it is an
// entry of the result: one bad directory hides no other.
func (x remembered) run(s *ledger.Scanner, at ledger.Slot, room *ledger.Scratch) reading {
	id := at.ID
	stamp, stamped := s.Stamp(at) // before it is read: a change in between is seen the next time
	if r, ok := x[id]; ok && stamped && r.stamp == stamp {
		return r
	}
	r := reading{id: id, stamp: stamp}
	found, err := s.Scan(id, counted, room)
	switch {
	case errors.Is(err, ledger.ErrUnsafeRunID):
		r.code, r.first = CodeUnsafe, err.Error()
		return r
	case err != nil:
		r.code, r.first = CodeUnreadable, err.Error()
		return r
	}
	r.code, r.first, r.events, r.newer, r.dryRun, r.run, r.head = found.Code, found.First, found.Events, found.Newer, found.DryRun, found.Run, found.Head
	if found.Code != ledger.CodeVerified {
		return r
	}
	if r.facts, err = read(found.Lines); err != nil {
		r.facts, r.code, r.first = nil, ledger.CodeAltered, err.Error()
	}
	return r
}

// judge holds a run against what is known of it here.
func (from Source) judge(r *reading) {
	r.project = from.Project
	if head, known := from.Heads[r.id]; r.facts != nil && from.Heads != nil && (!known || head != r.head) {
		r.facts, r.code, r.first = nil, ledger.CodeAltered, "the head is not the one of its receipt"
	}
}

// missing are the runs that are known and not there.
func (from Source) missing(slots []ledger.Slot) []reading {
	var out []reading
	for _, id := range slices.Sorted(maps.Keys(from.Heads)) {
		if _, there := slices.BinarySearchFunc(slots, id, func(p ledger.Slot, id string) int { return strings.Compare(p.ID, id) }); !there {
			out = append(out, reading{id: id, project: from.Project, code: ledger.CodeAltered, first: "there is a receipt and no run"})
		}
	}
	return out
}
