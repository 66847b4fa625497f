package cli

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/tolboy/warden/internal/clean"
	"github.com/tolboy/warden/internal/durable"
)

// jobs takes away what jobs left in their state directories.
func (c *cleaning) jobs(ctx context.Context) error {
	found, err := clean.Jobs(c.m.StateDir, c.before, c.a.now())
	if err != nil {
		return err
	}
	for _, j := range found {
		if j.Linked != "" {
			c.kept = append(c.kept, cleanRow{Kind: "mirror", Path: j.Dir, Code: clean.Linked, Detail: j.Linked})
			continue
		}
		c.job(ctx, j)
	}
	return nil
}

func (c *cleaning) job(ctx context.Context, j clean.Job) {
	runs, before := filepath.Join(j.Dir, "runs"), len(c.kept)
	for _, f := range j.Runs {
		row := cleanRow{Kind: "run", Path: filepath.Join(runs, f.Dirs[0]), RunID: f.RunID, Code: f.Reason, Detail: f.Detail}
		c.decide(row, func() error {
			if err := c.copies(ctx, runs, []clean.Found{f}); err != nil {
				return err
			}
			return takeBelow(j.Dir, clean.Pieces(f)...)
		})
	}
	for _, l := range j.Loose {
		c.decide(cleanRow{Kind: "leftover", Path: l.Path, RunID: l.RunID, Code: l.Reason, Detail: l.Detail}, func() error {
			return takeBelow(j.Dir, filepath.Base(filepath.Dir(l.Path))+"/"+filepath.Base(l.Path))
		})
	}
	row := cleanRow{Kind: "mirror", Path: filepath.Join(j.Dir, "mirror.git"), Code: j.Mirror}
	if failed := len(c.kept) > before; row.Code == "" && failed {
		row.Code = clean.Continued // something could not go after all, and may need it
	}
	c.decide(row, func() error {
		// The ledgers' repository reads the objects of the other.
		return takeBelow(j.Dir, "ledgers.git", "mirror.git")
	})
}

// decide lists something, or takes it away.
func (c *cleaning) decide(row cleanRow, take func() error) {
	switch {
	case row.Code != "":
		c.kept = append(c.kept, row)
	case c.apply:
		c.settle(row, take())
	default:
		c.gone = append(c.gone, row)
	}
}

// takeBelow removes names below a directory and nothing beside it, through no link. One
// that is missing is gone already.
func takeBelow(dir string, names ...string) error {
	at, err := durable.OpenDir(dir)
	if err != nil {
		return err
	}
	defer at.Close()
	for _, name := range names {
		if err := at.RemoveAll(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
