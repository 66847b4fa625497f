package bot

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tolboy/warden/internal/archive"
	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/decision"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/reconcile"
)

// quiet is how long a worker may be silent beyond the stage it announced.
const quiet = 10 * time.Minute

// start claims a run and performs it to its seal.
func (b *Bot) start(ctx context.Context, o reconcile.Observed, a reconcile.Action, told *Told) error {
	plan, err := b.prepare(ctx, o, a)
	if err != nil {
		return err
	}
	told.RunID = plan.head.RunID
	run, err := b.reserve(plan.head)
	if err != nil {
		return fmt.Errorf("reserve %s: %w", plan.head.RunID, err)
	}
	defer run.Close()
	text, err := run.WriteFile(run.ID()+"/"+issueFile, plan.text) // the claim carries it
	if err != nil {
		return err
	}
	if err := b.save(ctx, run.ID()); err != nil {
		if errors.Is(err, archive.ErrTaken) {
			_ = os.RemoveAll(filepath.Join(b.RunsDir, run.ID())) // it was never ours
		}
		return err
	}
	if plan.problem != "" {
		return b.stopBefore(run, plan, text)
	}
	order := plan.order
	order.Given = []ledger.File{text}
	order.Ledger = run
	order.Cross = func(ctx context.Context, next string, limit time.Duration) (outcome.Code, string) {
		return b.cross(ctx, o.Issue.Number, run, limit)
	}
	order.Charged = func(ctx context.Context) error { return b.save(ctx, run.ID()) }
	failed := b.Workshop.Run(ctx, order)
	if run.Sealed() == "" {
		if err := b.stopOn(run, failed); err != nil {
			return err
		}
	}
	if err := b.ask(run); err != nil {
		return err
	}
	b.later(run.ID(), candidates(run)...)
	return nil
}

// reserve makes the run's directory. One that a worker left which died before its
// claim reached the forge is nobody's: nothing was done in it.
func (b *Bot) reserve(head ledger.RunHead) (*ledger.Run, error) {
	run, err := ledger.Create(b.RunsDir, head, b.Redact)
	if !errors.Is(err, ledger.ErrExists) {
		return run, err
	}
	left, readErr := ledger.Read(b.RunsDir, head.RunID)
	if readErr != nil || len(left.Lines) > 0 {
		return nil, err
	}
	var alive *bool
	if b.Alive != nil {
		alive = b.Alive(left.Run.Owner)
	}
	if alive != nil && *alive || alive == nil && b.Now().Sub(left.Run.ReservedAt) < quiet {
		return nil, archive.ErrTaken
	}
	if err := os.RemoveAll(filepath.Join(b.RunsDir, head.RunID)); err != nil {
		return nil, err
	}
	return ledger.Create(b.RunsDir, head, b.Redact)
}

// ask puts the question about a sealed run into its chain.
func (b *Bot) ask(run *ledger.Run) error {
	for _, l := range run.History().Lines {
		var e ledger.Ending
		if !ledger.Seals(l.Type) {
			continue
		}
		if err := l.Decode(&e); err != nil {
			return err
		}
		q := decision.Question{Kind: decision.Kind(question(e)), Reason: string(e.Code) + ": " + e.Detail}
		if e.OK && e.Candidate != nil {
			q.Reason, q.Fingerprint, q.Commit = e.SafeNextStep, e.Candidate.Fingerprint, e.Candidate.Commit
		}
		_, err := decision.Open(run, q, b.Now())
		return err
	}
	return nil
}

// stopBefore seals a run that cannot begin, with the reason for a person.
func (b *Bot) stopBefore(run *ledger.Run, plan plan, text ledger.File) error {
	end := ledger.Ending{Code: outcome.RunPreflightFailed, Detail: plan.problem, NextAction: "human_escalation",
		SafeNextStep: "correct what is named above, then retry", Confinement: plan.head.Confinement}
	if _, err := run.Append(ledger.TypeNote, b.Now(), ledger.Note{About: "issue", Text: "the text that the task was to be made from"}, text); err != nil {
		return err
	}
	if _, err := run.Append(ledger.TypeStopped, b.Now(), end); err != nil {
		return err
	}
	if err := b.ask(run); err != nil {
		return err
	}
	b.later(run.ID())
	return nil
}

