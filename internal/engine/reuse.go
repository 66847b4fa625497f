package engine

import (
	"maps"
	"slices"
	"strings"

	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/reuse"
	"github.com/tolboy/warden/internal/usage"
	"github.com/tolboy/warden/internal/workflow"
)

// Earlier is the run that this one goes on from, and what its verdicts are held
// against. A rejection carries none.
type Earlier struct {
	Run   ledger.History
	Terms reuse.Terms
}

// gather works out, over the tree as it was found, what may be carried, and writes
// down why the rest is not.
func (r *run) gather() error {
	if r.Earlier == nil {
		return nil
	}
	r.pool = reuse.Judge(r.Earlier.Run, r.Steps, r.Earlier.Terms, r.tree.Source)
	r.end.ReuseDeclined, r.end.DeclinedByStage = r.pool.Declined, r.pool.ByStage
	if r.pool.BudgetOnly {
		before, err := ledger.Reserved(r.Earlier.Run)
		if err != nil {
			return err
		}
		r.end.BudgetChange = &ledger.BudgetChange{Before: before.Limits, After: r.reserved().Limits}
	}
	text := reuseText(r.pool)
	r.notice(Notice{Kind: NoticeNote, Text: text})
	return r.append(ledger.TypeNote, ledger.Note{About: "reuse", Text: text})
}

func reuseText(p reuse.Pool) string {
	if p.Declined != "" {
		return "no verdict of " + p.From + " is carried: " + p.Declined
	}
	said := []string{"verdicts of " + p.From + " that may be carried, each if the tree is still the same at its turn: " + strings.Join(slices.Sorted(maps.Keys(p.Verdicts)), ", ")}
	for _, d := range p.ByStage {
		said = append(said, d.Stage+" is not, since "+d.Reason)
	}
	return strings.Join(said, "; ")
}

// carried takes a verdict of the earlier run in the place of a call, if it holds at
// this moment: in the first pass, over exactly these bytes, and where nobody has
// written since it was given.
func (r *run) carried(a workflow.Action, step workflow.Step) (workflow.Event, bool, error) {
	row, there := r.pool.Verdicts[step.Name]
	if !there {
		return workflow.Event{}, false, nil
	}
	delete(r.pool.Verdicts, step.Name)
	if why := r.outdated(a, row); why != "" {
		r.end.DeclinedAtUse = append(r.end.DeclinedAtUse, ledger.Declined{Stage: step.Name, Reason: why})
		r.notice(Notice{Kind: NoticeNote, Text: "the verdict of " + step.Name + " is not carried: " + why})
		return workflow.Event{}, false, nil
	}
	if row.ReusedFrom == "" {
		row.ReusedFrom = r.pool.From
	}
	row.Stage, row.Label, row.Fix, row.Attempt = step.Name, step.Role, false, 0
	row.Calls, row.Usage, row.DurationMillis = nil, usage.Total{}, usage.Amount{}
	row.Prompt, row.Artifact, row.Report, row.Vision = "", "", "", nil // files of the other run, which has them
	if err := r.append(ledger.TypeRoleRun, row); err != nil {
		return workflow.Event{}, false, err
	}
	if r.end.Reused == nil {
		r.end.Reused = &ledger.Reused{From: r.pool.From}
	}
	r.end.Reused.Stages = append(r.end.Reused.Stages, step.Name)
	if step.OnFindings != workflow.RouteNone {
		r.verdict[step.Name] = verdict{ok: true, tree: row.Candidate, findings: row.Findings, independence: row.Independence}
	}
	r.notice(Notice{Kind: NoticeReused, Index: a.Stage + 1, Stage: step.Name, Text: row.ReusedFrom})
	return workflow.Event{OK: true, Code: outcome.OK, Tree: r.tree.Source, Findings: row.Findings}, true, nil
}

// outdated says why a verdict does not hold at this moment.
func (r *run) outdated(a workflow.Action, row ledger.RoleRun) string {
	switch {
	case r.state.Attempt > 0 || a.Recheck:
		return "a repair came before it"
	case row.Candidate != r.tree.Source:
		return "the tree has changed since"
	case row.ReadOnly && r.wrote:
		return "somebody has written since"
	}
	return ""
}
