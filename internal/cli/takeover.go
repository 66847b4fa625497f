package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/tolboy/warden/internal/decision"
	"github.com/tolboy/warden/internal/durable"
	"github.com/tolboy/warden/internal/engine"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/policy"
	"github.com/tolboy/warden/internal/reconcile"
)

// runningRow is a run that has not ended. Alive is null where it cannot be told
// whether its process still works on it.
type runningRow struct {
	RunID    string    `json:"run_id"`
	TaskID   string    `json:"task_id"`
	Worktree string    `json:"worktree,omitempty"`
	PID      int       `json:"pid"`
	Started  time.Time `json:"started"`
	Alive    *bool     `json:"alive"`
}

// takeOver ends the runs whose process is gone, all of the project where none is
// named, puts the questions that they owe, and removes what they kept beside their
// ledgers. It returns those that have not ended. What cannot be read is left to
// whoever asks for it by name; what cannot be written is told and left.
func (a *app) takeOver(ctx context.Context, l *local, ids ...string) ([]runningRow, error) {
	if len(ids) == 0 {
		var err error
		if ids, err = ledger.Runs(l.runsDir); err != nil {
			return nil, err
		}
	}
	rows, at := []runningRow{}, here()
	for _, id := range ids {
		h, err := ledger.Read(l.runsDir, id)
		if err != nil || h.Damaged != "" {
			continue
		}
		_, sealed := h.Sealed()
		live := working(h.Run.Owner, at)
		if live != nil && !*live {
			if err = a.settle(ctx, l, h, sealed); err == nil {
				continue
			}
			a.narrate("warden: take run %s over: %v", id, err)
		}
		if !sealed {
			rows = append(rows, runningRow{RunID: id, TaskID: h.Run.TaskID, PID: h.Run.Owner.PID, Started: h.Run.Owner.Started, Alive: live})
		}
	}
	return rows, nil
}

// settle does for a run what its process can no longer do.
func (a *app) settle(ctx context.Context, l *local, h ledger.History, sealed bool) error {
	id := h.Run.RunID
	owes, err := a.owes(l, h)
	if err != nil {
		return err
	}
	if owes {
		if err := a.endCutOff(ctx, l, id); err != nil {
			return err
		}
		if is, _, _ := drafting(h); !sealed && is {
			a.narrate("preparation %s was cut off: it is ended as interrupted", id)
		} else if !sealed {
			a.narrate("run %s was cut off: it is ended as interrupted, and its question is put", id)
		}
	}
	if err := a.sweep(ctx, l, id); err != nil {
		a.narrate("warden: remove what run %s kept beside its ledger: %v", id, err)
	}
	return nil
}

// owes reports whether a run is not ended, was not asked about, or lacks a summary.
func (a *app) owes(l *local, h ledger.History) (bool, error) {
	line, sealed := h.Sealed()
	if !sealed {
		return true, nil
	}
	var end ledger.Ending
	if err := line.Decode(&end); err != nil {
		return false, err
	}
	asked := slices.ContainsFunc(h.Lines, func(l ledger.Line) bool { return l.Type == ledger.TypeDecisionPending })
	if end.NextAction == engine.NoAction {
		return false, nil
	}
	_, err := os.Lstat(filepath.Join(l.runsDir, h.Run.RunID, "report.json"))
	return !asked || errors.Is(err, os.ErrNotExist), nil
}

// endCutOff seals the ledger, puts the question and writes the summaries, while no
// other process does the same.
func (a *app) endCutOff(ctx context.Context, l *local, id string) (err error) {
	dir, err := durable.OpenDir(l.runsDir)
	if err != nil {
		return err
	}
	defer dir.Close()
	unlock, err := dir.Lock(ctx, path.Join(id, "takeover.lock"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	home, err := a.loadHome()
	if err != nil {
		home = policy.Home{} // what is written here comes from the ledger, without secrets already
	}
	red, err := a.redactor(home)
	if err != nil {
		return err
	}
	run, err := ledger.Open(l.runsDir, id, red)
	if err != nil {
		return err
	}
	defer run.Close()
	end, err := run.CutOff(a.now(), "the process that worked on it is gone")
	if err != nil {
		return err
	}
	if end.NextAction != engine.NoAction {
		if _, err := decision.Open(run, question(end), a.now()); err != nil && !errors.Is(err, decision.ErrAsked) {
			return err
		}
	}
	return summarise(run)
}

// stillRunning refuses an answer to a question that nobody has put yet.
func stillRunning(r runningRow) error {
	hint := fmt.Sprintf("process %d works on it; end it first, or wait", r.PID)
	switch {
	case r.Alive == nil:
		hint = "it was started on another machine or in another container: whether it is at work can be told there alone"
	case !*r.Alive:
		hint = "its process is gone, and its end could not be written; see the message above"
	}
	return &refused{Code: string(reconcile.RunInProgress), Message: fmt.Sprintf("run %q has not ended", r.RunID), Hint: hint}
}