// stopOn seals a run that ended without a word of its own.
func (b *Bot) stopOn(run *ledger.Run, failed error) error {
	code, detail := outcome.UnexpectedError, "the run ended without a result"
	var stopped *StoppedError
	if errors.As(failed, &stopped) {
		code = stopped.Code
	}
	if failed != nil {
		detail = failed.Error()
	}
	_, err := run.Append(ledger.TypeStopped, b.Now(), ledger.Ending{Code: code, Detail: detail,
		NextAction: "human_escalation", SafeNextStep: "read the ledger, then retry or abort"})
	return err
}

// candidates are the commits that have to stay reachable from the ledger.
func candidates(run *ledger.Run) []string {
	for _, l := range run.History().Lines {
		var e ledger.Ending
		if ledger.Seals(l.Type) && l.Decode(&e) == nil && e.Candidate != nil && e.Candidate.Commit != "" {
			return []string{e.Candidate.Commit}
		}
	}
	return nil
}

// cross renews the lease at a boundary and asks whether a person said stop. The
// lease is published with the call that the next stage makes, or at once when the
// last word on the forge is growing old.
func (b *Bot) cross(ctx context.Context, issue int, run *ledger.Run, limit time.Duration) (outcome.Code, string) {
	lines := run.History().Lines
	until := b.Now().Add(limit + quiet).UTC().Format(time.RFC3339)
	if _, err := run.Append(ledger.TypeNote, b.Now(), ledger.Note{About: leaseNote, Text: until}); err != nil {
		if errors.Is(err, ledger.ErrAltered) {
			return outcome.LedgerAltered, err.Error()
		}
		return outcome.UnexpectedError, err.Error()
	}
	if n := len(lines); n > 0 && b.Now().Sub(lines[n-1].At) > quiet/2 {
		if err := b.save(ctx, run.ID()); err != nil {
			return lost(err)
		}
	}
	o, err := b.observe(ctx, issue, false)
	if err != nil {
		return "", "" // not being able to look is no reason to stop
	}
	if why := reconcile.ShouldStop(o, run.ID()); why != "" {
		return outcome.Stopped, string(why)
	}
	return "", ""
}

// lost says what a failed write of the ledger means for the run.
func lost(err error) (outcome.Code, string) {
	if errors.Is(err, archive.ErrTaken) {
		return outcome.Interrupted, "the run was taken over by another worker"
	}
	return outcome.UnexpectedError, err.Error()
}

// plan is a run before it is claimed.
type plan struct {
	head    ledger.RunHead
	order   Order
	problem string // why it cannot begin, for a person
	text    []byte // issueFile
}

// issueFile keeps the issue's text as it stood when the label was put on, and the
// task that was made from it. A run that continues this one reads it again.
const issueFile = "issue.json"

type issueText struct {
	Title string `json:"title"`
	Body  string `json:"body"`
	Task  string `json:"task_yaml,omitempty"`
}

