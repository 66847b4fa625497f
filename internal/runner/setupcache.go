package runner

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/tolboy/warden/internal/git"
	"github.com/tolboy/warden/internal/sandbox"
)

// dirCaches is where the state directory has what setups left, by key.
const dirCaches = "caches"

// setupCache is what the setup of one base leaves for every worktree cut from it.
// Children get it read-only. It is filled by a setup that ran where nobody but the
// base had a word, and comes to its name whole or not at all.
type setupCache struct {
	machine *Machine
	dir     string   // where it is once it is filled
	places  []string // below the home
	Key     string
}

// cacheOf names the cache of an order, nil where the project declares none. Its key
// covers the repository, the setup commands, the places, and at the base commit the
// files that say what belongs there; one of those that is missing is part of the key.
func (m *Machine) cacheOf(ctx context.Context, o Order, judge *git.Judge) (*setupCache, error) {
	c := o.Project.Caches
	if len(c.Home) == 0 || len(o.Project.Setup) == 0 {
		return nil, nil
	}
	files, err := m.Git.Run(ctx, judge.GitDir(), append([]string{"ls-tree", "-z", "--full-tree", o.Base, "--"}, c.KeyedBy...)...)
	if err != nil {
		return nil, fmt.Errorf("read what keys the caches: %w", err)
	}
	sum := sha256.New()
	for _, part := range [][]string{{o.Source, m.HomeDir, string(files)}, o.Project.Setup, c.Home, c.KeyedBy} {
		for _, s := range part {
			fmt.Fprintf(sum, "%d:%s", len(s), s)
		}
		sum.Write([]byte{'\n'})
	}
	key := hex.EncodeToString(sum.Sum(nil))[:32]
	return &setupCache{machine: m, dir: filepath.Join(m.StateDir, dirCaches, key), places: c.Home, Key: key}, nil
}

// filled reports whether the cache is there, and keeps it from being cleaned away.
func (c *setupCache) filled() bool {
	info, err := os.Lstat(c.dir)
	if err != nil || !info.IsDir() {
		return false
	}
	now := c.machine.Now()
	_ = os.Chtimes(c.dir, now, now)
	return true
}

// mounts are the places of a filled cache, read-only.
func (c *setupCache) mounts() []sandbox.Mount {
	if c == nil || !c.filled() {
		return nil
	}
	var out []sandbox.Mount
	for _, place := range c.places {
		from := filepath.Join(c.dir, filepath.FromSlash(place))
		if info, err := os.Lstat(from); err == nil && info.IsDir() {
			out = append(out, sandbox.Mount{Source: from, Target: filepath.Join(c.machine.HomeDir, filepath.FromSlash(place))})
		}
	}
	return out
}

// fill takes what a setup left in the home of its run. Of two setups at once one is
// taken, and the other changes nothing.
func (c *setupCache) fill(runID string) error {
	var random [8]byte
	if _, err := rand.Read(random[:]); err != nil {
		return err
	}
	fresh := c.dir + ".new-" + hex.EncodeToString(random[:])
	if err := os.MkdirAll(fresh, 0o700); err != nil {
		return fmt.Errorf("fill the caches: %w", err)
	}
	defer os.RemoveAll(fresh)
	home, some := c.machine.homeOf(runID), false
	for _, place := range c.places {
		from, ok, err := plainDir(home, place)
		if err != nil {
			return fmt.Errorf("fill the caches: %w", err)
		}
		if !ok {
			continue // this setup left nothing there
		}
		to := filepath.Join(fresh, filepath.FromSlash(place))
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o700), os.Rename(from, to)); err != nil {
			return fmt.Errorf("fill the caches: %w", err)
		}
		some = true
	}
	if !some {
		return nil // and the next setup may
	}
	err := os.Rename(fresh, c.dir)
	if _, there := os.Lstat(c.dir); err != nil && there == nil {
		return nil // another setup was first
	}
	return err
}

// plainDir finds a directory below home without going through a link.
func plainDir(home, place string) (dir string, ok bool, err error) {
	dir = home
	for part := range strings.SplitSeq(place, "/") {
		dir = filepath.Join(dir, part)
		info, err := os.Lstat(dir)
		if errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
			return "", false, nil
		}
		if err != nil {
			return "", false, err
		}
	}
	return dir, true, nil
}
