package cli

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/tolboy/warden/internal/clean"
	"github.com/tolboy/warden/internal/corpus"
	"github.com/tolboy/warden/internal/durable"
	"github.com/tolboy/warden/internal/ledger"
)

// runsOf takes away the runs of a worktree that stays.
func (c *cleaning) runsOf(ctx context.Context, tree string) error {
	runs := filepath.Join(tree, ".warden", "runs")
	if err := unlinked(tree, ".warden", filepath.Join(".warden", "runs")); err != nil {
		return err
	}
	found, err := c.found(ctx, tree)
	if err != nil {
		return err
	}
	for _, f := range found {
		row := cleanRow{Kind: "run", Path: filepath.Join(runs, f.Dirs[0]), RunID: f.RunID, Code: f.Reason, Detail: f.Detail}
		switch {
		case f.Reason != "":
			c.kept = append(c.kept, row)
		case c.apply:
			err := c.holding(ctx, tree, func() error {
				if err := c.copies(ctx, runs, []clean.Found{f}); err != nil {
					return err
				}
				return takeAway(tree, f.Dirs)
			})
			c.settle(row, err)
		default:
			c.gone = append(c.gone, row)
		}
	}
	return nil
}

// takeAway removes directories of the runs of a worktree, in their order: a run's own
// comes first, and what is left is then no run. Whatever is put in the place of the
// worktree's directories meanwhile, nothing beside them goes.
func takeAway(tree string, names []string) error {
	at, err := durable.OpenDir(tree)
	if err != nil {
		return err
	}
	defer at.Close()
	for _, name := range names {
		if err := at.RemoveAll(path.Join(".warden", "runs", name)); err != nil {
			return err
		}
	}
	return nil
}

// found looks at the runs of a worktree.
func (c *cleaning) found(ctx context.Context, tree string) ([]clean.Found, error) {
	if unlinked(tree, ".warden", filepath.Join(".warden", "runs")) != nil {
		return nil, nil // what a link leads to is not the tree's
	}
	out, err := c.m.Git.Run(ctx, tree, "ls-files", "-z", "--", ".warden/runs/")
	if err != nil {
		return nil, err
	}
	tracked := map[string]bool{}
	for name := range strings.SplitSeq(string(out), "\x00") {
		first, _, _ := strings.Cut(strings.TrimPrefix(name, ".warden/runs/"), "/")
		tracked[first] = true
	}
	return clean.Runs(filepath.Join(tree, ".warden", "runs"), c.before, clean.Run, func(name string) bool { return tracked[name] })
}

// notCopied says of which run the home has no copy that verifies.
type notCopied struct{ id, why string }

func (e *notCopied) Error() string {
	return fmt.Sprintf("the home has no whole copy of the ledger of run %s: %s", e.id, e.why)
}

// copies makes sure that of each ledger there is another one, in the home, which
// verifies and goes as far: nothing is the only copy any more.
func (c *cleaning) copies(ctx context.Context, runs string, found []clean.Found) error {
	kept, err := c.a.corpus()
	if err != nil {
		return err
	}
	where := c.a.identity(ctx, runs)
	for _, f := range found {
		if !f.Ledger {
			continue
		}
		project := where
		if h, err := ledger.Read(runs, f.RunID); err == nil && h.Run.Forge != nil {
			project = onForge(*h.Run.Forge)
		}
		got, err := kept.Import(ctx, []corpus.Source{{RunsDir: runs, RunID: f.RunID, Project: project}}, c.a.now())
		if err != nil {
			return &notCopied{f.RunID, err.Error()}
		}
		if !got[0].OK() {
			return &notCopied{f.RunID, got[0].Code + ": " + got[0].First}
		}
		if err := c.whole(runs, f, kept, got[0].Receipt); err != nil {
			return &notCopied{f.RunID, err.Error()}
		}
	}
	return nil
}

// whole makes sure that a copy has what its source has.
func (c *cleaning) whole(runs string, f clean.Found, kept corpus.Corpus, r corpus.Receipt) error {
	shelf, err := kept.Holds(r)
	if err != nil {
		return err
	}
	have, err := ledger.Verify(runs, f.RunID, f.Head, ledger.VerifyOptions{Published: true})
	if err != nil {
		return err
	}
	v, err := ledger.Verify(shelf, f.RunID, f.Head, ledger.VerifyOptions{Published: true})
	switch {
	case err != nil:
		return err
	case !v.OK:
		return fmt.Errorf("%s: %s", v.Code, v.First)
	case len(v.Withheld) > len(have.Withheld):
		return fmt.Errorf("files of evidence are missing in the copy: %s", few(v.Withheld))
	}
	return nil
}
