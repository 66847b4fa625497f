package ledger

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tolboy/warden/internal/durable"
)

// Scanner reads the ledgers of many runs for what can be counted in them.
// Decoding every line would cost most of the time, so it follows the chain by
// hashes and leaves what nobody asked for as it is. It is safe for concurrent use.
type Scanner struct {
	dir   *durable.Shelf
	path  string
	known map[string]kind // by type of event
}

// kind is what the place of an event depends on.
type kind struct {
	typ   string
	after bool // may follow the seal
	seals bool
}

// Scan is what was found of one run.
type Scan struct {
	Code     string  // CodeVerified, CodeTorn or CodeAltered
	First    string  // the first thing that does not fit, or ""
	Reserved bool    // run.json is there
	DryRun   bool    // as run.json says
	Run      string  // hash of run.json, or ""
	Head     string  // hash of the last whole line, or of run.json before the first
	Events   int     // lines of the chain
	Newer    int     // of types that this version does not know
	Lines    []Event // of the types that were asked for
}

// Event is one line as it stands in the file.
type Event struct {
	Type string
	raw  []byte
}

// Raw is the whole line, for a reader who needs little of it. It is not changed.
func (e Event) Raw() []byte { return e.raw }

// Decode reads the data of the line, which need not be all of it.
func (e Event) Decode(into any) error {
	return json.Unmarshal(e.raw, &struct {
		Data any `json:"data"`
	}{into})
}

// Scratch is room that one scan after the other takes. It belongs to one goroutine.
type Scratch struct {
	head, evidence []byte
	lines          []Event
}

// OpenScanner opens a runs directory. One that is missing is fs.ErrNotExist.
func OpenScanner(runsDir string) (*Scanner, error) {
	dir, err := durable.OpenShelf(runsDir)
	if err != nil {
		return nil, fmt.Errorf("scan runs: %w", err)
	}
	s := &Scanner{dir: dir, path: runsDir, known: map[string]kind{}}
	for _, typ := range Types() {
		s.known[typ] = kind{typ, followsSeal(typ), Seals(typ)}
	}
	return s, nil
}

// Close lets go of the directory.
func (s *Scanner) Close() error { return s.dir.Close() }

// Slot is a name under which there is a directory.
type Slot struct {
	ID    string
	Plain bool // the directory of the run itself is there, and is no link
}

// Slots returns every name under which there is a directory, sorted. What stands
// before the double hyphen of a stage directory is the name of its run, whether or
// not the run itself is there. A link counts as what it pretends to be.
func (s *Scanner) Slots() ([]Slot, error) {
	entries, err := s.dir.Entries()
	if err != nil {
		return nil, fmt.Errorf("scan runs: %w", err)
	}
	slots := make([]Slot, 0, len(entries))
	for _, e := range entries {
		if e.Type().IsRegular() {
			continue
		}
		at := Slot{ID: e.Name(), Plain: e.IsDir()}
		if cut := strings.Index(at.ID, "--"); cut > 0 {
			at = Slot{ID: at.ID[:cut]}
		}
		slots = append(slots, at)
	}
	slices.SortFunc(slots, func(a, b Slot) int { // the directory of the run itself first
		switch {
		case a.ID != b.ID:
			return strings.Compare(a.ID, b.ID)
		case a.Plain == b.Plain:
			return 0
		case a.Plain:
			return -1
		}
		return 1
	})
	return slices.CompactFunc(slots, func(a, b Slot) bool { return a.ID == b.ID }), nil
}

// Stamp says of which moment the files are that Scan reads of a run. It is false where
// one of them is not there, or the run has no plain directory.
func (s *Scanner) Stamp(at Slot) (Stamp, bool) {
	if !at.Plain || filepath.Base(at.ID) != at.ID {
		return Stamp{}, false
	}
	dir := filepath.Join(s.path, at.ID) + string(filepath.Separator)
	head, ok := durable.StampOf(dir + fileHead)
	if !ok {
		return Stamp{}, false
	}
	evidence, ok := durable.StampOf(dir + fileEvidence)
	return Stamp{head, evidence}, ok
}

// Stamp is of run.json and of the chain.
type Stamp struct{ Head, Evidence durable.Stamp }

// Scan reads one run. Damage is part of what was found; an error means that the
// files could not be read, or (ErrUnsafeRunID) that the name can be no run. The lines
// that it returns are those of the file until the room is used again.
func (s *Scanner) Scan(id string, want func(typ string) bool, room *Scratch) (Scan, error) {
	if err := CheckRunID(id); err != nil {
		return Scan{}, err
	}
	dir, err := s.dir.Box(id)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Scan{Code: CodeVerified}, nil // of the run there are only stages
	case err != nil:
		return unfitting(err)
	}
	defer dir.Close()
	head, noHead, err := readAny(dir, fileHead, maxHead, &room.head)
	if err != nil {
		return unfitting(err)
	}
	evidence, noEvidence, err := readAny(dir, fileEvidence, MaxEvidence, &room.evidence)
	switch {
	case err != nil:
		return unfitting(err)
	case noHead && len(evidence) == 0:
		return Scan{Code: CodeVerified}, nil // nothing was ever written
	case noHead:
		return Scan{Code: CodeAltered, First: fileHead + ": is missing"}, nil
	case noEvidence:
		return Scan{Code: CodeAltered, First: fileEvidence + ": is missing", Reserved: true}, nil
	}
	if found, fits := s.follow(id, head, evidence, want, room); fits {
		return found, nil
	}
	return judged(id, head, evidence, want), nil
}

func readAny(dir *durable.Box, name string, limit int64, room *[]byte) (data []byte, missing bool, err error) {
	data, err = dir.Read(name, limit, *room)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, true, nil
	}
	if cap(data) <= maxRoom {
		*room = data
	}
	return data, false, err
}

// maxRoom is the largest file whose room is kept for the next.
const maxRoom = 1 << 20

// unfitting tells a ledger that is wrong from one that could not be read.
func unfitting(err error) (Scan, error) {
	if unfit(err) {
		return Scan{Code: CodeAltered, First: err.Error()}, nil
	}
	return Scan{}, err
}

// judged reads the chain as Read does, line by line, and says what does not fit.
func judged(id string, head, evidence []byte, want func(string) bool) Scan {
	c := parseChain(id, head, evidence)
	c.check("")
	out := Scan{Code: CodeVerified, First: c.first(), Reserved: true, DryRun: c.head.DryRun, Events: len(c.raws), Newer: len(c.newer), Run: c.headSHA, Head: c.headSHA}
	if n := len(c.lines); n > 0 {
		out.Head = c.lines[n-1].SHA256
	}
	switch {
	case out.First != "":
		out.Code = CodeAltered
	case c.torn > 0:
		out.Code, out.First = CodeTorn, tornAt(len(c.raws), c.torn)
	}
	for i, l := range c.lines {
		if want(l.Type) {
			out.Lines = append(out.Lines, Event{l.Type, c.raws[i]})
		}
	}
	return out
}

func tornAt(lines int, bytes int64) string {
	return fmt.Sprintf("%s: was cut off after %d bytes", lineName(lines+1), bytes)
}
