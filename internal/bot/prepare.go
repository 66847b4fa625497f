package bot

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/reconcile"
	"github.com/tolboy/warden/internal/reuse"
)

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
		Forge: &ledger.ForgeRef{Kind: b.Kind, Repo: b.Repo.String(), Issue: o.Issue.Number, LabelEventID: a.Label.ID, Actor: actor(a.Label.Actor), Trigger: a.Key, Recheck: a.Head != ""},
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
	if a.Head != "" {
		p.head.StartCommit = a.Head
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
	if rejection == nil && a.Head == "" {
		rejection, rejected = carried(o, a.Continues)
	}
	p.order = Order{Task: task.task, Base: base, Start: p.head.StartCommit, Branch: p.head.Branch, Issue: o.Issue.Number, Number: number,
		Recheck: a.Head != "", Rejection: rejection, Rejected: rejected, Prior: before.chain, Writers: before.writers, Authors: before.authors, Known: before.trees,
		Reserved: ledger.RunReserved{ContinuedFrom: a.Continues, CarriedFailovers: before.allowed, Branch: p.head.Branch, Isolation: "mirror"}}
	if rejection != nil {
		p.order.Reserved.RejectionSHA256 = digest(string(rejection.Note))
	}
	if a.Answer != nil && a.Head == "" {
		b.carry(&p.order, before, a)
	}
	if a.Reason == reconcile.SwitchAsked && before.failover != nil {
		p.order.Switch = &ledger.Switch{Role: before.failover.Role, Profile: before.failover.ToProfile}
		p.order.Reserved.AuthorizedFailover = p.order.Switch
	}
	return p, nil
}

// carry lets a run that a person had tried again go on from the work of the one
// before, where nothing speaks against that work, and from the verdicts over it.
func (b *Bot) carry(o *Order, before past, a reconcile.Action) {
	o.Earlier = reuse.Newest(before.runs)
	if before.parked != "" {
		o.Work, o.WorkOf = before.parked, a.Continues
	}
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
