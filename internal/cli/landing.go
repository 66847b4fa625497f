package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tolboy/warden/internal/decision"
	"github.com/tolboy/warden/internal/git"
	"github.com/tolboy/warden/internal/land"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/policy"
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
		return nil, err
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
	w.performer = land.Performer{Git: m.Git, Environ: withoutKeys(a.environ, l.home), Root: l.root, Common: common, Secret: w.red.Find}
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

// perform does the steps that were asked for, each between two lines of the ledger,
// and returns how far it came.
func (w *landing) perform(ctx context.Context, o land.Options, j land.Journal, out *landResult) (land.Code, error) {
	p, d, command := w.performer, w.draft, w.local.project.Land.PullRequest
	again := "warden land " + out.RunID + w.local.at()
	if !d.Already {
		if err := j.Commit(w.plan, d, func() error { return p.Take(ctx, d, w.plan.Branch, out.RunID) }); err != nil {
			return orCode(err, land.GitCommitFailed), err
		}
	}
	out.Next = again + " --push"
	if !o.Push {
		return land.Committed, nil
	}
	if err := j.Push(w.plan, d, func() error { return p.Push(ctx, w.plan, d.Commit) }); err != nil {
		return orCode(err, land.GitPushFailed), err
	}
	out.Next = again + " --pull-request"
	if len(command) == 0 {
		out.Next = land.Suggest(w.plan)
	}
	if !o.PullRequest {
		return land.Pushed, nil
	}
	err := j.Request(w.plan, d, func() (string, error) {
		said, err := p.Open(ctx, w.plan, command, w.texts.Title, w.texts.Body)
		out.Note = strings.TrimPrefix(out.Note+"; "+said, "; ")
		return said, err
	})
	if err != nil {
		return orCode(err, land.PullRequestFailed), err
	}
	out.Next = "a person reviews it, and merges it or not"
	return land.PullRequestOpened, nil
}

func orCode(err error, code land.Code) land.Code {
	if c := land.CodeOf(err); c != "" {
		return c
	}
	return code
}

// override puts the operator's own words in place of ours.
func (o landOptions) override(t *land.Texts) (err error) {
	if o.title != "" {
		if strings.ContainsAny(o.title, "\n\r\x00") {
			return usagef("the title is more than one line")
		}
		t.Title = o.title
	}
	if o.messageFile != "" {
		if t.Message, err = readText(o.messageFile, "the commit message"); err != nil {
			return err
		}
	}
	if o.bodyFile != "" {
		t.Body, err = readText(o.bodyFile, "the text of the pull request")
	}
	return err
}

func (w *landing) result() landResult {
	out := landResult{
		RunID: w.state.RunID, Project: w.local.project.Name, Branch: w.plan.Branch, Base: w.plan.Base, AcceptedAt: w.state.Token(),
		Paths: w.plan.Paths, Extras: append([]string{}, w.plan.Extras...), Commit: w.draft.Commit,
		Text: w.texts.Message, Title: w.texts.Title, WouldRun: w.would,
	}
	if w.plan.Remote != nil {
		out.Remote = w.plan.Remote.Name
	}
	if w.state.Actor != nil {
		out.AcceptedBy = *w.state.Actor
	}
	var notes []string
	if w.draft.Already {
		notes = append(notes, alreadyThere(w.draft.Commit, w.plan.Branch))
	}
	if n := len(out.Extras); n > 0 {
		notes = append(notes, fmt.Sprintf("%d staged paths are no part of the candidate and stay staged", n))
	}
	out.Note = strings.Join(notes, "; ")
	return out
}

// withoutKeys takes the keys that profiles name out of an environment: they are the
// vendors', not a forge's.
func withoutKeys(environ []string, home policy.Home) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		for _, p := range home.Profiles {
			if slices.Contains(p.APIKeyEnv, name) {
				return true
			}
		}
		return false
	})
}
