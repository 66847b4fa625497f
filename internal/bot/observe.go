package bot

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tolboy/warden/forge"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/publish"
	"github.com/tolboy/warden/internal/reconcile"
)

// maxAsked bounds whose permission is looked up for one issue.
const maxAsked = 100

// observe reads everything a plan is made from. What could not be read is named
// in Unread, so that nothing is decided from half a picture. Without sync the
// ledgers are taken as they are here.
func (b *Bot) observe(ctx context.Context, number int, sync bool) (reconcile.Observed, error) {
	o := reconcile.Observed{Now: b.Now(), Limits: b.Limits, Permissions: map[int64]forge.Permission{}, ReviewEdited: map[int64]bool{}}
	if err := b.who(ctx); err != nil {
		return o, err
	}
	o.Self, o.Repo = b.self, b.Repo.String()
	base, err := b.Workshop.Base(ctx, "")
	if err != nil {
		return o, fmt.Errorf("read the contract: %w", err)
	}
	o.Config = config(base)
	if o.Issue, err = b.Forge.Issue(ctx, number); err != nil {
		return o, fmt.Errorf("read the issue: %w", err)
	}
	if o.Issue.IsPullRequest {
		return o, nil
	}
	if o.Events, err = b.Forge.IssueEvents(ctx, number); err != nil {
		return o, fmt.Errorf("read the issue's events: %w", err)
	}
	if o.IssueComments, err = b.Forge.Comments(ctx, number); err != nil {
		return o, fmt.Errorf("read the issue's comments: %w", err)
	}
	if err := b.ledgers(ctx, number, sync, &o); err != nil {
		return o, err
	}
	if err := b.pull(ctx, &o); err != nil {
		return o, err
	}
	o.Answered = append(o.Answered, publish.AnsweredKeys(slices.Concat(o.IssueComments, o.PullComments), o.Self)...)
	return o, b.permissions(ctx, &o)
}

func (b *Bot) who(ctx context.Context) error {
	if b.self.ID != 0 {
		return nil
	}
	self, err := b.Forge.Self(ctx)
	if err != nil {
		return fmt.Errorf("ask the forge who we are: %w", err)
	}
	b.self = self
	return nil
}

func config(base Base) reconcile.Config {
	k := base.Project.Forge
	c := reconcile.Config{Label: k.Label, BranchPrefix: k.BranchPrefix, DecidePermission: forge.Permission(k.Decide.Permission),
		SelfAccept: k.Decide.SelfAccept, Approvals: k.Decide.Approvals}
	if c.Label == "" { // there is no contract to say otherwise
		c.Label, c.BranchPrefix, c.DecidePermission, c.SelfAccept = "warden", "warden/", forge.Write, true
	}
	return c
}

