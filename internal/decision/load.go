package decision

import (
	"bytes"
	"errors"
	"io/fs"
	"path"

	"github.com/tolboy/warden/internal/durable"
	"github.com/tolboy/warden/internal/ledger"
)

const maxFile = 4 << 20

// Load returns where the question about a run stands. The chain decides;
// decision.json must be what follows from it, or from an earlier part of it, or
// be missing: anything else is MalformedDecision.
func Load(runsDir, runID string) (State, error) {
	if err := ledger.CheckRunID(runID); err != nil {
		return State{}, fromLedger(runID, err)
	}
	// The file is read before the chain: it is written after it, so what it shows
	// is in the chain by then, whoever decides meanwhile.
	file := path.Join(runID, FileName)
	have, fileErr := readProjection(runsDir, file)
	h, err := ledger.Read(runsDir, runID)
	if err != nil {
		return State{}, fromLedger(runID, err)
	}
	if h.Damaged != "" {
		return State{}, refuse(runID, MalformedDecision, "the ledger was altered: %s", h.Damaged)
	}
	s, ok, err := FromHistory(h)
	if err != nil {
		return State{}, refuse(runID, MalformedDecision, "%v", err)
	}
	if fileErr != nil {
		return State{}, refuse(runID, MalformedDecision, "%s: %v", file, fileErr)
	}
	if !ok && have == nil {
		return State{}, refuse(runID, UnknownRun, "%v", errNoQuestion)
	}
	if have != nil && !follows(h, have) {
		return State{}, refuse(runID, MalformedDecision, "%s does not follow from the ledger", file)
	}
	return s, nil
}

func readProjection(runsDir, file string) ([]byte, error) {
	dir, err := durable.OpenDir(runsDir)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	have, err := dir.Read(file, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if have == nil && err == nil {
		have = []byte{}
	}
	return have, err
}

// follows reports whether have shows the question at some point of the chain: a
// crash may have come before the file was written again.
func follows(h ledger.History, have []byte) bool {
	for all := h.Lines; len(all) > 0; all = all[:len(all)-1] {
		h.Lines = all
		want, err := Projection(h)
		if err == nil && bytes.Equal(want, have) {
			return true
		}
		if errors.Is(err, errNoQuestion) {
			return false
		}
	}
	return false
}

// Entry is one run in a list. Problem, when set, says why its state is not known.
type Entry struct {
	RunID   string
	State   State
	Problem string
}

// List returns every run about which a question was put, with those that cannot
// be read as problems, sorted by run.
func List(runsDir string) ([]Entry, error) {
	ids, err := ledger.Runs(runsDir)
	if err != nil {
		return nil, err
	}
	var out []Entry
	for _, id := range ids {
		s, err := Load(runsDir, id)
		switch {
		case err == nil:
			out = append(out, Entry{RunID: id, State: s})
		case CodeOf(err) != UnknownRun:
			out = append(out, Entry{RunID: id, Problem: err.Error()})
		}
	}
	return out, nil
}

// AllPending returns the open questions. One run that cannot be read makes the
// whole list an error that names it: a list with a hole would read as complete.
func AllPending(runsDir string) ([]State, error) {
	entries, err := List(runsDir)
	if err != nil {
		return nil, err
	}
	var out []State
	for _, e := range entries {
		if e.Problem != "" {
			return nil, refuse(e.RunID, MalformedDecision, "%s", e.Problem)
		}
		if e.State.State == Pending {
			out = append(out, e.State)
		}
	}
	return out, nil
}
