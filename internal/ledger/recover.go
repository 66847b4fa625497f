package ledger

import (
	"io"
	"path"
	"time"
)

// recover loads the chain and cuts off the start of a line that a crash left.
func (r *Run) recover() error {
	if err := r.load(); err != nil {
		return err
	}
	var dropped int64
	err := r.dir.CutTail(path.Join(r.id, fileEvidence), func(f io.ReaderAt, size int64) (int64, error) {
		keep, err := lastBreak(f, size)
		dropped = size - keep
		return keep, err
	})
	if err != nil || dropped == 0 {
		return err
	}
	// Another process may have completed its line while we waited for the lock.
	if err := r.load(); err != nil {
		return err
	}
	_, err = r.Append(TypeRecovered, time.Now(), Recovered{DroppedBytes: dropped})
	return err
}

// lastBreak returns the position after the last line break.
func lastBreak(f io.ReaderAt, size int64) (int64, error) {
	buf := make([]byte, 64<<10)
	for end := size; end > 0; {
		from := max(0, end-int64(len(buf)))
		part := buf[:end-from]
		if _, err := f.ReadAt(part, from); err != nil && err != io.EOF {
			return 0, err
		}
		for i := len(part) - 1; i >= 0; i-- {
			if part[i] == '\n' {
				return from + int64(i) + 1, nil
			}
		}
		end = from
	}
	return 0, nil
}
