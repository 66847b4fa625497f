package reconcile

import (
	"fmt"

	"github.com/tolboy/warden/forge"
)

// record returns the decision that is due, the end of the pull request included.
func (p *planner) record() (Action, bool) {
	if r := p.successRun(); r != nil {
		if d := p.ended(r); d != nil {
			return recorded(r, d, d.Cause), true
		}
		if d := p.voided(r); d != nil {
			return recorded(r, d, d.Cause), true
		}
		if d := p.judged(r); d != nil {
			why := PersonAccepted
			if d.Word == Reject {
				why = PersonRejected
			}
			return recorded(r, d, why), true
		}
	}
	if r := p.latest(); r != nil && r.Kind != GateSuccess && open(r) {
		if d := p.chosen(r); d != nil {
			return recorded(r, d, PersonAnswered), true
		}
	}
	return Action{}, false
}

func recorded(r *Run, d *Decision, why Reason) Action {
	return Action{Kind: RecordDecision, Key: d.Key, Reason: why, RunID: r.ID, Decision: d}
}

// ended records that the pull request was merged, or closed, which refuses
// whatever was open.
func (p *planner) ended(r *Run) *Decision {
	why, pull := p.pullEnded(r), p.o.Pull
	if why == "" || pull.HeadRef != r.Branch || r.PublishedAt.IsZero() {
		return nil
	}
	end := &Decision{Candidate: r.Candidate, At: pull.ClosedAt, Cause: why}
	switch {
	case why == PullMerged && lastWord(r) != Merged:
		end.Word, end.Actor, end.Source = Merged, pull.MergedBy, fmt.Sprintf("pull_merged:%d", pull.Number)
	case why == PullClosed && lastWord(r) == Accept:
		return p.void(r, PullClosed)
	case why == PullClosed && open(r):
		end.Word, end.Source = Reject, fmt.Sprintf("pull_closed:%d", pull.Number)
	default:
		return nil
	}
	end.Key = fmt.Sprintf("%s:%s:%s", end.Word, end.Source, r.ID)
	return end
}

// voided says that an accept which was recorded no longer holds.
func (p *planner) voided(r *Run) *Decision {
	pull := p.openPull(r)
	if lastWord(r) != Accept || pull == nil {
		return nil
	}
	if pull.HeadSHA != r.Candidate {
		return p.void(r, HeadMoved)
	}
	accept := r.Decisions[len(r.Decisions)-1]
	left := 0
	for _, source := range accept.sources() {
		if !p.withdrawn(source) {
			left++
		}
	}
	if left < min(p.approvals(), len(accept.Others)+1) {
		return p.void(r, ApprovalDismissed)
	}
	for _, v := range p.verdicts {
		if v.word != Reject || p.spent[v.voice.Source] {
			continue
		}
		if why := p.rejectFault(v, r, pull.HeadSHA); why == "" || why == TextNeeded {
			return p.void(r, RefusedLater)
		}
	}
	return nil
}

func (p *planner) void(r *Run, cause Reason) *Decision {
	accept := r.Decisions[len(r.Decisions)-1]
	key := "void:" + accept.Key
	return &Decision{Key: key, Word: Void, Source: key, Candidate: r.Candidate, At: p.o.Now, Cause: cause, Voids: accept.Key}
}

// withdrawn reports whether a review that approved does so no more. A comment
// that was edited or deleted after it counted changes nothing.
func (p *planner) withdrawn(source string) bool {
	for _, r := range p.o.Reviews {
		if reviewKey(r.ID) == source {
			return r.State == forge.Dismissed
		}
	}
	return false
}

func (p *planner) approvals() int { return max(1, p.o.Config.Approvals) }

// judged returns what the reviews and commands decide about a candidate that
// waits. One refusal outranks every approval; whoever may not be known to refuse
// keeps it waiting.
func (p *planner) judged(r *Run) *Decision {
	pull := p.openPull(r)
	if pull == nil || !open(r) || r.PublishedAt.IsZero() || p.awaitsHead(r, pull) {
		return nil
	}
	var accepts, rejects []Voice
	held := false
	for _, v := range p.verdicts {
		if p.spent[v.voice.Source] {
			continue
		}
		switch v.word {
		case Accept:
			if p.acceptFault(v, r, pull.HeadSHA) == "" {
				accepts = append(accepts, v.voice)
			}
		case Reject:
			switch p.rejectFault(v, r, pull.HeadSHA) {
			case "":
				rejects = append(rejects, v.voice)
			case TextNeeded, PermissionUnknown:
				held = true
			}
		}
	}
	switch {
	case len(rejects) > 0:
		return decision(Reject, r, rejects)
	case !held && len(accepts) >= p.approvals():
		last := len(accepts) - 1
		return decision(Accept, r, append([]Voice{accepts[last]}, accepts[:last]...))
	}
	return nil
}

// chosen returns the answer to a failure or failover question. The last word of
// each person counts, and abort outranks the permitting ones.
func (p *planner) chosen(r *Run) *Decision {
	last := map[int64]act{}
	var order []int64
	for _, a := range p.commands {
		w := Word(a.command.Verb)
		if a.problem != "" || p.spent[a.key] || !r.Kind.offers(w) || p.choiceFault(a, r) != "" {
			continue
		}
		if _, known := last[a.author.ID]; !known {
			order = append(order, a.author.ID)
		}
		last[a.author.ID] = a
	}
	var best *act
	for _, id := range order {
		a := last[id]
		if best == nil || a.command.Verb == VerbAbort && best.command.Verb != VerbAbort {
			best = &a
		}
	}
	if best == nil {
		return nil
	}
	return decision(Word(best.command.Verb), r, []Voice{{Actor: best.author, Source: best.key,
		CommentID: best.commentID, ReviewID: best.reviewID, At: best.at, Note: []byte(best.command.Note)}})
}

// choiceFault says why a command does not answer this run's question, or "". A
// permitting answer must be younger than the question.
func (p *planner) choiceFault(a act, r *Run) Reason {
	if why := p.standing(a.author); why != "" {
		return why
	}
	switch {
	case a.edited:
		return CommentEdited
	case a.command.Verb == VerbAbort && p.olderThan(a, r),
		a.command.Verb != VerbAbort && !after(a.at, r.SealedAt):
		return TooEarly
	case a.command.Verb != VerbAbort && expired(a.at, r):
		return GateExpired
	}
	return ""
}

// awaitsHead reports whether the forge still shows an older candidate of ours as
// the head: it is late, and nobody pushed.
func (p *planner) awaitsHead(r *Run, pull *forge.PullRequest) bool {
	if pull.HeadSHA == r.Candidate {
		return false
	}
	for i := range p.o.Runs {
		if p.o.Runs[i].Candidate == pull.HeadSHA {
			return true
		}
	}
	return false
}
