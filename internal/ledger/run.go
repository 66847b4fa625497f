package ledger

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/tolboy/warden/internal/durable"
	"github.com/tolboy/warden/internal/redact"
)

// Run is a run whose evidence this process writes. It keeps the head of the
// chain in memory and is safe for concurrent use within the process. Another
// process that appends in between is taken for an alteration.
type Run struct {
	dir *durable.Dir
	id  string
	red *redact.Set

	mu      sync.Mutex
	head    RunHead
	headSHA string
	lines   []Line
	size    int64 // of evidence.jsonl, in bytes
	lastLen int64 // of the last line, without the line break
	sealed  int   // index of the sealing line, or -1
	named   map[string]File
	pending map[string]File // written by this process, not named yet
}

// Create reserves a run: it writes run.json exclusively, and an empty chain. A
// run id that is taken, or a directory that holds anything but a narration log,
// is ErrExists, and nothing in it is touched. Of several that try at once exactly
// one succeeds.
func Create(runsDir string, head RunHead, red *redact.Set) (*Run, error) {
	if err := CheckRunID(head.RunID); err != nil {
		return nil, err
	}
	head.SchemaVersion = SchemaVersion
	head.ReservedAt, head.Owner.Started = head.ReservedAt.UTC(), head.Owner.Started.UTC()
	raw, err := encodeHead(head, red)
	if err != nil {
		return nil, fmt.Errorf("reserve run %q: %w", head.RunID, err)
	}
	dir, err := durable.MakeDir(runsDir)
	if err != nil {
		return nil, fmt.Errorf("reserve run %q: %w", head.RunID, err)
	}
	if err := reserve(dir, head.RunID, raw); err != nil {
		dir.Close()
		return nil, fmt.Errorf("reserve run %q: %w", head.RunID, err)
	}
	r := &Run{dir: dir, id: head.RunID, red: red}
	if err := r.load(); err != nil {
		dir.Close()
		return nil, err
	}
	return r, nil
}

func encodeHead(head RunHead, red *redact.Set) ([]byte, error) {
	raw, err := json.MarshalIndent(head, "", "\t")
	if err != nil {
		return nil, err
	}
	raw, _ = red.Bytes(append(raw, '\n'))
	if _, err := parseHead(raw); err != nil {
		return nil, fmt.Errorf("redaction broke it: %w", err)
	}
	return raw, nil
}

// reserve makes evidence.jsonl before run.json, so that a run that exists has a
// chain, and a chain that is missing was taken away.
func reserve(dir *durable.Dir, id string, raw []byte) error {
	if err := vacant(dir, id); err != nil {
		return err
	}
	if err := dir.Mkdir(id); err != nil {
		return err
	}
	if err := dir.Create(path.Join(id, fileEvidence), nil); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	err := dir.Create(path.Join(id, fileHead), raw)
	if errors.Is(err, fs.ErrExist) {
		return ErrExists
	}
	return err
}

// vacant checks that nothing stands where the run would write.
func vacant(dir *durable.Dir, id string) error {
	all, err := dir.List(".")
	if err != nil {
		return err
	}
	for _, e := range all {
		if strings.HasPrefix(e.Name(), id+"--") {
			return fmt.Errorf("%q %w", e.Name(), ErrExists)
		}
	}
	entries, err := dir.List(id)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), durable.TempPrefix) ||
			slices.Contains([]string{"narration.log", "follow.sh", "follow.ps1"}, e.Name()) {
			continue
		}
		if info, err := e.Info(); err == nil && e.Name() == fileEvidence && info.Size() == 0 {
			continue // left by a reservation that was cut off
		}
		return fmt.Errorf("%q in its directory %w", e.Name(), ErrExists)
	}
	return nil
}

// Open continues a run that exists. It checks the whole chain (ErrAltered). The
// start of a line that a crash left is cut off, and an event says so.
func Open(runsDir, id string, red *redact.Set) (*Run, error) {
	dir, err := openRuns(runsDir, id)
	if err != nil {
		return nil, err
	}
	r := &Run{dir: dir, id: id, red: red}
	if err := r.recover(); err != nil {
		dir.Close()
		return nil, err
	}
	return r, nil
}

func openRuns(runsDir, id string) (*durable.Dir, error) {
	if err := CheckRunID(id); err != nil {
		return nil, err
	}
	dir, err := durable.OpenDir(runsDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("open run %q: %w", id, ErrUnknownRun)
	}
	if err != nil {
		return nil, fmt.Errorf("open run %q: %w", id, err)
	}
	return dir, nil
}

// load reads the chain into memory.
func (r *Run) load() error {
	c, err := readChain(r.dir, r.id)
	if err != nil {
		return err
	}
	c.check("")
	if f := c.first(); f != "" {
		return fmt.Errorf("open run %q: %w: %s", r.id, ErrAltered, f)
	}
	r.head, r.headSHA, r.lines = c.head, c.headSHA, c.lines
	r.size, r.sealed = c.whole, c.sealed()
	r.lastLen = 0
	if n := len(c.raws); n > 0 {
		r.lastLen = int64(len(c.raws[n-1]))
	}
	r.pending, r.named = map[string]File{}, map[string]File{}
	for _, l := range r.lines {
		for _, f := range l.Files {
			r.named[f.Path] = f
		}
	}
	return nil
}

// Close lets go of the directory. Evidence is on the disk before it.
func (r *Run) Close() error { return r.dir.Close() }

// ID returns the run id.
func (r *Run) ID() string { return r.id }

// Head returns the hash of the last line, or of run.json before the first.
func (r *Run) Head() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.tip()
}

func (r *Run) tip() string {
	if n := len(r.lines); n > 0 {
		return r.lines[n-1].SHA256
	}
	return r.headSHA
}

// Seq returns the number of lines.
func (r *Run) Seq() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.lines)
}

// Sealed returns the hash of the line that ended the work, or "" before that.
func (r *Run) Sealed() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sealed < 0 {
		return ""
	}
	return r.lines[r.sealed].SHA256
}

// History returns what the run holds so far.
func (r *Run) History() History {
	r.mu.Lock()
	defer r.mu.Unlock()
	return History{Run: r.head, RunSHA: r.headSHA, Lines: slices.Clone(r.lines)}
}

// Redact takes the secrets of the run's set out of data.
func (r *Run) Redact(data []byte) ([]byte, int) { return r.red.Bytes(data) }
