package strict

import (
	"fmt"
	"io"
	"io/fs"
)

// ReadFile reads a regular file of at most max bytes. A file that is larger, or
// is not a regular file, is an error, so that nothing a person put in the place
// of a file can block the reader or fill its memory.
func ReadFile(fsys fs.FS, name string, max int64) ([]byte, error) {
	// Asked first, since to open a pipe may take forever.
	if info, err := fs.Stat(fsys, name); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("open %s: not a regular file", name)
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("open %s: not a regular file", name)
	}
	data, err := io.ReadAll(io.LimitReader(f, max+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > max {
		return nil, fmt.Errorf("read %s: more than %d bytes", name, max)
	}
	return data, nil
}
