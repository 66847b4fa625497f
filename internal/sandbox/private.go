package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// claimTmp makes the private directory of one command.
func claimTmp() (*Claim, error) {
	dir, err := os.MkdirTemp("", "warden-confined-")
	if err != nil {
		return nil, fmt.Errorf("make a private directory: %w", err)
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, fmt.Errorf("make a private directory: %w", err)
	}
	for _, name := range []string{"home", "tmp"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			return nil, errors.Join(fmt.Errorf("make a private directory: %w", err), os.RemoveAll(dir))
		}
	}
	return &Claim{Tmp: dir}, nil
}

// dropTmp removes the private directory with what a child left in it, which may
// be directories that nobody can write to.
func (c *Claim) dropTmp() error {
	if c.Tmp == "" {
		return nil
	}
	dir := c.Tmp
	c.Tmp = ""
	if os.RemoveAll(dir) == nil {
		return nil
	}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, _ error) error {
		if d != nil && d.IsDir() {
			return os.Chmod(path, 0o700)
		}
		return nil
	})
	if err = errors.Join(err, os.RemoveAll(dir)); err != nil {
		return fmt.Errorf("remove a private directory: %w", err)
	}
	return nil
}
