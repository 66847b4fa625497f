package git

import (
	"bytes"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
)

// maxContent is the size in bytes of the largest file that a candidate may hold.
const maxContent = 1 << 30

// read fills in mode and content of what is there now, following no link, and
// drops what turns out to be as at the base.
func (j *Judge) read(ctx context.Context, changes []Change) ([]Change, error) {
	ends, err := j.readAll(ctx, changes)
	if err != nil {
		return nil, err
	}
	var crlf []int
	for i, yes := range ends {
		if yes {
			crlf = append(crlf, i)
		}
	}
	if err := j.convert(ctx, changes, crlf); err != nil {
		return nil, err
	}
	out := changes[:0]
	for _, c := range changes {
		if c.Blob == "" || c.Blob != c.Before || c.Mode != c.OldMode {
			out = append(out, c)
		}
	}
	return j.withoutLFS(ctx, out)
}

// readAll reads on all processors, since opening many small files is what takes
// the time, and reports which have CRLF line ends.
func (j *Judge) readAll(ctx context.Context, changes []Change) ([]bool, error) {
	ends, faults := make([]bool, len(changes)), make([]error, len(changes))
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(changes)) {
		wait.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(changes)); i = next.Add(1) - 1 {
				ends[i], faults[i] = j.readOne(ctx, &changes[i])
			}
		})
	}
	wait.Wait()
	for i, err := range faults {
		if err != nil {
			return nil, fmt.Errorf("read changed file %q: %w", changes[i].Path, err)
		}
	}
	return ends, nil
}

// readOne reports whether the file has a CRLF line end.
func (j *Judge) readOne(ctx context.Context, c *Change) (crlf bool, err error) {
	if c.Mode == absent {
		c.Blob = ""
	}
	if c.Mode == absent || c.Mode == submodule {
		return false, nil
	}
	if err := ctx.Err(); err != nil {
		return false, err
	}
	path := j.disk(c.Path)
	info, err := os.Lstat(path)
	if err != nil {
		return false, err
	}
	switch t := info.Mode().Type(); {
	case t == fs.ModeSymlink:
		target, err := os.Readlink(path)
		if err != nil {
			return false, err
		}
		c.Mode = symlink
		s := j.newSums(int64(len(target)))
		io.WriteString(s, target)
		c.SHA256, c.Blob = s.done()
	case t.IsRegular() && info.Size() > maxContent:
		c.Mode = submodule // not read; the refusal names it
	case t.IsRegular():
		// git gave the mode of a tracked file, and knows when not to trust the disk.
		if c.Mode != regular && c.Mode != executable {
			c.Mode = regular
			if j.fileMode && info.Mode().Perm()&0o100 != 0 {
				c.Mode = executable
			}
		}
		s := j.newSums(info.Size())
		if err := readRegular(ctx, path, info, s); err != nil {
			return false, err
		}
		c.SHA256, c.Blob = s.done()
		crlf = s.crlf > 0
	default:
		// Not readable as content: the refusal names it.
		c.Mode = submodule
	}
	c.Kind = kind(c.OldMode, c.Mode)
	return crlf, nil
}

// readRegular follows no link at path: git has just found real directories above
// it, and what is opened must be the file that was seen there.
func readRegular(ctx context.Context, path string, want fs.FileInfo, to io.Writer) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !os.SameFile(info, want) {
		return errors.New("it was replaced while it was read")
	}
	n, err := io.Copy(to, io.LimitReader(&cancelable{ctx: ctx, r: f}, want.Size()+1))
	if err != nil {
		return err
	}
	if n != want.Size() {
		return errors.New("its size changed while it was read")
	}
	return nil
}

type cancelable struct {
	ctx context.Context
	r   io.Reader
}

func (c *cancelable) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

// sums hashes a content in two ways as it streams by, and counts CRLF.
type sums struct {
	plain, blob hash.Hash
	crlf        int64
	cr          bool // the last byte was CR
}

func (j *Judge) newSums(size int64) *sums {
	s := &sums{plain: sha256.New(), blob: sha1.New()}
	if j.sha256 {
		s.blob = sha256.New()
	}
	fmt.Fprintf(s.blob, "blob %d\x00", size)
	return s
}

func (s *sums) Write(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if s.cr && p[0] == '\n' {
		s.crlf++
	}
	s.crlf += int64(bytes.Count(p, []byte("\r\n")))
	s.cr = p[len(p)-1] == '\r'
	s.plain.Write(p)
	s.blob.Write(p)
	return len(p), nil
}

func (s *sums) done() (plain, blob string) {
	return hex.EncodeToString(s.plain.Sum(nil)), hex.EncodeToString(s.blob.Sum(nil))
}

// convert asks git, for files with CRLF line ends only, whether it would store
// them with LF, and takes the sums of that content if so: the fingerprint is
// then the same whichever line ends a checkout was made with.
func (j *Judge) convert(ctx context.Context, changes []Change, crlf []int) error {
	if len(crlf) == 0 {
		return nil
	}
	var paths []string
	for _, i := range crlf {
		paths = append(paths, changes[i].Path)
	}
	stored, err := j.stored(ctx, paths)
	if err != nil {
		return err
	}
	for _, i := range crlf {
		c := &changes[i]
		id, ok := stored[c.Path]
		if !ok {
			id = c.Before // the stored content is that of the base
		}
		if id == c.Blob {
			continue
		}
		plain, blob, err := j.withoutCR(ctx, j.disk(c.Path))
		if err != nil {
			return fmt.Errorf("read changed file %q: %w", c.Path, err)
		}
		if blob != id {
			return fmt.Errorf("read changed file %q: git would store neither its bytes nor its lines", c.Path)
		}
		c.SHA256, c.Blob = plain, blob
	}
	return nil
}

// stored returns the object ids that git would store for paths, where they
// differ from the base.
func (j *Judge) stored(ctx context.Context, paths []string) (map[string]string, error) {
	tmp, err := j.scratch(ctx)
	if err != nil {
		return nil, err
	}
	defer tmp.remove()
	if err := tmp.add(ctx, paths); err != nil {
		return nil, err
	}
	staged, err := tmp.changes(ctx)
	if err != nil {
		return nil, err
	}
	ids := map[string]string{}
	for _, c := range staged {
		ids[c.Path] = c.Blob
	}
	return ids, nil
}

// withoutCR hashes a file as it is with each CRLF made LF. The size that an
// object id begins with is not known before, so the file is read twice.
func (j *Judge) withoutCR(ctx context.Context, path string) (plain, blob string, err error) {
	info, err := os.Lstat(path)
	if err != nil {
		return "", "", err
	}
	count := j.newSums(0)
	if err := readRegular(ctx, path, info, count); err != nil {
		return "", "", err
	}
	s := j.newSums(info.Size() - count.crlf)
	strip := &lineEnds{to: s}
	if err := readRegular(ctx, path, info, strip); err != nil {
		return "", "", err
	}
	strip.flush()
	plain, blob = s.done()
	return plain, blob, nil
}

// lineEnds passes bytes on without the CR of each CRLF.
type lineEnds struct {
	to io.Writer
	cr bool
}

func (l *lineEnds) Write(p []byte) (int, error) {
	text := string(p)
	if l.cr {
		text = "\r" + text
	}
	if l.cr = strings.HasSuffix(text, "\r"); l.cr {
		text = text[:len(text)-1]
	}
	if _, err := io.WriteString(l.to, strings.ReplaceAll(text, "\r\n", "\n")); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (l *lineEnds) flush() {
	if l.cr {
		io.WriteString(l.to, "\r")
	}
}
