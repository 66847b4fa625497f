package reconcile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tolboy/warden/forge"
)

// announce says once what people have to know without having asked.
func (p *planner) announce() (Action, bool) {
	r := p.successRun()
	if r == nil {
		return Action{}, false
	}
	pull := p.openPull(r)
	if p.moved(r, pull) && lastWord(r) != Reject && !movedVoid(r) {
		if a, ok := p.ask(Action{RunID: r.ID, Place: OnPull, Detail: pull.HeadSHA}, "moved:"+r.ID+":"+pull.HeadSHA, HeadMoved); ok {
			return a, true
		}
	}
	for _, d := range r.Decisions {
		switch {
		case d.Word == Void && (d.Cause == ApprovalDismissed || d.Cause == HeadMoved):
			if a, ok := p.ask(Action{RunID: r.ID, Place: OnPull, Detail: d.Candidate}, d.Key, d.Cause); ok {
				return a, true
			}
		case d.Word == Merged && !acceptStood(r):
			if a, ok := p.ask(Action{RunID: r.ID, Place: OnPull, To: d.Actor, Detail: d.Candidate}, d.Source, MergedUnaccepted); ok {
				return a, true
			}
		}
	}
	for i := range p.o.Runs {
		run := &p.o.Runs[i]
		for _, f := range run.Refused {
			why, place := refusedReason(f.Key), OnPull
			if why == PushRefused {
				place = OnIssue
			}
			if why == "" {
				continue
			}
			if a, ok := p.ask(Action{RunID: run.ID, Place: place, Detail: string(f.Reason)}, f.Key, why); ok {
				return a, true
			}
		}
	}
	return Action{}, false
}

// movedVoid reports whether an accept ended because the head moved, which is said
// in its own words.
func movedVoid(r *Run) bool {
	for _, d := range r.Decisions {
		if d.Word == Void && d.Cause == HeadMoved {
			return true
		}
	}
	return false
}

func refusedReason(key string) Reason {
	switch purpose, _, _ := strings.Cut(key, ":"); purpose {
	case "ready":
		return MarkReadyForbidden
	case "draft":
		return MarkDraftForbidden
	case "branch":
		return PushRefused
	}
	return ""
}

// acceptStood reports whether an accept held when the pull request was merged.
func acceptStood(r *Run) bool {
	stands := false
	for _, d := range r.Decisions {
		switch d.Word {
		case Accept:
			stands = true
		case Void, Reject:
			stands = false
		}
	}
	return stands
}

// answer replies to the commands that decided nothing, oldest first.
func (p *planner) answer() (Action, bool) {
	for _, a := range p.commands {
		if reply, ok := p.reply(a, p.commandReason(a)); ok {
			return reply, true
		}
	}
	return Action{}, false
}

// answerDuring replies, while a run goes on, to what need not wait for its end.
func (p *planner) answerDuring(r *Run) (Action, bool) {
	for _, a := range p.commands {
		why := p.simpleReason(a)
		if why == "" && a.command.Verb == VerbStop {
			why = p.stopReply(a, r)
		}
		if reply, ok := p.reply(a, why); ok {
			return reply, true
		}
	}
	return Action{}, false
}

// reply makes the answer to a command. Whoever may not decide hears it once, not
// once a command; machines, and ourselves, hear nothing.
func (p *planner) reply(a act, why Reason) (Action, bool) {
	if p.spent[a.key] {
		return Action{}, false
	}
	source, detail := a.key, ""
	switch why {
	case "", UnknownActor, OwnAccount, BotAccount, PermissionUnknown:
		return Action{}, false
	case NotPermitted:
		source = fmt.Sprintf("user:%d", a.author.ID)
		detail = string(p.o.Config.DecidePermission)
	case WrongCandidate:
		if r := p.successRun(); r != nil {
			detail = r.Candidate
		}
	case NotAnOption, NothingWaiting, TooEarly:
		detail = string(a.command.Verb)
	}
	out := Action{To: a.author, Place: a.place, URL: a.url, Detail: detail}
	if r := p.latest(); r != nil {
		out.RunID = r.ID
	}
	return p.ask(out, source, why)
}

// simpleReason covers what does not depend on the state of any run.
func (p *planner) simpleReason(a act) Reason {
	if why := p.standing(a.author); why != "" {
		return why
	}
	switch {
	case a.problem != "":
		return a.problem
	case a.edited:
		return CommentEdited
	}
	switch a.command.Verb {
	case VerbHelp:
		return HelpAsked
	case VerbStatus:
		return StatusAsked
	}
	return ""
}

// stopReply answers a stop. One that came after what asks for a run that has not
// begun waits for it.
func (p *planner) stopReply(a act, r *Run) Reason {
	if r != nil && !p.olderThan(a, r) && (r.State != Sealed || !a.at.After(r.SealedAt)) {
		return StopNoted
	}
	for _, next := range []func() (Action, bool){p.recheck, p.start} {
		if owed, ok := next(); ok && owed.Kind == StartRun && !p.olderThan(a, &Run{Trigger: owed.Key, StartedAt: p.o.Now}) {
			return ""
		}
	}
	return NoRunInProgress
}

