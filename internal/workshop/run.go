package workshop

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/tolboy/warden/forge"
	"github.com/tolboy/warden/internal/bot"
	"github.com/tolboy/warden/internal/engine"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/push"
	"github.com/tolboy/warden/internal/role"
	"github.com/tolboy/warden/internal/runner"
	"github.com/tolboy/warden/internal/worktree"
)

// Run implements bot.Workshop: it cuts a worktree at the start commit and drives
// the run in it. The worktree goes when the run is sealed; the candidate stays
// in the private git directory.
func (w *Workshop) Run(ctx context.Context, o bot.Order) error {
	id := o.Ledger.ID()
	dir := filepath.Join(w.Machine.StateDir, "trees", id)
	if err := w.have(ctx, o.Start, o.Branch); err != nil {
		return err
	}
	start := o.Start
	if o.Work != "" {
		if err := w.fetchWork(ctx, o.WorkOf, o.Work); err != nil {
			return err
		}
		start = o.Work
	}
	if err := w.room(ctx, dir); err != nil {
		return err
	}
	tree, err := worktree.Cut(ctx, w.Machine.Git, worktree.CutSpec{Repo: w.Mirror, Dir: dir, Start: start})
	if err != nil {
		return fmt.Errorf("cut the worktree: %w", err)
	}
	var gone sync.WaitGroup
	remove := sync.OnceFunc(func() {
		gone.Go(func() { _ = worktree.Remove(context.WithoutCancel(ctx), w.Machine.Git, w.Mirror, tree.Dir) })
	})
	defer gone.Wait()
	defer remove()
	if err := o.Claimed(); err != nil {
		return err
	}
	order := runner.Order{
		Ledger: o.Ledger, RunsDir: w.RunsDir, Task: o.Task, Project: o.Base.Project, Contract: o.Base.Contract, Home: w.home,
		Worktree: tree.Dir, Fresh: true, Source: w.Mirror, Settings: tree.Settings, Base: o.Base.Commit, Head: start, Parent: o.Start, Recheck: o.Recheck, Earlier: o.Earlier,
		Rejection: rejection(o), Chain: o.Prior, Writers: o.Writers, Authors: o.Authors, Known: o.Known, Setup: o.Base.Project.Setup,
		Reserved: o.Reserved, Given: o.Given, Boundary: boundary{o}, Identity: w.identity(o), Secrets: w.Secrets, Rotation: o.Number,
	}
	if o.Switch != nil {
		order.Switch = &role.Switch{Role: o.Switch.Role, Profile: o.Switch.Profile}
	}
	if w.Notice != nil {
		order.Notice = w.Notice(o)
		if err := w.tellPointers(ctx, tree.Dir, start, order.Notice); err != nil {
			return err
		}
	}
	end, err := w.Machine.Run(ctx, order)
	remove() // while the candidate is kept
	var setup *runner.SetupError
	if errors.As(err, &setup) {
		return &bot.StoppedError{Code: setup.Code, Text: setup.Text}
	}
	if err != nil || end.Candidate == nil || end.Candidate.Commit == "" {
		return err
	}
	// The candidate goes where the ledger's commit can reach it.
	err = w.Machine.Git.Carry(context.WithoutCancel(ctx), w.Machine.JudgeDir(id), w.Ledgers, end.Candidate.Commit, "refs/candidates/"+id)
	if err == nil {
		w.kept = end.Candidate.Commit
	}
	return err
}

// room makes the place for a worktree. What stands there is of a worker that died
// before it had claimed the run: nobody has worked in it.
func (w *Workshop) room(ctx context.Context, dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if worktree.Remove(ctx, w.Machine.Git, w.Mirror, dir) == nil {
		return nil
	}
	return os.RemoveAll(dir) // git had not heard of it yet
}

// have makes sure that the start commit is in the mirror. A candidate of ours is
// on its branch on the forge.
func (w *Workshop) have(ctx context.Context, commit, branch string) error {
	if _, err := w.Machine.Git.Run(ctx, w.Mirror, "cat-file", "-e", commit+"^{commit}"); err == nil {
		return nil
	}
	ref := "refs/heads/" + branch
	if _, err := w.Machine.Git.Run(ctx, w.Ledgers, "cat-file", "-e", commit+"^{commit}"); err == nil {
		// Without the commits before it the forge is asked for all of them.
		if err := w.Machine.Git.Carry(ctx, w.Ledgers, w.Mirror, commit, ref); err == nil || ctx.Err() != nil {
			return err
		}
	}
	return w.Pusher.Fetch(ctx, w.Remote, w.Mirror, "+"+ref+":"+ref)
}

// fetchWork brings what an earlier run left into the mirror. It is reachable from
// the ledger of that run.
func (w *Workshop) fetchWork(ctx context.Context, runID, commit string) error {
	dir, err := w.holder(ctx, runID, commit)
	if err != nil || dir == w.Mirror {
		return err
	}
	return w.Pusher.Fetch(ctx, push.Remote{URL: dir}, w.Mirror, "+"+commit+":refs/parked/"+runID)
}

// boundary adapts what the bot does between stages.
type boundary struct{ order bot.Order }

// Cross implements engine.Boundary.
func (b boundary) Cross(ctx context.Context, next string, limit time.Duration) *engine.Refusal {
	if b.order.Cross == nil {
		return nil
	}
	code, detail := b.order.Cross(ctx, next, limit)
	if code == "" {
		return nil
	}
	return &engine.Refusal{Code: code, Detail: detail}
}

// Charged implements engine.Boundary.
func (b boundary) Charged(ctx context.Context) *engine.Refusal {
	if b.order.Charged == nil {
		return nil
	}
	if err := b.order.Charged(ctx); err != nil {
		return &engine.Refusal{Code: outcome.Interrupted, Detail: err.Error()}
	}
	return nil
}

func rejection(o bot.Order) *engine.Rejection {
	d := o.Rejection
	if d == nil {
		return nil
	}
	r := &engine.Rejection{Run: o.Rejected, Actor: d.Actor.Login, Note: d.Note, Comments: lineNotes("", d.Inline)}
	for _, v := range d.Others {
		r.Comments = append(r.Comments, engine.LineNote{Actor: v.Actor.Login, Body: string(v.Note)})
		r.Comments = append(r.Comments, lineNotes(v.Actor.Login, v.Inline)...)
	}
	return r
}

// lineNotes are the comments on lines of somebody other than the rejection's
// actor, or of the actor where none is named.
func lineNotes(actor string, comments []forge.ReviewComment) []engine.LineNote {
	var out []engine.LineNote
	for _, c := range comments {
		out = append(out, engine.LineNote{Actor: actor, Path: c.Path, StartLine: c.StartLine, Line: c.Line, Side: c.Side, DiffHunk: c.DiffHunk, Body: c.Body})
	}
	return out
}

// identity names the commit's author and writes its message: what ran, and by
// whom, in trailers.
func (w *Workshop) identity(o bot.Order) *runner.Identity {
	id := w.Identity
	id.Message = func(e ledger.Ending, writers []string) string {
		title, _, _ := strings.Cut(o.Task.Goal, "\n")
		if r := []rune(title); len(r) > 72 {
			title = string(r[:69]) + "..."
		}
		var b strings.Builder
		fmt.Fprintf(&b, "%s\n\nRefs #%d\n\nWarden-Run: %s\n", title, o.Issue, o.Ledger.ID())
		for _, v := range writers {
			fmt.Fprintf(&b, "Warden-Vendor: %s\n", v)
		}
		return b.String()
	}
	return &id
}
