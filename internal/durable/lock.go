package durable

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

var errBusy = errors.New("locked by another holder")

// Lock takes the lock that the file name stands for, across processes and within
// one, and waits until ctx ends. The file stays behind after unlock on purpose:
// removing it would let two holders in. A process that dies lets go.
func (d *Dir) Lock(ctx context.Context, name string) (unlock func() error, err error) {
	f, err := d.lockable(name)
	if err != nil {
		return nil, fmt.Errorf("lock %q: %w", name, err)
	}
	release, err := waitLock(ctx, f)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("lock %q: %w", name, err)
	}
	return func() error {
		return errors.Join(release(), f.Close())
	}, nil
}

// Lock is Dir.Lock for a path whose directory exists.
func Lock(ctx context.Context, name string) (unlock func() error, err error) {
	d, err := OpenDir(filepath.Dir(name))
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.Lock(ctx, filepath.Base(name))
}

// waitLock asks again at growing intervals: a blocking call could not be
// interrupted by ctx.
func waitLock(ctx context.Context, f *os.File) (func() error, error) {
	pause := time.Millisecond
	for {
		release, err := tryLock(f)
		if err == nil || !errors.Is(err, errBusy) {
			return release, err
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil, ctx.Err()
		case <-timer.C:
		}
		pause = min(2*pause, 50*time.Millisecond)
	}
}