// commandReason says how a command that decided nothing is answered when no run
// is in progress.
func (p *planner) commandReason(a act) Reason {
	if why := p.simpleReason(a); why != "" {
		return why
	}
	latest, success := p.latest(), p.successRun()
	word := Word(a.command.Verb)
	switch {
	case a.command.Verb == VerbStop:
		return p.stopReply(a, latest)
	case a.command.Verb == VerbRecheck:
		return p.recheckFault()
	case success != nil && open(success) && GateSuccess.offers(word) && p.openPull(success) != nil:
		return p.verdictReason(a.key, success)
	case latest == nil || !open(latest):
		return NothingWaiting
	case !latest.Kind.offers(word):
		return NotAnOption
	case latest.Kind != GateSuccess:
		return p.choiceFault(a, latest)
	}
	return NothingWaiting
}

// verdictReason says why a verdict did not decide. One that its author has since
// replaced needs no answer of its own.
func (p *planner) verdictReason(source string, r *Run) Reason {
	pull := p.openPull(r)
	if r.PublishedAt.IsZero() || p.awaitsHead(r, pull) {
		return ""
	}
	for _, v := range p.verdicts {
		if v.voice.Source != source {
			continue
		}
		switch v.word {
		case Reject:
			return p.rejectFault(v, r, pull.HeadSHA)
		case Accept:
			if why := p.acceptFault(v, r, pull.HeadSHA); why != "" {
				return why
			}
			return MoreApprovals
		}
	}
	return NothingWaiting
}

// answerReviews says of each person's last review why it decided nothing.
func (p *planner) answerReviews() (Action, bool) {
	r := p.successRun()
	if r == nil || p.openPull(r) == nil {
		return Action{}, false
	}
	for _, v := range p.verdicts {
		if v.voice.ReviewID == 0 || v.prefix || v.word == "" {
			continue
		}
		why := Reason("")
		switch {
		case open(r):
			why = p.verdictReason(v.voice.Source, r)
		case p.standing(v.voice.Actor) != "":
			why = p.standing(v.voice.Actor)
		case v.word == Accept && lastWord(r) == Reject && !counted(r, v.voice.Source):
			why = Outranked
		case v.word == Reject && hasText(v.voice):
			why = StaleRefusal
		}
		a := act{key: v.voice.Source, author: v.voice.Actor, place: OnPull, url: v.url}
		if reply, ok := p.reply(a, why); ok {
			if why == StaleApproval || why == StaleRefusal {
				reply.Detail = v.commit
			}
			return reply, true
		}
	}
	return Action{}, false
}

// counted reports whether an act is part of any decision on the run.
func counted(r *Run, source string) bool {
	for _, d := range r.Decisions {
		if slices.Contains(d.sources(), source) {
			return true
		}
	}
	return false
}

// ignored ends a round and says why what woke us led to nothing.
func (p *planner) ignored(why Reason) Action {
	key := fmt.Sprintf("trigger:%s:%d:%s", p.o.Trigger.Kind, p.o.Trigger.ID, p.o.Trigger.Label)
	if why == "" {
		why = p.triggerReason()
	}
	if why == "" || has(p.o.Consumed, key) {
		return Action{Kind: Nothing, Reason: AllDone}
	}
	return Action{Kind: Ignore, Key: key, Reason: why, To: p.o.Trigger.Sender}
}

func (p *planner) triggerReason() Reason {
	t := p.o.Trigger
	switch t.Kind {
	case TriggerLabel:
		return p.labelReason(t)
	case TriggerComment:
		return p.commentReason(t)
	case TriggerReview:
		for _, r := range p.o.Reviews {
			switch {
			case r.ID != t.ID:
			case p.standing(r.Author) != "":
				return p.standing(r.Author)
			case p.spent[reviewKey(r.ID)]:
				return AlreadyHandled
			case r.State == forge.Commented:
				return CommentedOnly
			}
		}
	}
	return ""
}

func (p *planner) labelReason(t Trigger) Reason {
	if !p.isOurs(t.Label) {
		return OtherLabel
	}
	e := p.labelEvent()
	switch {
	case !p.o.Issue.Open:
		return IssueClosed
	case !p.labelOn():
		return LabelOff
	case e == nil:
		return NoLabelEvent
	case p.labelUsed(e.ID):
		return AlreadyHandled
	}
	return p.standing(e.Actor)
}

func (p *planner) commentReason(t Trigger) Reason {
	for _, list := range [][]forge.Comment{p.o.IssueComments, p.o.PullComments} {
		for _, c := range list {
			if c.ID != t.ID {
				continue
			}
			if why := p.standing(c.Author); why == OwnAccount || why == BotAccount || why == UnknownActor {
				return why
			}
			if _, found, _ := ParseCommand(c.Body); !found {
				return NoCommand
			}
			if p.spent[commentKey(c.ID)] {
				return AlreadyHandled
			}
			if why := p.standing(c.Author); why != "" {
				return why
			}
			if len(p.said) >= p.o.Limits.answers() {
				return AnswerLimit
			}
		}
	}
	return ""
}
