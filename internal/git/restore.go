package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// maxKept bounds, in bytes, the uncommitted content that Keep holds in memory.
const maxKept = 64 << 20

// Kept is what a worktree held beside its commit at one moment.
type Kept struct {
	snap  Snapshot
	files map[string]keptFile // by path; every change that is not a deletion
}

type keptFile struct {
	data []byte // of a link its target
	mode fs.FileMode
}

// ErrKeepTooMuch says that a worktree's uncommitted changes are too large to keep.
var ErrKeepTooMuch = fmt.Errorf("the uncommitted changes are larger than %d MiB; commit or stash them", maxKept>>20)

// Keep reads what differs from the base, .warden included, so that Restore can
// bring it back byte for byte. snap must be of the worktree as it is.
func (j *Judge) Keep(ctx context.Context, snap Snapshot) (Kept, error) {
	k := Kept{snap: snap, files: map[string]keptFile{}}
	root, err := os.OpenRoot(j.cfg.Worktree)
	if err != nil {
		return k, fmt.Errorf("keep the worktree: %w", err)
	}
	defer root.Close()
	left := int64(maxKept)
	for _, c := range snap.Changes {
		if err := ctx.Err(); err != nil {
			return k, err
		}
		if c.Mode == absent || c.Mode == submodule {
			continue
		}
		f, err := keep(root, c.Path, left)
		if err != nil {
			return k, fmt.Errorf("keep %q: %w", c.Path, err)
		}
		k.files[c.Path] = f
		left -= int64(len(f.data))
	}
	return k, nil
}

func keep(root *os.Root, name string, left int64) (keptFile, error) {
	name = filepath.FromSlash(name)
	info, err := root.Lstat(name)
	if err != nil {
		return keptFile{}, err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := root.Readlink(name)
		return keptFile{data: []byte(target), mode: fs.ModeSymlink}, err
	}
	if !info.Mode().IsRegular() {
		return keptFile{}, errors.New("neither a file nor a link")
	}
	f, err := root.Open(name)
	if err != nil {
		return keptFile{}, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, left+1))
	if err == nil && int64(len(data)) > left {
		err = ErrKeepTooMuch
	}
	return keptFile{data: data, mode: info.Mode().Perm()}, err
}

// Restore takes back what was changed since Keep: what is new is removed, what was
// there is written as it was, and what stood as at the commit is checked out again.
// Nothing is written through a link. It looks again at the end: an error says that
// the worktree is not as it was. Paths that git ignores are not covered.
func (j *Judge) Restore(ctx context.Context, k Kept) error {
	now, err := j.Snapshot(ctx)
	if err != nil {
		return fmt.Errorf("restore the worktree: %w", err)
	}
	if same(k.snap, now) {
		return nil
	}
	if err := j.restore(ctx, k, now); err != nil {
		return fmt.Errorf("restore the worktree: %w", err)
	}
	after, err := j.Snapshot(ctx)
	if err != nil {
		return fmt.Errorf("restore the worktree: %w", err)
	}
	if !same(k.snap, after) {
		return errors.New("restore the worktree: it is not as it was before")
	}
	return nil
}

func same(a, b Snapshot) bool { return a.Full == b.Full && slices.Equal(a.Refused, b.Refused) }

func (j *Judge) restore(ctx context.Context, k Kept, now Snapshot) error {
	root, err := os.OpenRoot(j.cfg.Worktree)
	if err != nil {
		return err
	}
	defer root.Close()
	was := map[string]Change{}
	for _, c := range k.snap.Changes {
		was[c.Path] = c
	}
	is := map[string]bool{}
	var committed []string
	for _, c := range now.Changes {
		is[c.Path] = true
		before, changed := was[c.Path]
		if changed && before == c {
			continue
		}
		if c.Mode != absent {
			if err := root.Remove(filepath.FromSlash(c.Path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		if !changed && c.OldMode != absent {
			committed = append(committed, c.Path)
		}
	}
	for _, c := range now.Changes {
		if f, ok := k.files[c.Path]; ok && was[c.Path] != c {
			if err := put(root, c.Path, f); err != nil {
				return err
			}
		}
	}
	for name, f := range k.files {
		if !is[name] { // it was put back to what the commit holds
			if err := put(root, name, f); err != nil {
				return err
			}
		}
	}
	for _, c := range k.snap.Changes {
		if c.Mode == absent && !is[c.Path] {
			if err := root.Remove(filepath.FromSlash(c.Path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return j.checkOut(ctx, committed)
}

// put writes one file in place of whatever stands there.
func put(root *os.Root, name string, f keptFile) error {
	local := filepath.FromSlash(name)
	if dir := path.Dir(name); dir != "." {
		if err := root.MkdirAll(filepath.FromSlash(dir), 0o755); err != nil {
			return err
		}
	}
	if err := root.Remove(local); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if f.mode == fs.ModeSymlink {
		return root.Symlink(string(f.data), local)
	}
	if err := root.WriteFile(local, f.data, f.mode); err != nil {
		return err
	}
	return root.Chmod(local, f.mode) // whatever the umask
}

// checkOut writes paths as the commit that is checked out holds them.
func (j *Judge) checkOut(ctx context.Context, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	var list []byte
	for _, p := range paths {
		list = append(append(list, p...), 0)
	}
	c := j.call("checkout-index", "--force", "-z", "--stdin")
	c.Stdin = list
	_, err := j.git.Do(ctx, c)
	return err
}
