package durable

import (
	"fmt"
	"io"
	"os"
)

// ReadGiven reads a file that somebody named, of at most limit bytes. Links on the
// way are followed. A pipe or a device is refused before it could keep us waiting.
func ReadGiven(name string, limit int64) ([]byte, error) {
	seen, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !seen.Mode().IsRegular() {
		return nil, fmt.Errorf("read %s: %w", name, ErrNotRegular)
	}
	// Without blocking, since a pipe may have taken the file's place.
	f, err := os.OpenFile(name, os.O_RDONLY|nonBlock, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	now, err := f.Stat()
	if err != nil || !now.Mode().IsRegular() {
		return nil, fmt.Errorf("read %s: %w", name, ErrNotRegular)
	}
	if now.Size() > limit {
		return nil, fmt.Errorf("read %s: %w (%d bytes, and at most %d)", name, ErrTooLarge, now.Size(), limit)
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("read %s: %w (%d bytes)", name, ErrTooLarge, limit)
	}
	return data, nil
}
