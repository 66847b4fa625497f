package clean

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tolboy/warden/internal/decision"
	"github.com/tolboy/warden/internal/ledger"
)

// Found is one run of a directory of runs, or what is left of one.
type Found struct {
	RunID  string
	Ledger bool     // it has a chain; else there are only stages of gates or of a role alone
	Head   string   // of the chain
	TaskID string   // as run.json says
	Branch string   // of its candidate, as run.json says
	Dirs   []string // names below the directory of runs, its own first
	Log    bool     // of an issue, and no run
	Reason Reason   // why it stays
	Detail string
}

// Runs looks at every run of a directory and judges it by the rule. tracked reports
// whether git has a path below it, relative to the directory. A directory that is
// missing has none.
func Runs(runsDir string, before time.Time, rule Rule, tracked func(name string) bool) ([]Found, error) {
	entries, err := os.ReadDir(runsDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look at the runs: %w", err)
	}
	var all []Found
	at, continues := map[string]int{}, map[string]string{}
	for _, e := range entries { // sorted: a run stands before its stages
		id, stage, divided := strings.Cut(e.Name(), "--")
		if !e.IsDir() || ledger.CheckRunID(id) != nil || divided && !ledger.IsStageDir(stage) {
			continue // not ours
		}
		if _, seen := at[id]; !seen {
			at[id] = len(all)
			all = append(all, Found{RunID: id})
		}
		f := &all[at[id]]
		f.Dirs = append(f.Dirs, e.Name())
		if e.Name() == id {
			continues[id] = f.look(runsDir, before, rule)
		}
	}
	for i := range all {
		all[i].finish(runsDir, before, tracked)
	}
	keepWhatGoesOn(all, at, continues)
	return all, nil
}

// look reads the chain, and returns which run this one continues.
func (f *Found) look(runsDir string, before time.Time, rule Rule) (continues string) {
	h, err := ledger.Read(runsDir, f.RunID)
	if errors.Is(err, ledger.ErrUnknownRun) {
		if left, err := os.ReadDir(filepath.Join(runsDir, f.RunID)); err != nil || len(left) > 0 {
			f.Reason, f.Detail = Altered, "it has no run.json, and is not empty"
		}
		return "" // nothing was ever written
	}
	f.Ledger = true
	if err != nil {
		f.Reason, f.Detail = Altered, err.Error()
		return ""
	}
	f.Head, f.TaskID, f.Branch, f.Log = h.Head(), h.Run.TaskID, h.Run.Branch, isLog(h)
	s, err := decision.Load(runsDir, f.RunID)
	asked := err == nil
	if err != nil && decision.CodeOf(err) != decision.UnknownRun {
		f.Reason, f.Detail = Altered, err.Error()
		return h.Run.Continues
	}
	f.Reason = rule(h, asked, s, before)
	return h.Run.Continues
}

// finish judges what is the same for a run and for stages alone.
func (f *Found) finish(runsDir string, before time.Time, tracked func(string) bool) {
	for _, name := range f.Dirs {
		if f.Reason == "" && tracked(name) {
			f.Reason, f.Detail = Tracked, name
		}
		if info, err := os.Lstat(filepath.Join(runsDir, name)); f.Reason == "" && !f.Ledger && (err != nil || !info.ModTime().Before(before)) {
			f.Reason = TooRecent
		}
	}
}

// keepWhatGoesOn keeps the runs that a kept one goes on from.
func keepWhatGoesOn(all []Found, at map[string]int, continues map[string]string) {
	for range all { // each round keeps one more, or it is over
		changed := false
		for _, f := range all {
			from, there := at[continues[f.RunID]]
			if f.Reason != "" && there && all[from].Reason == "" {
				all[from].Reason, all[from].Detail, changed = Continued, f.RunID, true
			}
		}
		if !changed {
			return
		}
	}
}
