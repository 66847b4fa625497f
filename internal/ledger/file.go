package ledger

import (
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/tolboy/warden/internal/durable"
)

// WriteFile writes a file of evidence once, without the secrets in it, and
// returns what an event names it by. rel is relative to the runs directory and
// lies in the run's directory or in one of its stage directories (StageDir). A
// file that an event names, or that this process wrote, is ErrExists. One that a
// process left behind before it could be named is replaced.
func (r *Run) WriteFile(rel string, data []byte) (File, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f, err := r.writeFile(rel, data)
	if err != nil {
		return File{}, fmt.Errorf("write evidence: %w", err)
	}
	r.pending[rel] = f
	return f, nil
}

func (r *Run) writeFile(rel string, data []byte) (File, error) {
	if err := checkPath(r.id, rel); err != nil {
		return File{}, err
	}
	_, isNamed := r.named[rel]
	_, isPending := r.pending[rel]
	if isNamed || isPending {
		return File{}, fmt.Errorf("file %q: %w", rel, ErrExists)
	}
	data, taken := r.red.Bytes(data)
	if len(data) > MaxFile {
		return File{}, fmt.Errorf("file %q of %d bytes: %w", rel, len(data), ErrTooLarge)
	}
	if err := r.dir.Mkdir(path.Dir(rel)); err != nil {
		return File{}, err
	}
	err := r.dir.Create(rel, data)
	if errors.Is(err, fs.ErrExist) {
		err = r.dir.Replace(rel, data)
	}
	if err != nil {
		return File{}, err
	}
	return File{Path: rel, SHA256: digest(data), Bytes: int64(len(data)), Redacted: taken}, nil
}

// ReadFile returns a file that an event names, checked against its hash. A file
// that differs is ErrAltered.
func (r *Run) ReadFile(f File) ([]byte, error) {
	if err := checkPath(r.id, f.Path); err != nil {
		return nil, err
	}
	return read(r.dir, f)
}

// WriteProjection writes task-run.json, report.json or decision.json, which are
// computed from the chain and may be written again.
func (r *Run) WriteProjection(name string, data []byte) error {
	if !isProjection(name) {
		return fmt.Errorf("write projection %q of run %q: %w", clip(name), r.id, ErrUnsafePath)
	}
	if r.red.Find(data) {
		return fmt.Errorf("write projection %q of run %q: a secret is in it", name, r.id)
	}
	return r.dir.Replace(path.Join(r.id, name), data)
}

func read(dir *durable.Dir, f File) ([]byte, error) {
	data, err := dir.Read(f.Path, MaxFile)
	if err != nil {
		return nil, err
	}
	if int64(len(data)) != f.Bytes || digest(data) != f.SHA256 {
		return nil, fmt.Errorf("file %q: %w: its content is not what the event names", f.Path, ErrAltered)
	}
	return data, nil
}

func matches(dir *durable.Dir, f File) error {
	_, err := read(dir, f)
	return err
}
