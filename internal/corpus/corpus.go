// Package corpus keeps copies of ledgers in the operator's home, so that what runs did
// and cost outlives the worktrees they ran in, and so that a directory of runs can be
// taken away. Every copy has a receipt with the head that it had: what is altered
// later shows against it.
package corpus

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"github.com/tolboy/warden/internal/durable"
)

// Unknown is the project of a run of which nobody can tell where it belongs.
const Unknown = "unknown"

const (
	fileLock     = "import.lock"
	fileReceipts = "receipts.jsonl"
	incoming     = "incoming" // of an import that is at work, or was cut off
)

// Bounds of what is looked at.
const (
	maxProjects = 10_000
	maxShelves  = 100 // runs of one project and one name
	maxReceipts = 64 << 20
)

// projectID is the form of a project's name here: one part of a path.
var projectID = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,119}$`)

// CheckProject refuses a word that can be no project of a corpus.
func CheckProject(id string) error {
	if !projectID.MatchString(id) || id == incoming {
		return fmt.Errorf("project %q: use small letters, digits, '.', '_' and '-', at most 120, as warden ledger --global prints them", id)
	}
	return nil
}

// Corpus is a directory of copies: <project>/<shelf>/<run>. A shelf is a directory of
// runs like any other, with the receipts of its runs beside them; there is a second
// one only where two runs of a project have the same name.
type Corpus struct{ dir string }

// At names a corpus, which need not be there yet.
func At(dir string) Corpus { return Corpus{dir} }

// Dir is where it lies.
func (c Corpus) Dir() string { return c.dir }

// lock keeps other processes from importing.
func (c Corpus) lock(ctx context.Context) (unlock func() error, err error) {
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the corpus: %w", err)
	}
	d, err := durable.OpenDir(c.dir)
	if err != nil {
		return nil, fmt.Errorf("open the corpus: %w", err)
	}
	free, err := d.Lock(ctx, fileLock)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the corpus: %w", err), d.Close())
	}
	return func() error { return errors.Join(free(), d.Close()) }, nil
}

// projects are the names of directories in the corpus, and what else lies there.
func (c Corpus) projects() (ids, strange []string, err error) {
	entries, err := list(c.dir)
	if err != nil {
		return nil, nil, err
	}
	if len(entries) > maxProjects {
		return nil, nil, fmt.Errorf("list the corpus %s: more than %d projects", c.dir, maxProjects)
	}
	for _, e := range entries {
		switch {
		case e.Name() == fileLock, e.Name() == incoming:
		case e.IsDir() && CheckProject(e.Name()) == nil:
			ids = append(ids, e.Name())
		default:
			strange = append(strange, e.Name())
		}
	}
	return ids, strange, nil
}

// shelves are the directories of runs of a project, and what else lies there.
func (c Corpus) shelves(project string) (dirs, strange []string, err error) {
	entries, err := list(filepath.Join(c.dir, project))
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		n, err := strconv.Atoi(e.Name())
		if !e.IsDir() || err != nil || n < 0 || n >= maxShelves || strconv.Itoa(n) != e.Name() {
			strange = append(strange, e.Name())
			continue
		}
		dirs = append(dirs, c.shelf(project, n))
	}
	slices.Sort(dirs)
	return dirs, strange, nil
}

func (c Corpus) shelf(project string, n int) string {
	return filepath.Join(c.dir, project, strconv.Itoa(n))
}

// list returns the entries of a directory that is no link; none where it is missing.
func list(dir string) ([]fs.DirEntry, error) {
	d, err := durable.OpenDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list the corpus: %w", err)
	}
	defer d.Close()
	return d.List(".")
}
