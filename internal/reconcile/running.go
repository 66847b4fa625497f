package reconcile

import "time"

// stopReason says why a run in progress should stop, or "".
func (p *planner) stopReason(r *Run) Reason {
	switch {
	case !p.o.Issue.Open:
		return IssueClosed
	case !p.labelOn() || p.stretchEnded(r.LabelEventID):
		return LabelOff
	}
	if why := p.pullEnded(r); why != "" {
		return why
	}
	for _, a := range p.commands {
		if a.problem == "" && a.command.Verb == VerbStop && !a.edited && !p.olderThan(a, r) &&
			p.standing(a.author) == "" {
			return StopAsked
		}
	}
	return ""
}

// pullEnded says whether the pull request was closed or merged under this run: one
// that ended before the run began is not its own.
func (p *planner) pullEnded(r *Run) Reason {
	pull := p.o.Pull
	if pull == nil || pull.Open && !pull.Merged {
		return ""
	}
	if at, _ := p.began(r); !pull.ClosedAt.IsZero() && !pull.ClosedAt.After(at) {
		return ""
	}
	if pull.Merged {
		return PullMerged
	}
	return PullClosed
}

// leaseDead says whether nobody works on the run any more. A lease that says
// nothing at all is given the longest time that a run may take.
func (p *planner) leaseDead(r *Run) bool {
	switch {
	case r.Lease.Alive != nil:
		return !*r.Lease.Alive
	case !r.Lease.Until.IsZero():
		return p.o.Now.After(r.Lease.Until)
	}
	return !r.StartedAt.IsZero() && p.o.Now.Sub(r.StartedAt) > p.o.Limits.lifetime()
}

// running plans for a run that is not sealed.
func (p *planner) running(r *Run) Action {
	stopKey := "stop:" + r.ID
	why := p.stopReason(r)
	if p.leaseDead(r) {
		reason := LeaseExpired
		if why != "" || p.settled(r, stopKey) {
			reason = StoppedRunLeft
		}
		return Action{Kind: ContinueRun, Key: "takeover:" + r.ID, Reason: reason, RunID: r.ID}
	}
	if why != "" && !p.settled(r, stopKey) {
		return Action{Kind: Stop, Key: stopKey, Reason: why, RunID: r.ID}
	}
	if answer, ok := p.answerDuring(r); ok {
		return answer
	}
	return Action{Kind: Nothing, Reason: RunInProgress, RunID: r.ID}
}

// ShouldStop is what a worker asks at a boundary of its own run: why it should
// stop there, or "". An observation with gaps stops nothing.
func ShouldStop(o Observed, runID string) Reason {
	if len(o.Unread) > 0 {
		return ""
	}
	p := newPlanner(o)
	for i := range p.o.Runs {
		if p.o.Runs[i].ID == runID {
			return p.stopReason(&p.o.Runs[i])
		}
	}
	return ""
}

// after reports whether t is a known time after the known time u.
func after(t, u time.Time) bool { return !t.IsZero() && !u.IsZero() && t.After(u) }
