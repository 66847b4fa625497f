package cli

import (
	"strings"

	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/decision"
)

// warnOfEarlier says what a run that continues none passes over: an answer that
// only --continue carries, or a question that is still open. Such a run is a new
// one, with a new count, over whatever the tree holds.
func (a *app) warnOfEarlier(l *local, t contract.Task) {
	entries, err := decision.List(l.runsDir)
	if err != nil {
		return // there are none yet, or the run will say what is wrong
	}
	var last, same decision.State
	for _, e := range entries {
		s := e.State
		if e.Problem == "" && s.CreatedAt.After(last.CreatedAt) {
			last = s
		}
		if e.Problem == "" && s.TaskID == t.ID && s.CreatedAt.After(same.CreatedAt) {
			same = s
		}
	}
	if last.State == decision.Pending {
		a.narrate("note: run %s of task %s waits for an answer (%s), and this run goes over what it left: %s status %s%s",
			last.RunID, last.TaskID, strings.Join(last.Options, ", "), l.program, last.RunID, l.at())
	}
	switch same.Answer() {
	case decision.Reject, decision.Retry, decision.Switch, decision.Apply, decision.Proceed:
		a.narrate("note: run %s was answered with %s, which this run does not carry; to carry it: %s run %s%s --continue %s",
			same.RunID, same.Answer(), l.program, t.ID, l.at(), same.RunID)
	}
}
