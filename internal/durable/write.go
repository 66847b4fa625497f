package durable

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// Create writes a new file at once. A name that exists is fs.ErrExist and stays
// as it is. The content is on the disk when it returns.
func (d *Dir) Create(name string, data []byte) error {
	temp, err := d.temp(name, data)
	if err != nil {
		return fmt.Errorf("create %q: %w", name, err)
	}
	// A hard link is the one step that is both atomic and exclusive.
	err = d.root.Link(filepath.FromSlash(temp), filepath.FromSlash(name))
	if removeErr := d.root.Remove(filepath.FromSlash(temp)); err == nil {
		err = removeErr
	}
	if err != nil {
		return fmt.Errorf("create %q: %w", name, err)
	}
	return d.syncDir(path.Dir(name))
}

// Replace writes a file so that a reader sees the old content or the new one,
// never a part. A link of that name is replaced, not followed.
func (d *Dir) Replace(name string, data []byte) error {
	if err := d.plainOrAbsent(name); err != nil {
		return fmt.Errorf("write %q: %w", name, err)
	}
	temp, err := d.temp(name, data)
	if err != nil {
		return fmt.Errorf("write %q: %w", name, err)
	}
	if err := d.root.Rename(filepath.FromSlash(temp), filepath.FromSlash(name)); err != nil {
		return fmt.Errorf("write %q: %w", name, errors.Join(err, d.root.Remove(filepath.FromSlash(temp))))
	}
	return d.syncDir(path.Dir(name))
}

// temp writes data, synced, under a fresh name beside name.
func (d *Dir) temp(name string, data []byte) (string, error) {
	if err := d.noLinks(name); err != nil {
		return "", err
	}
	var random [8]byte
	if _, err := rand.Read(random[:]); err != nil {
		return "", err
	}
	temp := path.Join(path.Dir(name), TempPrefix+hex.EncodeToString(random[:]))
	f, err := d.root.OpenFile(filepath.FromSlash(temp), os.O_WRONLY|os.O_CREATE|os.O_EXCL|noFollow, 0o644)
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return "", errors.Join(err, d.root.Remove(filepath.FromSlash(temp)))
	}
	return temp, nil
}

// TempPrefix starts the name of a file that a crash may leave behind.
const TempPrefix = ".tmp-"

func (d *Dir) plainOrAbsent(name string) error {
	if err := d.noLinks(name); err != nil {
		return err
	}
	info, err := d.root.Lstat(filepath.FromSlash(name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.IsDir():
		return ErrNotRegular
	}
	return nil
}

// RemoveAll takes away what has the name and all that is in it. A link goes, and what
// it leads to stays; one on the way to the name is refused.
func (d *Dir) RemoveAll(name string) error {
	err := d.noLinks(name)
	if err == nil {
		err = d.root.RemoveAll(filepath.FromSlash(name))
	}
	if err != nil {
		return fmt.Errorf("remove %q: %w", name, err)
	}
	return d.syncDir(path.Dir(name))
}

// WriteFile is Replace for a path whose directory exists.
func WriteFile(name string, data []byte) error {
	d, err := OpenDir(filepath.Dir(name))
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Replace(filepath.Base(name), data)
}

// Sync makes the entries of the directory itself survive a crash.
func (d *Dir) Sync() error { return d.syncDir(".") }
