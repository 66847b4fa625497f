// Package archive keeps the ledgers of runs in refs of the forge's repository,
// which is the source of truth: whatever machine works on an issue next finds
// them there. Creating the ref claims a run; every later write moves it only
// from the commit that was read.
package archive

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tolboy/warden/internal/durable"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/push"
)

// Prefix is where the ledgers are. It is not fetched by an ordinary clone.
const Prefix = "refs/warden/runs/"

// Ref returns the ref that holds the ledger of a run.
func Ref(runID string) string { return Prefix + runID }

// ErrTaken is returned by Save when somebody else moved the ref: the run is
// theirs, or their write came first.
var ErrTaken = errors.New("the ledger was written by somebody else")

// Transport moves objects between a local git directory and the forge.
type Transport interface {
	Refs(ctx context.Context, remote push.Remote, patterns ...string) (map[string]string, error)
	Fetch(ctx context.Context, remote push.Remote, gitDir string, refspecs ...string) error
	ReadTree(ctx context.Context, gitDir, commit, toDir string) error
	LedgerCommit(ctx context.Context, gitDir string, files map[string]string, parent, message string, when time.Time, reach ...string) (string, error)
	Ref(ctx context.Context, remote push.Remote, gitDir, commit, ref, expectOld string) error
	Together(ctx context.Context, remote push.Remote, gitDir string, updates ...push.Update) error
}

// Archive is the ledgers of one repository. It is for one goroutine at a time.
type Archive struct {
	Transport Transport
	Remote    push.Remote
	GitDir    string // a bare repository to keep objects in
	RunsDir   string
	Now       func() time.Time
	Full      bool // also publish transcripts and prompts
	Pictures  bool // also publish pictures; never without this
	// Listed is what Refs has just answered for all ledgers, if it was asked: the
	// first Sync goes by it. A write that came since then is noticed by ours.
	Listed map[string]string

	apart bool // the forge takes no two refs at once
}

// Sync brings the ledgers whose ids begin with prefix into RunsDir and returns
// their ids, sorted. A local ledger that only goes further than the forge's, as
// after a crash before the last write, is kept.
func (a *Archive) Sync(ctx context.Context, prefix string) ([]string, error) {
	refs, err := a.Listed, error(nil)
	if a.Listed = nil; refs == nil {
		refs, err = a.Transport.Refs(ctx, a.Remote, Prefix+prefix+"*")
	}
	if err != nil {
		return nil, fmt.Errorf("list the ledgers of %s: %w", prefix, err)
	}
	var ids []string
	for ref, commit := range refs {
		id, ok := strings.CutPrefix(ref, Prefix)
		if !ok || !strings.HasPrefix(id, prefix) || ledger.CheckRunID(id) != nil {
			continue
		}
		ids = append(ids, id)
		if a.tip(id) == commit {
			continue
		}
		if err := a.fetch(ctx, id, ref, commit); err != nil {
			return nil, fmt.Errorf("fetch the ledger of %s: %w", id, err)
		}
		if err := a.setTip(id, commit); err != nil {
			return nil, err
		}
	}
	slices.Sort(ids)
	return ids, nil
}

func (a *Archive) fetch(ctx context.Context, id, ref, commit string) error {
	if err := a.Transport.Fetch(ctx, a.Remote, a.GitDir, "+"+ref+":"+ref); err != nil {
		return err
	}
	fresh, err := os.MkdirTemp(a.RunsDir, ".fetch-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(fresh)
	if err := a.Transport.ReadTree(ctx, a.GitDir, commit, fresh); err != nil {
		return err
	}
	ahead, err := a.ahead(id, fresh)
	if err != nil || ahead {
		return err
	}
	return a.replace(id, fresh)
}

// ahead reports whether the local chain begins with the forge's.
func (a *Archive) ahead(id, fresh string) (bool, error) {
	local, err := os.ReadFile(a.chain(a.RunsDir, id))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	theirs, err := os.ReadFile(a.chain(fresh, id))
	if err != nil {
		return false, err
	}
	return strings.HasPrefix(string(local), string(theirs)), nil
}

func (a *Archive) chain(dir, id string) string { return filepath.Join(dir, id, "evidence.jsonl") }

// replace puts the fetched directories of a run in place of the local ones.
func (a *Archive) replace(id, fresh string) error {
	old, err := directories(a.RunsDir, id)
	if err != nil {
		return err
	}
	for _, dir := range old {
		if err := os.RemoveAll(filepath.Join(a.RunsDir, dir)); err != nil {
			return err
		}
	}
	dirs, err := directories(fresh, id)
	if err != nil {
		return err
	}
	for _, dir := range dirs {
		if err := os.Rename(filepath.Join(fresh, dir), filepath.Join(a.RunsDir, dir)); err != nil {
			return err
		}
	}
	return nil
}

// Tip is the commit at which the ledger of a run was last read or written here, "" for
// none.
func (a *Archive) Tip(id string) string { return a.tip(id) }

// tip is the commit that the ref of a run was last read or written at here, "" for
// none. It is kept beside the ledgers, so that the next process need not fetch
// what this one wrote.
func (a *Archive) tip(id string) string {
	data, err := os.ReadFile(filepath.Join(a.RunsDir, ".tips", id))
	if err != nil {
		return ""
	}
	if _, err := os.Stat(a.chain(a.RunsDir, id)); err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}

func (a *Archive) setTip(id, commit string) error {
	dir := filepath.Join(a.RunsDir, ".tips")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return durable.WriteFile(filepath.Join(dir, id), []byte(commit+"\n"))
}

// directories lists the directories of a run under root: the run's own and those
// of its stages.
func directories(root, id string) ([]string, error) {
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range entries {
		if e.IsDir() && (e.Name() == id || strings.HasPrefix(e.Name(), id+"--")) {
			out = append(out, e.Name())
		}
	}
	return out, nil
}
