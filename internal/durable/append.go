package durable

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// Check looks at a file before something is added to it.
type Check func(r io.ReaderAt, size int64) error

// Append adds data at the end of a plain file that exists and syncs it, while it
// holds a lock on that file. check, when given, sees the file under the lock and
// may refuse. When the write or the sync goes wrong (a full disk) the file is
// cut back to what it was.
func (d *Dir) Append(name string, data []byte, check Check) error {
	f, err := d.open(name, os.O_RDWR)
	if err != nil {
		return err
	}
	defer f.Close()
	unlock, err := lockFile(f)
	if err != nil {
		return fmt.Errorf("append to %q: lock: %w", name, err)
	}
	defer unlock()
	size, err := sizeOf(f)
	if err != nil {
		return fmt.Errorf("append to %q: %w", name, err)
	}
	if check != nil {
		if err := check(f, size); err != nil {
			return fmt.Errorf("append to %q: %w", name, err)
		}
	}
	_, err = f.WriteAt(data, size)
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		return fmt.Errorf("append to %q: %w", name, errors.Join(err, f.Truncate(size)))
	}
	return nil
}

// CutTail cuts a plain file to the size that keep returns, if that is smaller,
// and syncs it, under the lock that Append takes.
func (d *Dir) CutTail(name string, keep func(r io.ReaderAt, size int64) (int64, error)) error {
	f, err := d.open(name, os.O_RDWR)
	if err != nil {
		return err
	}
	defer f.Close()
	unlock, err := lockFile(f)
	if err != nil {
		return fmt.Errorf("cut %q: lock: %w", name, err)
	}
	defer unlock()
	size, err := sizeOf(f)
	if err != nil {
		return fmt.Errorf("cut %q: %w", name, err)
	}
	want, err := keep(f, size)
	if err == nil && want < size {
		err = errors.Join(f.Truncate(want), f.Sync())
	}
	if err != nil {
		return fmt.Errorf("cut %q: %w", name, err)
	}
	return nil
}

func sizeOf(f *os.File) (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
