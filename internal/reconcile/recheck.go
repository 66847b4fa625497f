package reconcile

import (
	"slices"
	"strings"

	"github.com/tolboy/warden/forge"
)

// recheckKey begins the key of a run that judges what a person pushed.
const recheckKey = "run:recheck:"

// recheck returns the run that judges what a person pushed to the branch, where
// somebody who may decide asked for it: gates and readers look at the head, which
// becomes the candidate if they pass. Nobody writes in it.
func (p *planner) recheck() (Action, bool) {
	for _, a := range p.commands {
		if a.command.Verb != VerbRecheck || p.spent[a.key] || p.simpleReason(a) != "" || p.recheckFault() != "" {
			continue
		}
		if len(p.o.Runs) >= p.o.Limits.runs() {
			return p.ask(Action{To: a.author, Place: a.place, URL: a.url}, a.key, RunLimit)
		}
		r := p.successRun()
		return Action{Kind: StartRun, Key: recheckKey + a.key, Reason: RecheckAsked, Continues: r.ID, Head: p.o.Pull.HeadSHA,
			Label: &forge.IssueEvent{ID: r.LabelEventID, Actor: r.Labeler}}, true
	}
	return Action{}, false
}

// recheckFault says why there is nothing to judge again, or "".
func (p *planner) recheckFault() Reason {
	r, pull := p.successRun(), p.o.Pull
	switch {
	case !p.o.Issue.Open:
		return IssueClosed
	case !p.labelOn():
		return LabelOff
	case r == nil || pull == nil || !pull.Open || r.PublishedAt.IsZero() || p.stretchEnded(r.LabelEventID):
		return RecheckNoPull
	case p.o.Repo != "" && !strings.EqualFold(pull.HeadRepo, p.o.Repo):
		return RecheckNoPull // what lies in a fork is never checked out here
	case p.openPull(r) == nil:
		return RecheckNoPull
	case pull.HeadSHA == r.Candidate || p.awaitsHead(r, pull):
		return RecheckUnmoved
	}
	return ""
}

// recheckAgain makes a try of the same kind out of one: the head of now is judged.
func (p *planner) recheckAgain(from *Run, a *Action) bool {
	if !from.Recheck {
		return true
	}
	pull := p.openPull(from)
	if pull == nil || p.o.Repo != "" && !strings.EqualFold(pull.HeadRepo, p.o.Repo) {
		return false
	}
	a.Reason, a.Head = RecheckAsked, pull.HeadSHA
	return true
}

// rechecked are the acts that runs were started for.
func rechecked(runs []Run) []string {
	var out []string
	for _, r := range runs {
		if source, ok := strings.CutPrefix(r.Trigger, recheckKey); ok && !slices.Contains(out, source) {
			out = append(out, source)
		}
	}
	return out
}
