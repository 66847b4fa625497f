package reconcile

import (
	"fmt"
	"strings"
)

// start returns the run that a label, or a person's answer, asks for.
func (p *planner) start() (Action, bool) {
	if !p.o.Issue.Open {
		return Action{}, false
	}
	e := p.labelEvent()
	if e == nil {
		return Action{}, false
	}
	from, answer := p.owed()
	a := Action{Kind: StartRun, Label: e}
	if answer != nil {
		a.Continues = from.ID
		a.Key, a.Reason = "run:"+answer.Key, RetryAsked
		switch answer.Word {
		case Reject:
			a.Rejection, a.Reason = answer, RejectionCarried
		case Switch:
			a.Answer, a.Reason = answer, SwitchAsked
		default:
			a.Answer = answer
			if !p.recheckAgain(from, &a) {
				a.Key = ""
			}
		}
	}
	if !p.labelUsed(e.ID) {
		why := p.labelFault()
		switch {
		case why == "":
			a.Key, a.Reason = "run:"+labelKey(e.ID), LabelPutOn
			a.Goal = &Goal{Title: p.o.Issue.Title, Body: p.o.Issue.Body, Author: p.o.Issue.Author, LabelledAt: e.At}
		case why == TextEdited || why == EditsUnknown || why == NotPermitted:
			out := Action{To: e.Actor}
			if why == NotPermitted {
				out.Detail = string(p.o.Config.DecidePermission)
			}
			if say, ok := p.ask(out, labelKey(e.ID), why); ok {
				return say, true
			}
		}
	}
	if a.Key == "" {
		return Action{}, false
	}
	if len(p.o.Runs) >= p.o.Limits.runs() {
		return p.ask(Action{To: e.Actor, Detail: fmt.Sprint(p.o.Limits.runs())}, a.Key, RunLimit)
	}
	return a, true
}

// labelFault says why the label that is on now starts nothing, or "". One that was
// refused once, and said so, stays refused: a fresh label is a new event.
func (p *planner) labelFault() Reason {
	e := p.labelEvent()
	if why := p.standing(e.Actor); why != "" {
		return why
	}
	if p.spent[labelKey(e.ID)] {
		return AlreadyHandled
	}
	return p.textChanged(e)
}

// owed returns the newest answer of a person that asks for a run which nobody
// started yet.
func (p *planner) owed() (*Run, *Decision) {
	for i := len(p.o.Runs) - 1; i >= 0; i-- {
		r := &p.o.Runs[i]
		if len(r.Decisions) == 0 || p.continued(r.ID) {
			continue
		}
		d := &r.Decisions[len(r.Decisions)-1]
		switch d.Word {
		case Reject:
			if d.Cause == PullClosed {
				return nil, nil
			}
		case Retry, Switch:
		default:
			continue
		}
		if p.pullEnded(r) != "" && !after(d.At, p.o.Pull.ClosedAt) {
			return nil, nil
		}
		return r, d
	}
	return nil, nil
}

// continued reports whether another run goes on from this one. A recheck that failed
// judged what somebody pushed, and left the run's own candidate as it was.
func (p *planner) continued(id string) bool {
	for _, r := range p.o.Runs {
		if r.Continues == id && !(strings.HasPrefix(r.Trigger, recheckKey) && r.State == Sealed && !r.OK) {
			return true
		}
	}
	return false
}
