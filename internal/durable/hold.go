package durable

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// BusyError says that somebody else holds what was asked for.
type BusyError struct {
	Name   string
	Holder string // as the holder called itself; "" when that is not known (yet)
}

// Error implements error.
func (e *BusyError) Error() string {
	by := e.Holder
	if by == "" {
		by = "another process"
	}
	return fmt.Sprintf("hold %q: it is held by %s", e.Name, by)
}

// maxHolder bounds the words of a holder.
const maxHolder = 500

// Hold is Lock without waiting: what is held is a *BusyError. The holder's words
// stand in the file while it holds, for whoever is refused. A process that dies
// lets go.
func (d *Dir) Hold(name, holder string) (release func() error, err error) {
	f, err := d.lockable(name)
	if err != nil {
		return nil, fmt.Errorf("hold %q: %w", name, err)
	}
	unlock, err := tryLock(f)
	if errors.Is(err, errBusy) {
		words, _ := io.ReadAll(io.LimitReader(f, maxHolder))
		f.Close()
		return nil, &BusyError{Name: name, Holder: strings.TrimSpace(string(words))}
	}
	if err == nil {
		// The words of a holder that died are still there.
		if err = f.Truncate(0); err == nil {
			_, err = f.WriteAt([]byte(holder), 0)
		}
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("hold %q: %w", name, err)
	}
	return func() error {
		return errors.Join(f.Truncate(0), unlock(), f.Close())
	}, nil
}

// lockable opens the plain file that a lock stands for, and makes it if it is not
// there.
func (d *Dir) lockable(name string) (*os.File, error) {
	if err := d.noLinks(name); err != nil {
		return nil, err
	}
	f, err := d.root.OpenFile(filepath.FromSlash(name), os.O_RDWR|os.O_CREATE|os.O_EXCL|noFollow, 0o644)
	if errors.Is(err, fs.ErrExist) {
		f, err = d.open(name, os.O_RDWR)
	}
	return f, err
}