// ledgers reads the issue's runs, oldest first, and its own log.
func (b *Bot) ledgers(ctx context.Context, number int, sync bool, o *reconcile.Observed) error {
	ids, err := b.known(ctx, number, sync)
	if err != nil {
		return err
	}
	var numbers []int
	for _, id := range ids {
		if id == logID(number) {
			if err := b.readLog(id, o); err != nil {
				return err
			}
			continue
		}
		if n, err := strconv.Atoi(strings.TrimPrefix(id, prefix(number))); err == nil && n > 0 {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	for _, n := range numbers {
		r, err := b.readRun(runID(number, n))
		if err != nil {
			return err
		}
		o.Runs = append(o.Runs, r)
	}
	return nil
}

// known lists the ledgers of an issue.
func (b *Bot) known(ctx context.Context, number int, sync bool) ([]string, error) {
	if sync {
		return b.Archive.Sync(ctx, prefix(number))
	}
	all, err := ledger.Runs(b.RunsDir)
	if err != nil {
		return nil, fmt.Errorf("list the ledgers: %w", err)
	}
	return slices.DeleteFunc(all, func(id string) bool { return !strings.HasPrefix(id, prefix(number)) }), nil
}

func runID(issue, n int) string { return prefix(issue) + strconv.Itoa(n) }

// readRun reads one ledger. One that does not verify is not believed: it stands
// in the way until a person has looked.
func (b *Bot) readRun(id string) (reconcile.Run, error) {
	check, err := ledger.Verify(b.RunsDir, id, "", ledger.VerifyOptions{Published: true})
	if err != nil {
		return reconcile.Run{}, fmt.Errorf("verify the ledger of %s: %w", id, err)
	}
	if !check.OK {
		return reconcile.Run{}, fmt.Errorf("the ledger of %s does not verify: %s: %s", id, check.Code, check.First)
	}
	h, err := ledger.Read(b.RunsDir, id)
	if err != nil {
		return reconcile.Run{}, fmt.Errorf("read the ledger of %s: %w", id, err)
	}
	return b.toRun(h)
}

// pull finds the issue's pull request by the branch of its runs.
func (b *Bot) pull(ctx context.Context, o *reconcile.Observed) error {
	branch := ""
	for _, r := range o.Runs {
		if r.Branch != "" {
			branch = r.Branch
		}
	}
	if branch == "" {
		return nil
	}
	all, err := b.Forge.PullRequests(ctx, branch)
	if err != nil {
		return fmt.Errorf("find the pull request of %s: %w", branch, err)
	}
	for i := range all {
		if o.Pull == nil || all[i].Open && !o.Pull.Open {
			o.Pull = &all[i]
		}
	}
	if o.Pull == nil {
		return nil
	}
	if o.Pull.Merged { // who did it stands in the answer about one, not in the list
		one, err := b.Forge.PullRequest(ctx, o.Pull.Number)
		if err != nil {
			return fmt.Errorf("read who merged %s: %w", branch, err)
		}
		o.Pull = &one
	}
	if o.PullComments, err = b.Forge.Comments(ctx, o.Pull.Number); err != nil {
		return fmt.Errorf("read the pull request's comments: %w", err)
	}
	if o.Reviews, err = b.Forge.Reviews(ctx, o.Pull.Number); err != nil {
		return fmt.Errorf("read the reviews: %w", err)
	}
	if err := b.committers(ctx, o); err != nil {
		return err
	}
	for _, r := range o.Reviews {
		o.ReviewEdited[r.ID] = r.EditedAt != nil || r.EditsUnknown
	}
	return nil
}

// committers are asked for where somebody pushed to the branch and it was judged:
// elsewhere every commit is ours. A forge that does not say leaves them unknown.
func (b *Bot) committers(ctx context.Context, o *reconcile.Observed) error {
	if !slices.ContainsFunc(o.Runs, func(r reconcile.Run) bool { return r.Recheck }) || o.Config.SelfAccept {
		return nil
	}
	var commits []forge.Commit
	known := false
	if teller, can := b.Forge.(forge.Historian); can {
		var err error
		if commits, known, err = teller.Commits(ctx, o.Pull.Number); err != nil {
			return fmt.Errorf("read who committed to pull request %d: %w", o.Pull.Number, err)
		}
	}
	var people []forge.User
	for _, c := range commits {
		if slices.ContainsFunc(o.Runs, func(r reconcile.Run) bool { return r.Candidate == c.SHA && !r.Recheck }) {
			continue // we made it
		}
		for _, u := range []forge.User{c.Author, c.Committer} {
			known = known && u.ID != 0
			if u.ID != 0 && !u.Same(o.Self) && !slices.ContainsFunc(people, u.Same) {
				people = append(people, u)
			}
		}
	}
	for i := range o.Runs {
		o.Runs[i].Committers, o.Runs[i].CommittersUnknown = people, !known
	}
	return nil
}

// permissions asks, now, what everybody may do whose word could count.
func (b *Bot) permissions(ctx context.Context, o *reconcile.Observed) error {
	var asked []forge.User
	add := func(u forge.User) {
		if u.ID != 0 && !u.Bot && !u.Same(o.Self) && !slices.ContainsFunc(asked, u.Same) && len(asked) < maxAsked {
			asked = append(asked, u)
		}
	}
	for _, e := range o.Events {
		if e.Kind == forge.Labeled && strings.EqualFold(e.Label, o.Config.Label) {
			add(e.Actor)
		}
	}
	for _, c := range slices.Concat(o.IssueComments, o.PullComments) {
		if _, found, _ := reconcile.ParseCommand(c.Body); found {
			add(c.Author)
		}
	}
	for _, r := range o.Reviews {
		add(r.Author)
	}
	for _, u := range asked {
		p, err := b.Forge.Permission(ctx, u)
		if errors.Is(err, forge.ErrNotFound) {
			p, err = forge.None, nil
		}
		if err != nil {
			o.Unread = append(o.Unread, "permission of "+u.Login)
			continue
		}
		o.Permissions[u.ID] = p
	}
	return nil
}
