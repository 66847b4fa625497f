package reconcile

import (
	"slices"
	"strings"

	"github.com/tolboy/warden/forge"
)

// Plan returns the one thing that is owed next. It is total and deterministic:
// the same observation gives the same action, whatever the order of the slices
// that have none. Performing its answers one after another, and observing again
// after each, ends in Nothing or Ignore.
func Plan(o Observed) Action {
	if len(o.Unread) > 0 || o.Now.IsZero() || o.Config.Label == "" || o.Issue.Number == 0 {
		return Action{Kind: Nothing, Reason: ObservationPartial}
	}
	p := newPlanner(o)
	if o.Issue.IsPullRequest {
		return p.ignored(LabelOnPull)
	}
	latest := p.latest()
	if latest != nil && latest.State != Sealed {
		return p.running(latest)
	}
	for _, step := range []func() (Action, bool){
		p.show, p.record, p.toggleDraft, p.announce, p.answer, p.answerReviews, p.recheck, p.start,
	} {
		if a, ok := step(); ok {
			return a
		}
	}
	return p.ignored("")
}

// planner is an observation with what is derived from it once.
type planner struct {
	o        Observed
	events   []forge.IssueEvent
	commands []act
	verdicts []verdict // each person's last word, oldest first
	spent    map[string]bool
	said     map[string]bool
}

func newPlanner(o Observed) *planner {
	p := &planner{o: o, events: sortedEvents(o.Events), spent: map[string]bool{}, said: map[string]bool{}}
	for _, key := range o.Consumed {
		p.spent[key] = true
	}
	for _, r := range o.Runs {
		for i, d := range r.Decisions {
			if i+1 < len(r.Decisions) && reopens(r.Decisions[i+1]) {
				continue
			}
			for _, s := range d.sources() {
				p.spent[s] = true
			}
		}
	}
	for _, key := range rechecked(o.Runs) {
		p.spent[key] = true
	}
	for _, key := range o.Answered {
		p.said[key] = true
		if source, reason, ok := splitSay(key); ok && Reason(reason) != MoreApprovals && Reason(reason) != TextNeeded {
			p.spent[source] = true
		}
	}
	p.commands = p.acts()
	p.verdicts = p.lastWords()
	return p
}

// reopens reports whether a void leaves the other approvals what they were: the
// candidate is still the one that they saw.
func reopens(d Decision) bool {
	return d.Word == Void && (d.Cause == ApprovalDismissed || d.Cause == RefusedLater)
}

// sayKey is the key of one answer to one act, and splitSay takes it apart.
func sayKey(source string, why Reason) string { return "say:" + source + ":" + string(why) }

func splitSay(key string) (source, reason string, ok bool) {
	rest, ok := strings.CutPrefix(key, "say:")
	at := strings.LastIndexByte(rest, ':')
	if !ok || at < 0 {
		return "", "", false
	}
	return rest[:at], rest[at+1:], true
}

func (p *planner) latest() *Run {
	if len(p.o.Runs) == 0 {
		return nil
	}
	return &p.o.Runs[len(p.o.Runs)-1]
}

// successRun returns the newest run that ended with a candidate for a person.
func (p *planner) successRun() *Run {
	for i := len(p.o.Runs) - 1; i >= 0; i-- {
		r := &p.o.Runs[i]
		if r.State == Sealed && r.Kind == GateSuccess && r.OK && r.Candidate != "" {
			return r
		}
	}
	return nil
}

// lastWord returns the last decision on a run, or "".
func lastWord(r *Run) Word {
	if len(r.Decisions) == 0 {
		return ""
	}
	return r.Decisions[len(r.Decisions)-1].Word
}

// open reports whether the run's question waits for an answer.
func open(r *Run) bool {
	w := lastWord(r)
	return r.State == Sealed && (w == "" || w == Void)
}

// openPull returns the pull request in which the run's candidate can be judged.
func (p *planner) openPull(r *Run) *forge.PullRequest {
	pull := p.o.Pull
	if pull == nil || !pull.Open || pull.Merged || r.Branch == "" || pull.HeadRef != r.Branch ||
		!strings.HasPrefix(pull.HeadRef, p.o.Config.BranchPrefix) {
		return nil
	}
	return pull
}

func has(keys []string, key string) bool { return slices.Contains(keys, key) }

// settled reports whether a key of this run was done, or refused for good.
func (p *planner) settled(r *Run, key string) bool {
	return has(r.Done, key) || p.refused(r, key) || has(p.o.Consumed, key)
}

func (p *planner) refused(r *Run, key string) bool {
	return slices.ContainsFunc(r.Refused, func(f Refusal) bool { return f.Key == key })
}

// ask returns an answer that was not given before, while answers are left.
func (p *planner) ask(a Action, source string, why Reason) (Action, bool) {
	a.Kind, a.Key, a.Source, a.Reason = Ask, sayKey(source, why), source, why
	if a.Place == "" {
		a.Place = OnIssue
	}
	if p.said[a.Key] || len(p.said) >= p.o.Limits.answers() {
		return Action{}, false
	}
	return a, true
}
