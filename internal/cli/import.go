package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/tolboy/warden/internal/corpus"
	"github.com/tolboy/warden/internal/git"
	"github.com/tolboy/warden/internal/ledger"
)

// importRuns copies runs into the home. One that is refused hides no other.
func (a *app) importRuns(ctx context.Context, paths []string) error {
	var sources []corpus.Source
	for _, path := range paths {
		from, err := a.runsAt(ctx, path)
		if err != nil {
			return err
		}
		sources = append(sources, from...)
	}
	c, err := a.corpus()
	if err != nil {
		return err
	}
	receipts, err := c.Import(ctx, sources, a.now())
	if err != nil {
		return err
	}
	ok, code := true, "imported"
	for _, r := range receipts {
		if !r.OK() {
			ok, code = false, "import_refused"
			a.narrate("%s", harmless(r.RunID+": "+r.Code+": "+r.First))
		}
	}
	return a.print(object{"ok": ok, "code": code, "corpus": c.Dir(), "receipts": receipts})
}

// runsAt finds the runs that a path names: a run, a directory of runs, or a project.
func (a *app) runsAt(ctx context.Context, path string) ([]corpus.Source, error) {
	path, err := filepath.Abs(path)
	if err == nil {
		path, err = filepath.EvalSymlinks(path) // who names a place may name a link to it
	}
	if err != nil {
		return nil, usagef("import: %v", err)
	}
	runs, ids := filepath.Join(path, ".warden", "runs"), []string(nil)
	switch {
	case isFile(filepath.Join(path, "run.json")):
		runs, ids = filepath.Dir(path), []string{filepath.Base(path)}
	case isDir(runs):
	default:
		runs = path
	}
	if ids == nil {
		if ids, err = ledger.Runs(runs); err != nil {
			return nil, err
		}
	}
	var out []corpus.Source
	where := a.identity(ctx, runs)
	for _, id := range ids {
		if _, err := os.Lstat(filepath.Join(runs, id, "run.json")); errors.Is(err, os.ErrNotExist) {
			continue // of `warden gates`, and a reservation that was cut off
		}
		from := corpus.Source{RunsDir: runs, RunID: id, Project: where}
		// What cannot be read is refused by name, beside the others.
		if h, err := ledger.Read(runs, id); err == nil && h.Run.Forge != nil {
			from.Project = onForge(*h.Run.Forge)
		}
		out = append(out, from)
	}
	if len(out) == 0 {
		return nil, usagef("import: %s holds no run: name a run, a directory of runs, or a project", path)
	}
	return out, nil
}

// identity is the project of runs that lie in a repository: its first commit, which
// every clone and worktree has in common, whatever it is called and wherever it lies.
func (a *app) identity(ctx context.Context, runs string) string {
	g, err := git.New(runs)
	if err != nil {
		return corpus.Unknown
	}
	first, err := g.FirstCommit(ctx, runs)
	if err != nil || len(first) < 16 {
		return corpus.Unknown
	}
	return "git-" + first[:16]
}

// onForge is the project of a run that answered an issue.
func onForge(f ledger.ForgeRef) string {
	id := strings.ToLower(f.Host + "-" + f.Repo)
	id = strings.Trim(regexp.MustCompile(`[^a-z0-9._-]+`).ReplaceAllString(id, "-"), "-.")
	if corpus.CheckProject("forge-"+id) != nil {
		return corpus.Unknown
	}
	return "forge-" + id
}

func isFile(name string) bool {
	info, err := os.Lstat(name)
	return err == nil && info.Mode().IsRegular()
}

func isDir(name string) bool {
	info, err := os.Lstat(name)
	return err == nil && info.IsDir()
}
