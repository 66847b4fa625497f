package corpus

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"time"

	"github.com/tolboy/warden/internal/durable"
)

// SchemaVersion is the version of a receipt.
const SchemaVersion = 1

// Receipt says what was taken over: one line of a shelf's receipts. The last line of a
// run is the one that holds.
type Receipt struct {
	SchemaVersion int       `json:"schema_version"`
	RunID         string    `json:"run_id"`
	ProjectID     string    `json:"project_id"`
	Project       string    `json:"project,omitempty"` // as the run's contract called it
	RunSHA256     string    `json:"run_sha256"`        // of run.json: the same run wherever it lies
	Head          string    `json:"head"`
	Events        int       `json:"events"`
	Files         int       `json:"files"`              // of evidence, beside the chain
	Withheld      int       `json:"withheld,omitempty"` // of these that the source did not have
	Sealed        bool      `json:"sealed"`
	From          string    `json:"from"`
	ImportedAt    time.Time `json:"imported_at"`
	MovedTo       string    `json:"moved_to,omitempty"` // the project, once it was known; no copy is left here
}

// receipts are those of one shelf.
type receipts struct {
	of      map[string]Receipt // by run
	problem string             // the first line that cannot be read
	newer   int                // lines of a version that this one does not know
}

func readReceipts(shelf string) (receipts, error) {
	r := receipts{of: map[string]Receipt{}}
	d, err := durable.OpenDir(shelf)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return r, fmt.Errorf("read receipts: %w", err)
	}
	defer d.Close()
	data, err := d.Read(fileReceipts, maxReceipts)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return r, fmt.Errorf("read receipts: %w", err)
	}
	r.parse(data)
	return r, nil
}

// parse reads the lines. A line that a crash cut off is no receipt: its run has none
// then, and is imported again.
func (r *receipts) parse(data []byte) {
	whole := data[:bytes.LastIndexByte(data, '\n')+1]
	n := 0
	for line := range bytes.Lines(whole) {
		n++
		var one Receipt
		err := json.Unmarshal(line, &one)
		switch {
		case err == nil && one.SchemaVersion > SchemaVersion:
			r.newer++
		case err == nil && one.RunID != "" && one.MovedTo != "":
			delete(r.of, one.RunID)
		case err != nil || one.RunID == "" || one.RunSHA256 == "" || one.Head == "":
			if r.problem == "" {
				r.problem = fmt.Sprintf("%s: line %d is no receipt", fileReceipts, n)
			}
		default:
			r.of[one.RunID] = one
		}
	}
}

// heads are what the runs of the shelf are compared with.
func (r receipts) heads() map[string]string {
	out := map[string]string{}
	for id, one := range r.of {
		out[id] = one.Head
	}
	return out
}

// append adds a receipt to its shelf. What a crash left of a line is closed first.
func (one Receipt) append(shelf string) error {
	raw, err := json.Marshal(one)
	if err != nil {
		return fmt.Errorf("write the receipt: %w", err)
	}
	d, err := durable.MakeDir(shelf)
	if err != nil {
		return fmt.Errorf("write the receipt: %w", err)
	}
	defer d.Close()
	err = d.Create(fileReceipts, nil)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("write the receipt: %w", err)
	}
	if err := d.CutTail(fileReceipts, wholeLines); err != nil {
		return fmt.Errorf("write the receipt: %w", err)
	}
	if err := d.Append(fileReceipts, append(raw, '\n'), nil); err != nil {
		return fmt.Errorf("write the receipt in %s: %w", path.Join(filepath.ToSlash(shelf), fileReceipts), err)
	}
	return nil
}