// prepare works out what a run is about, from the label or from the run that it
// continues.
func (b *Bot) prepare(ctx context.Context, o reconcile.Observed, a reconcile.Action) (plan, error) {
	number := len(o.Runs) + 1
	p := plan{head: ledger.RunHead{
		SchemaVersion: ledger.SchemaVersion, RunID: runID(o.Issue.Number, number), ReservedAt: b.Now().UTC(), Owner: b.Owner,
		Continues: a.Continues, WardenVersion: b.Version, Confinement: b.Workshop.Confinement(), PolicySHA256: b.Workshop.PolicySHA256(),
		Forge: &ledger.ForgeRef{Kind: b.Kind, Repo: b.Repo.String(), Issue: o.Issue.Number, LabelEventID: a.Label.ID, Actor: actor(a.Label.Actor), Trigger: a.Key},
	}}
	before, err := b.before(o, a.Continues)
	if err != nil {
		return p, err
	}
	base, err := b.Workshop.Base(ctx, before.base)
	if err != nil {
		return p, fmt.Errorf("read the contract: %w", err)
	}
	title, body := before.title, before.body
	if a.Goal != nil {
		title, body = a.Goal.Title, a.Goal.Body
	}
	p.head.BaseCommit, p.head.StartCommit = base.Commit, base.Commit
	if before.candidate != "" {
		p.head.StartCommit = before.candidate
	}
	p.head.Branch = before.branch
	if p.head.Branch == "" {
		p.head.Branch = branchName(base, o.Issue.Number, title)
	}
	p.head.GoalSHA256 = digest(title + "\n\n" + body)
	p.head.ContractSHA256 = base.Contract.SHA256()
	p.head.Chain = before.chain
	task, problem := synthesize(base, o.Issue.Number, title, body)
	if p.text, err = json.MarshalIndent(issueText{Title: title, Body: body, Task: string(task.yaml)}, "", "  "); err != nil {
		return p, err
	}
	p.problem = problem
	p.head.TaskID, p.head.TaskSHA256 = task.task.ID, digest(string(task.yaml))
	if p.head.TaskID == "" {
		p.head.TaskID = fmt.Sprintf("issue-%d", o.Issue.Number)
	}
	rejection, rejected := a.Rejection, a.Continues
	if rejection == nil {
		rejection, rejected = carried(o, a.Continues)
	}
	p.order = Order{Task: task.task, Base: base, Start: p.head.StartCommit, Branch: p.head.Branch, Issue: o.Issue.Number, Number: number,
		Rejection: rejection, Rejected: rejected, Prior: before.chain, Writers: before.writers,
		Reserved: ledger.RunReserved{ContinuedFrom: a.Continues, Branch: p.head.Branch, Isolation: "mirror"}}
	if rejection != nil {
		p.order.Reserved.RejectionSHA256 = digest(string(rejection.Note))
	}
	if a.Reason == reconcile.SwitchAsked && before.failover != nil {
		p.order.Switch = &ledger.Switch{Role: before.failover.Role, Profile: before.failover.ToProfile}
		p.order.Reserved.AuthorizedFailover = p.order.Switch
	}
	return p, nil
}

// carried is the rejection that a run which is tried again was to answer, and the
// run whose candidate it refused. The one that broke off left no candidate, so the
// words are still owed to a writer.
func carried(o reconcile.Observed, id string) (*reconcile.Decision, string) {
	for i := len(o.Runs) - 1; i >= 0 && id != ""; i-- {
		if o.Runs[i].ID != id {
			continue
		}
		if n := len(o.Runs[i].Decisions); n > 0 && o.Runs[i].Decisions[n-1].Word == reconcile.Reject {
			return &o.Runs[i].Decisions[n-1], id
		}
		id = o.Runs[i].Continues
	}
	return nil, ""
}

// drafted is a task that was made from an issue.
type drafted struct {
	task contract.Task
	yaml []byte
}

// synthesize drafts the task from names that the contract declares. What is
// wrong with the contract or the issue's block is said to a person.
func synthesize(base Base, issue int, title, body string) (drafted, string) {
	if base.Problem != "" {
		return drafted{}, base.Problem
	}
	block, faults := contract.ParseIssueBlock(body)
	if len(faults) == 0 {
		faults = block.Check(base.Project)
	}
	if len(faults) > 0 {
		return drafted{}, faults.Error()
	}
	task, yaml, err := contract.Synthesize(fmt.Sprintf("issue-%d", issue), contract.IssueGoal(title, body), block, base.Project)
	if err != nil {
		return drafted{}, err.Error()
	}
	return drafted{task, yaml}, ""
}

// branchName is the one branch of an issue.
func branchName(base Base, issue int, title string) string {
	prefix := base.Project.Forge.BranchPrefix
	if prefix == "" {
		prefix = "warden/"
	}
	name := fmt.Sprintf("%sissue-%d-%s", prefix, issue, contract.TaskSlug(title))
	if len(name) > 100 {
		name = strings.TrimRight(name[:100], "-")
	}
	return name
}

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}
