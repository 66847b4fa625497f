package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/tolboy/warden/internal/decision"
	"github.com/tolboy/warden/internal/git"
	"github.com/tolboy/warden/internal/land"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/redact"
	"github.com/tolboy/warden/internal/report"
	"github.com/tolboy/warden/internal/runner"
)

// landing is one `warden land` whose plan holds: nothing was changed yet.
type landing struct {
	local     *local
	red       *redact.Set
	state     decision.State
	plan      land.Plan
	draft     land.Draft
	texts     land.Texts
	performer land.Performer
	would     []string
	discard   func()
}

// unanswered names the commands that answer an open question, as they are typed here.
func (l *local) unanswered(s decision.State, err error) error {
	var no *land.RefusedError
	if !errors.As(err, &no) || s.State != decision.Pending {
		return err
	}
	var commands []string
	for _, o := range s.Options {
		commands = append(commands, answerWith(l.program, s.RunID, l.at(), o))
	}
	return &land.RefusedError{Code: no.Code, Message: no.Message, Hint: "a person answers it: " + strings.Join(commands, ", or ")}
}

func (w *landing) close() { w.discard() }

// openLanding looks at everything that the plan is made from, makes the plan, and
// writes the commit where the repository does not see it.
func (a *app) openLanding(ctx context.Context, o landOptions, id string) (*landing, error) {
	l, err := a.openLocal(o.project)
	if err != nil {
		return nil, err
	}
	w := &landing{local: l, discard: func() {}}
	if l.home, err = a.loadHome(); err != nil {
		return nil, err
	}
	if w.red, err = a.redactor(l.home); err != nil {
		return nil, err
	}
	if w.state, err = decision.Load(l.runsDir, id); err != nil {
		return nil, l.refusal(ctx, id, err)
	}
	if err := land.Accepted(w.state); err != nil {
		return nil, l.unanswered(w.state, err)
	}
	history, err := ledger.Read(l.runsDir, id)
	if err != nil {
		return nil, l.refusal(ctx, id, err)
	}
	m, err := a.machine(ctx, l.root)
	if err != nil {
		return nil, err
	}
	look, onHead := a.freshID("land"), a.freshID("landing")
	w.discard = func() { _, _ = m.Discard(look), m.Discard(onHead) }
	if err := a.draftLanding(ctx, w, m, o, history, look, onHead); err != nil {
		w.discard()
		return nil, err
	}
	return w, nil
}

func (a *app) draftLanding(ctx context.Context, w *landing, m *runner.Machine, o landOptions, history ledger.History, look, onHead string) error {
	l := w.local
	common, err := m.Git.CommonDir(ctx, l.root)
	if err != nil {
		return err
	}
	w.performer = land.Performer{Git: m.Git, Environ: asOperator(a.environ, l.home, l.root), Root: l.root, Common: common, Secret: w.red.Find}
	facts, err := a.landFacts(ctx, w, m, o, history, look)
	if err != nil {
		return err
	}
	if w.plan, err = land.Make(facts); err != nil {
		return err
	}
	told := report.Build(history)
	w.texts = land.Write(told, w.plan.Paths)
	if err := o.override(&w.texts); err != nil {
		return err
	}
	head, err := m.Git.Resolve(ctx, l.root, "HEAD")
	if err != nil {
		return err
	}
	judge, err := m.Judge(ctx, onHead, l.root, common, head, head, false)
	if err != nil {
		return err
	}
	w.draft, err = w.performer.Draft(ctx, land.Request{OnHead: judge, Head: head, Base: facts.Base, Seen: facts.Seen, Message: w.texts.Message, Now: w.state.UpdatedAt})
	if err != nil {
		return err
	}
	w.would, err = w.performer.WouldRun(ctx, w.plan, w.draft, history.Run.RunID, w.texts.Title, l.project.Land.PullRequest)
	return err
}

// landFacts looks at the repository. A base that is gone is left out: the plan
// refuses it by name.
func (a *app) landFacts(ctx context.Context, w *landing, m *runner.Machine, o landOptions, history ledger.History, look string) (land.Facts, error) {
	l, f := w.local, land.Facts{RunID: history.Run.RunID, Decision: w.state, Project: w.local.project.Land, Options: o.Options}
	base, err := m.Git.Resolve(ctx, l.root, history.Run.BaseCommit)
	var gone *git.UnresolvableError
	if errors.As(err, &gone) || history.Run.BaseCommit == "" {
		return f, nil
	}
	if err != nil {
		return f, err
	}
	judge, err := l.judge(ctx, m, look, base)
	if err != nil {
		return f, err
	}
	f.Base = base
	if f.Seen, err = judge.Snapshot(ctx); err != nil {
		return f, err
	}
	if f.Branch, err = m.Git.CurrentBranch(ctx, l.root); err != nil {
		return f, err
	}
	if f.Remotes, err = w.performer.Remotes(ctx); err != nil {
		return f, err
	}
	f.Staged, err = w.performer.Staged(ctx)
	return f, err
}
