package ledger

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/tolboy/warden/internal/durable"
)

// History is what a run's ledger says.
type History struct {
	Run    RunHead
	RunSHA string
	Lines  []Line // those that could be read
	// Damaged is the first thing in the chain that does not fit, or "". Sums over
	// a damaged history are not exact.
	Damaged string
	// Newer counts events of types that this version does not know.
	Newer int
	// Torn is the number of bytes of a last line that was cut off by a crash.
	Torn int64
}

// Head returns the hash of the last line, or of run.json.
func (h History) Head() string {
	if n := len(h.Lines); n > 0 {
		return h.Lines[n-1].SHA256
	}
	return h.RunSHA
}

// Sealed returns the line that ended the work of the run.
func (h History) Sealed() (Line, bool) {
	i := slices.IndexFunc(h.Lines, func(l Line) bool { return Seals(l.Type) })
	if i < 0 {
		return Line{}, false
	}
	return h.Lines[i], true
}

// Complete reports whether every event is here and understood.
func (h History) Complete() bool { return h.Damaged == "" && h.Newer == 0 }

// Read returns the history of a run without changing anything. Damage is part of
// the history, not an error. A run that is not there is ErrUnknownRun.
func Read(runsDir, id string) (History, error) {
	dir, err := openRuns(runsDir, id)
	if err != nil {
		return History{}, err
	}
	defer dir.Close()
	c, err := readChain(dir, id)
	if err != nil {
		return History{}, err
	}
	c.check("")
	return c.history(), nil
}

func (c *chain) history() History {
	h := History{Run: c.head, RunSHA: c.headSHA, Newer: len(c.newer), Torn: c.torn, Damaged: c.first()}
	for _, l := range c.lines {
		if l.Seq != 0 {
			h.Lines = append(h.Lines, l)
		}
	}
	return h
}

// Runs returns the ids of the runs in a directory, sorted. Directories of stages
// are not runs. A runs directory that is missing has none.
func Runs(runsDir string) ([]string, error) {
	dir, err := durable.OpenDir(runsDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	defer dir.Close()
	entries, err := dir.List(".")
	if err != nil {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	var ids []string
	for _, e := range entries {
		if e.IsDir() && !strings.Contains(e.Name(), "--") && CheckRunID(e.Name()) == nil {
			ids = append(ids, e.Name())
		}
	}
	return ids, nil
}
