package reconcile

import (
	"strings"
	"time"
)

// began returns when somebody asked for a run, by the label or by an answer, and the
// id of the comment where it was one. The time is the forge's, as those of the acts
// are with which it is compared: a worker's clock may be off, and a worker may be late.
// A run of whose beginning nothing is known began when its worker says so.
func (p *planner) began(r *Run) (time.Time, int64) {
	asked := r.Trigger + ":"
	for _, e := range p.o.Events {
		if strings.Contains(asked, ":"+labelKey(e.ID)+":") && !e.At.IsZero() {
			return e.At, 0
		}
	}
	for _, a := range p.commands {
		if strings.Contains(asked, ":"+a.key+":") && !a.at.IsZero() {
			return a.at, a.commentID
		}
	}
	for _, v := range p.o.Reviews {
		if strings.Contains(asked, ":"+reviewKey(v.ID)+":") && !v.SubmittedAt.IsZero() {
			return v.SubmittedAt, 0
		}
	}
	return r.StartedAt, 0
}

// olderThan reports whether an act came before what asked for a run, so that it was
// meant for something else. A forge tells seconds: within one, two comments have the
// order of their ids, and what nothing tells apart counts as meant for the run.
func (p *planner) olderThan(a act, r *Run) bool {
	at, comment := p.began(r)
	if a.at.Equal(at) && a.commentID != 0 && comment != 0 {
		return a.commentID < comment
	}
	return a.at.Before(at)
}
