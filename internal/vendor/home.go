package vendor

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/tolboy/warden/internal/sandbox"
)

// maxLogin bounds a login file that is shared with a vendor.
const maxLogin = 1 << 20

// home is a private home directory for one call. Files that the profile shares
// are copied in, and back when the vendor refreshed them; directories it shares
// are shown read-only. Everything else a vendor writes there is dropped.
type home struct {
	dir    string
	real   string
	files  map[string][]byte // by relative name, as copied in
	mounts []sandbox.Mount
}

func openHome(real, inside string, share []string) (*home, error) {
	dir, err := os.MkdirTemp("", "warden-home-")
	if err != nil {
		return nil, fmt.Errorf("make a private home: %w", err)
	}
	h := &home{dir: dir, real: real, files: map[string][]byte{}}
	h.mounts = append(h.mounts, sandbox.Mount{Source: dir, Target: inside, Writable: true})
	for _, name := range share {
		if real == "" {
			break
		}
		if err := h.share(name, inside); err != nil {
			return nil, errors.Join(err, os.RemoveAll(dir))
		}
	}
	return h, nil
}

// shareable looks at what a profile shares of the real home. The info is nil when
// it is not there; the error says why it cannot be shared.
func shareable(real, name string) (source string, info fs.FileInfo, err error) {
	if !filepath.IsLocal(name) {
		return "", nil, fmt.Errorf("share %q: not a path below the home directory", name)
	}
	source = filepath.Join(real, name)
	info, err = os.Stat(source)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return source, nil, nil
	case err != nil:
		return "", nil, fmt.Errorf("share %q: %w", name, err)
	case info.IsDir():
	case !info.Mode().IsRegular():
		return "", nil, fmt.Errorf("share %q: %w", name, errKind)
	case info.Size() > maxLogin:
		return "", nil, fmt.Errorf("share %q: larger than %d bytes", name, maxLogin)
	}
	return source, info, nil
}

var errKind = errors.New("neither a regular file nor a directory")

func (h *home) share(name, inside string) error {
	source, info, err := shareable(h.real, name)
	if err != nil || info == nil {
		return err
	}
	target := filepath.Join(h.dir, name)
	if info.IsDir() {
		if err := os.MkdirAll(target, 0o700); err != nil {
			return fmt.Errorf("share %q: %w", name, err)
		}
		h.mounts = append(h.mounts, sandbox.Mount{Source: source, Target: filepath.Join(inside, name)})
		return nil
	}
	data, err := readBounded(source, info)
	if err != nil {
		return fmt.Errorf("share %q: %w", name, err)
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
		return fmt.Errorf("share %q: %w", name, err)
	}
	if err := os.WriteFile(target, data, 0o600); err != nil {
		return fmt.Errorf("share %q: %w", name, err)
	}
	h.files[name] = data
	return nil
}

// close copies refreshed login files back and removes the private home. A file
// that became empty, a link, or too large is not copied: a login is better stale
// than lost.
func (h *home) close() error {
	var errs []error
	for name, before := range h.files {
		path := filepath.Join(h.dir, name)
		info, err := os.Lstat(path)
		if err != nil || !info.Mode().IsRegular() || !plainParents(h.dir, name) {
			continue
		}
		after, err := readBounded(path, info)
		if err != nil || len(after) == 0 || bytes.Equal(before, after) {
			continue
		}
		errs = append(errs, writeBack(filepath.Join(h.real, name), after))
	}
	return errors.Join(append(errs, os.RemoveAll(h.dir))...)
}

// plainParents reports whether no directory on the way to a file became a link.
func plainParents(root, name string) bool {
	dir := root
	for _, part := range strings.Split(filepath.Dir(name), string(filepath.Separator)) {
		dir = filepath.Join(dir, part)
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() {
			return false
		}
	}
	return true
}

func readBounded(path string, info fs.FileInfo) ([]byte, error) {
	if !info.Mode().IsRegular() {
		return nil, errKind
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxLogin+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxLogin {
		return nil, fmt.Errorf("larger than %d bytes", maxLogin)
	}
	return data, nil
}

// writeBack replaces a login file in one step and keeps its mode.
func writeBack(path string, data []byte) error {
	mode := fs.FileMode(0o600)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".warden-login-")
	if err != nil {
		return fmt.Errorf("write back %s: %w", path, err)
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(mode), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write back %s: %w", path, err), os.Remove(f.Name()))
	}
	return nil
}
