package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"time"
)

// Append adds one event and returns its line, on the disk. data is the payload
// struct of the type (see Types); what is secret in it is taken out first. Every
// file must have been written by WriteFile, or be there with that content. A
// chain that does not continue the head in memory is ErrAltered, an event of work
// after the seal is ErrSealed. After an error the chain is what it was.
func (r *Run) Append(typ string, at time.Time, data any, files ...File) (Line, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	line, err := r.append(typ, at, data, files)
	if err != nil {
		return Line{}, fmt.Errorf("append %q to run %q: %w", typ, r.id, err)
	}
	return line, nil
}

func (r *Run) append(typ string, at time.Time, data any, files []File) (Line, error) {
	if r.sealed >= 0 && !followsSeal(typ) {
		return Line{}, ErrSealed
	}
	raw, taken, err := r.encodeData(typ, data)
	if err != nil {
		return Line{}, err
	}
	if err := r.checkFiles(files); err != nil {
		return Line{}, err
	}
	line := Line{Seq: len(r.lines) + 1, Prev: r.tip(), At: at.UTC().Round(0), Type: typ, Data: raw, Files: files, Redacted: taken}
	text, err := line.encode()
	if err != nil {
		return Line{}, err
	}
	if len(text) > MaxLine {
		return Line{}, fmt.Errorf("line of %d bytes: %w", len(text), ErrTooLarge)
	}
	if r.size+int64(len(text))+1 > MaxEvidence {
		return Line{}, fmt.Errorf("chain of %d bytes: %w", r.size, ErrTooLarge)
	}
	if err := r.checkHead(); err != nil {
		return Line{}, err
	}
	check := r.checkTail
	if Seals(typ) {
		check = r.checkAll
	}
	if err := r.dir.Append(path.Join(r.id, fileEvidence), append(text, '\n'), check); err != nil {
		if errors.Is(err, fs.ErrNotExist) || unfit(err) {
			err = fmt.Errorf("%w: %w", ErrAltered, err)
		}
		return Line{}, err
	}
	r.add(line, int64(len(text)))
	return line, nil
}

func (r *Run) add(line Line, length int64) {
	r.lines = append(r.lines, line)
	r.size += length + 1
	r.lastLen = length
	if r.sealed < 0 && Seals(line.Type) {
		r.sealed = len(r.lines) - 1
	}
	for _, f := range line.Files {
		r.named[f.Path] = f
		delete(r.pending, f.Path)
	}
}

func (r *Run) encodeData(typ string, data any) ([]byte, int, error) {
	raw, err := json.Marshal(data)
	if err != nil {
		return nil, 0, err
	}
	raw, taken := r.red.Bytes(raw)
	if !json.Valid(raw) {
		return nil, 0, fmt.Errorf("redaction broke the data of %q", typ)
	}
	return raw, taken, checkData(typ, raw)
}

// checkFiles makes sure that an event names only what is on the disk.
func (r *Run) checkFiles(files []File) error {
	for _, f := range files {
		if err := checkPath(r.id, f.Path); err != nil {
			return err
		}
		if f == r.pending[f.Path] || f == r.named[f.Path] {
			continue
		}
		if old, taken := r.named[f.Path]; taken {
			return fmt.Errorf("file %q is named with hash %s already: %w", f.Path, old.SHA256, ErrExists)
		}
		if err := matches(r.dir, f); err != nil {
			return err
		}
	}
	return nil
}

func (r *Run) checkHead() error {
	raw, err := r.dir.Read(path.Join(r.id, fileHead), maxHead)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrAltered, err)
	}
	if digest(raw) != r.headSHA {
		return fmt.Errorf("%w: %s changed", ErrAltered, fileHead)
	}
	return nil
}

// checkTail compares the end of the file with the head in memory.
func (r *Run) checkTail(f io.ReaderAt, size int64) error {
	if size != r.size {
		return fmt.Errorf("%w: %s has %d bytes where %d were written", ErrAltered, fileEvidence, size, r.size)
	}
	if size == 0 {
		return nil
	}
	tail := make([]byte, r.lastLen+1)
	if _, err := f.ReadAt(tail, size-int64(len(tail))); err != nil && err != io.EOF {
		return err
	}
	if tail[r.lastLen] != '\n' || digest(tail[:r.lastLen]) != r.tip() {
		return fmt.Errorf("%w: line %d of %s changed", ErrAltered, len(r.lines), fileEvidence)
	}
	return nil
}

// checkAll compares every line, which is worth its price once, at the seal.
func (r *Run) checkAll(f io.ReaderAt, size int64) error {
	if err := r.checkTail(f, size); err != nil {
		return err
	}
	all := make([]byte, size)
	if _, err := f.ReadAt(all, 0); err != nil && err != io.EOF {
		return err
	}
	for i, raw := range bytes.Split(bytes.TrimSuffix(all, []byte("\n")), []byte("\n")) {
		if i < len(r.lines) && digest(raw) != r.lines[i].SHA256 {
			return fmt.Errorf("%w: line %d of %s changed", ErrAltered, i+1, fileEvidence)
		}
	}
	return nil
}
