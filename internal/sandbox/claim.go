package sandbox

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// Claim remembers which protected paths were missing before a child ran.
// Bubblewrap needs a place to mount over and makes one; Release takes it away, and
// the private directory of Landlock.
type Claim struct {
	// Tmp is the private directory that Landlock needs, for Spec.Tmp.
	Tmp  string
	lock *os.File
	made []string
}

// Claim is taken before Wrap and released after the child and all it started
// ended. A claim on a worktree may be held by several processes at once; then
// the empty places stay until a release without company, or for good.
func (s Spec) Claim() (*Claim, error) {
	if s.Backend == Landlock {
		return claimTmp()
	}
	if s.Backend != Bubblewrap || !s.Writable || len(s.Protect) == 0 {
		return &Claim{}, nil
	}
	h, err := thisHost()
	if err != nil {
		return nil, fmt.Errorf("claim worktree: %w", err)
	}
	p := &plan{host: h, spec: s}
	if err := p.resolveRoot(); err != nil {
		return nil, fmt.Errorf("claim worktree: %w", err)
	}
	lock, err := share(p.root)
	if err != nil {
		return nil, fmt.Errorf("claim worktree: %w", err)
	}
	c := &Claim{lock: lock}
	for _, path := range s.Protect {
		way, missing, err := p.protected(path)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("claim worktree: %w", err), c.Release())
		}
		if missing {
			c.made = append(c.made, way[len(way)-1])
		}
	}
	return c, nil
}

// Release removes the empty directories that a child's mounts left in the
// worktree. It never removes anything that holds a file. Further calls do
// nothing.
func (c *Claim) Release() error {
	if c == nil {
		return nil
	}
	err := c.dropTmp()
	if c.lock == nil {
		return err
	}
	if len(c.made) > 0 && alone(c.lock) {
		for _, dir := range c.made {
			if e := os.Remove(dir); e != nil && !errors.Is(e, os.ErrNotExist) && !errors.Is(e, syscall.ENOTEMPTY) {
				err = errors.Join(err, fmt.Errorf("clear mount point: %w", e))
			}
		}
	}
	err = errors.Join(err, c.lock.Close())
	c.lock = nil
	return err
}
