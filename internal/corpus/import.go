package corpus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tolboy/warden/internal/durable"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/metrics"
)

// What came of an import.
const (
	Imported = "imported"         // it is here now
	Extended = "extended"         // the copy that was here goes on, or was mended
	Already  = "already_imported" // it was here, as far or farther
	Diverged = "ledger_diverged"  // what is here is another continuation of the same run
	NoRoom   = "corpus_full"      // too many runs have its name
)

// Source is one run of a directory of runs.
type Source struct {
	RunsDir string
	RunID   string
	Project string // Unknown, or which project it belongs to
}

// Result is what came of one run. Of the Receipt only the run's id and project are
// known where it was refused.
type Result struct {
	Receipt
	Code  string `json:"code"`
	First string `json:"first,omitempty"` // what does not fit
}

// MarshalJSON implements json.Marshaler. Of a run that was refused nothing stands there
// that is not known.
func (r Result) MarshalJSON() ([]byte, error) {
	if r.OK() {
		return json.Marshal(struct {
			Receipt
			Code string `json:"code"`
		}{r.Receipt, r.Code})
	}
	return json.Marshal(struct {
		RunID     string `json:"run_id"`
		ProjectID string `json:"project_id"`
		Code      string `json:"code"`
		First     string `json:"first,omitempty"`
	}{r.RunID, r.ProjectID, r.Code, r.First})
}

// OK reports whether the corpus has the run, as far as its source goes.
func (r Result) OK() bool {
	return r.Code == Imported || r.Code == Extended || r.Code == Already
}

// Import takes over runs that verify. Each is copied whole, verified as a copy, and
// put in its place; only then a receipt is written. A run is known again by its
// run.json, so that importing it twice, or from another path, adds nothing. Results
// are in the order of the sources; an error means that no more could be told.
func (c Corpus) Import(ctx context.Context, sources []Source, now time.Time) (results []Result, err error) {
	unlock, err := c.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	for _, s := range sources {
		if err := ctx.Err(); err != nil {
			return results, err
		}
		r, err := c.take(s, now)
		if err != nil {
			return results, err
		}
		results = append(results, r)
	}
	return results, nil
}

func (c Corpus) take(s Source, now time.Time) (Result, error) {
	out := Result{Receipt: Receipt{RunID: s.RunID, ProjectID: s.Project}}
	fail := func(err error) (Result, error) { return out, fmt.Errorf("import %s: %w", s.RunID, err) }
	unreadable := func(err error) (Result, error) {
		out.Code, out.First = metrics.CodeUnreadable, err.Error()
		return out, nil
	}
	v, err := ledger.Verify(s.RunsDir, s.RunID, "", ledger.VerifyOptions{Published: true})
	if err != nil {
		return unreadable(err)
	}
	if out.Code, out.First = v.Code, v.First; v.Code != ledger.CodeVerified && v.Code != ledger.CodeUnsealed {
		return out, nil
	}
	h, err := ledger.Read(s.RunsDir, s.RunID)
	if err != nil {
		return unreadable(err)
	}
	at, err := c.find(s, h.RunSHA)
	if err != nil {
		return fail(err)
	}
	shelf := at.free
	if at.there && (at.project != Unknown || s.Project == Unknown) {
		out.ProjectID, shelf = at.project, at.number // where it is, it stays
	}
	out.Receipt = Receipt{SchemaVersion: SchemaVersion, RunID: s.RunID, ProjectID: out.ProjectID, Project: called(h), RunSHA256: h.RunSHA, Head: h.Head(),
		Events: len(h.Lines), Files: v.Files, Withheld: len(v.Withheld), Sealed: v.Sealed != "", From: s.RunsDir, ImportedAt: now.UTC()}
	out.Code = at.relation(h)
	switch {
	case shelf >= maxShelves:
		out.Code, out.First = NoRoom, fmt.Sprintf("%d runs of the project have this name", maxShelves)
	case out.Code == Diverged:
		out.First = "the corpus has other events of the same run"
	case out.Code == Already && (at.project == out.ProjectID || len(at.old.Lines) > len(h.Lines)):
		out.Receipt = at.receipt
	default:
		err = c.copy(s, at, h, c.shelf(out.ProjectID, shelf), out.Receipt)
	}
	if err != nil {
		return fail(err)
	}
	return out, nil
}

// copy puts a whole copy in its place and writes the receipt.
func (c Corpus) copy(s Source, at place, h ledger.History, shelf string, receipt Receipt) error {
	temp := filepath.Join(c.dir, incoming)
	if err := os.RemoveAll(temp); err != nil { // of an import that was cut off
		return err
	}
	if err := ledger.Copy(s.RunsDir, s.RunID, h, temp); err != nil {
		return err
	}
	v, err := ledger.Verify(temp, s.RunID, "", ledger.VerifyOptions{Published: true})
	if err != nil {
		return err
	}
	if !v.OK && v.Code != ledger.CodeUnsealed || v.Head != receipt.Head {
		return fmt.Errorf("the copy is not what was copied: %s: %s", v.Code, v.First)
	}
	if err := os.MkdirAll(shelf, 0o700); err != nil {
		return err
	}
	if err := replace(temp, shelf, s.RunID); err != nil {
		return err
	}
	if err := receipt.append(shelf); err != nil {
		return err
	}
	if before := c.shelf(at.project, at.number); before != shelf && at.there {
		gone := at.receipt
		gone.SchemaVersion, gone.RunID, gone.MovedTo = SchemaVersion, s.RunID, receipt.ProjectID
		err = errors.Join(gone.append(before), drop(before, s.RunID))
	}
	return errors.Join(err, os.RemoveAll(temp))
}

// replace moves the directories of a run, its own last: a run that is there is whole.
func replace(from, shelf, id string) error {
	if err := drop(shelf, id); err != nil {
		return err
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() != id {
			if err := os.Rename(filepath.Join(from, e.Name()), filepath.Join(shelf, e.Name())); err != nil {
				return err
			}
		}
	}
	if err := os.Rename(filepath.Join(from, id), filepath.Join(shelf, id)); err != nil {
		return err
	}
	d, err := durable.OpenDir(shelf)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// drop takes the directories of a run away, its own first.
func drop(shelf, id string) error {
	if err := os.RemoveAll(filepath.Join(shelf, id)); err != nil {
		return err
	}
	entries, err := os.ReadDir(shelf)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), id+"--") {
			err = errors.Join(err, os.RemoveAll(filepath.Join(shelf, e.Name())))
		}
	}
	return err
}

// called is the name that the run's contract gives the project.
func called(h ledger.History) string {
	for _, l := range h.Lines {
		if l.Type == ledger.TypeRunReserved {
			if p, err := l.Payload(); err == nil {
				return p.(*ledger.RunReserved).Project
			}
		}
	}
	return ""
}
