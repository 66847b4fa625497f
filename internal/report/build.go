package report

import (
	"fmt"
	"time"

	"github.com/tolboy/warden/internal/decision"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/usage"
)

// Build joins the events of a run. Every history has a report: one that was
// refused before the first stage, one that was killed, and one that is damaged.
func Build(h ledger.History) Report {
	b := builder{report: Report{
		SchemaVersion: ledger.SchemaVersion, RunID: h.Run.RunID, TaskID: h.Run.TaskID,
		StartedAt: h.Run.ReservedAt, BaseCommit: h.Run.BaseCommit, Branch: h.Run.Branch,
		ContractSHA256: h.Run.ContractSHA256, Confinement: h.Run.Confinement, DryRun: h.Run.DryRun,
		ContinuedFrom: h.Run.Continues, NextAction: "none",
		Workflow: []ledger.Stage{}, Skipped: []ledger.StageSkipped{}, Stages: []Stage{}, Vendors: []Vendor{},
		Failovers: []ledger.RoleFailover{}, OpenFindings: []outcome.Finding{}, ChangedFiles: []string{}, ContractFiles: []string{},
	}, settled: map[string]bool{}}
	for _, l := range h.Lines {
		b.line(l)
	}
	b.finish(h)
	return b.report
}

// builder folds events into a report.
type builder struct {
	report  Report
	open    *ledger.StageStarted // begun, no result yet
	begun   time.Time            // when open, or the stage before it, began
	now     time.Time            // of the line
	flying  []ledger.VendorCallStarted
	settled map[string]bool // call ids whose end is known
	calls   calls
}

func (b *builder) line(l ledger.Line) {
	p, err := l.Payload()
	if err != nil {
		return // counted by the history as damage, or as newer
	}
	r := &b.report
	b.now = l.At
	switch e := p.(type) {
	case *ledger.RunReserved:
		b.reserved(e)
	case *ledger.StageStarted:
		b.abandon(outcome.Interrupted)
		b.open, b.begun = e, l.At
	case *ledger.StageSkipped:
		r.Skipped = append(r.Skipped, *e)
	case *ledger.VendorCallStarted:
		b.flying = append(b.flying, *e)
	case *ledger.Interrupted:
		b.interrupted(e)
	case *ledger.RoleRun:
		b.roleRun(e)
	case *ledger.GateRun:
		b.gateRun(l.Type, e)
	case *ledger.VisualRun:
		b.visualRun(e)
	case *ledger.FixRound:
		r.Totals.FixRounds++
	case *ledger.RoleFailover:
		r.Failovers = append(r.Failovers, *e)
	case *ledger.Candidate:
		r.Candidate = *e
	case *ledger.Ending:
		b.ending(l, e)
	}
}

func (b *builder) reserved(e *ledger.RunReserved) {
	r := &b.report
	r.Project, r.Goal, r.NonGoals, r.Risk = e.Project, e.Goal, e.NonGoals, e.Risk
	r.DryRun = r.DryRun || e.DryRun
	r.Baseline.Configured, r.Baseline.Commands = len(e.Baseline) > 0, e.Baseline
	r.Workflow = append(r.Workflow, e.Stages...)
	r.Totals.MaxRoleRuns, r.Totals.MaxCostUSD, r.Totals.MaxFixAttempts = e.Limits.MaxRoleRuns, e.Limits.MaxCostUSD, e.Limits.MaxFixAttempts
}

func (b *builder) ending(l ledger.Line, e *ledger.Ending) {
	b.abandon(e.Code)
	r := &b.report
	r.OK, r.Reason, r.Detail = &e.OK, e.Code, e.Detail
	r.NextAction, r.SafeNextStep = e.NextAction, e.SafeNextStep
	r.EndedAt, r.SealedHead = &l.At, l.SHA256
	if e.Candidate != nil {
		r.Candidate = *e.Candidate
	}
	r.OpenFindings = append(r.OpenFindings, e.OpenFindings...)
	r.ChangedFiles = append(r.ChangedFiles, e.ChangedFiles...)
	r.ContractFiles = append(r.ContractFiles, e.ContractFiles...)
	r.Violations, r.FailoverAsked, r.ContractChange = e.Violations, e.Failover, e.ContractChange
	r.Totals.CostByLoop, r.Totals.RoleRunsByLoop = e.Usage.CostUSD, e.RoleRuns
}

// abandon closes a stage that began and has no result.
func (b *builder) abandon(code outcome.Code) {
	if b.open == nil {
		return
	}
	s := b.open
	b.report.Stages = append(b.report.Stages, Stage{
		Stage: s.Stage, Step: s.Label, Kind: s.Run, Role: s.Role, Attempt: s.Attempt, Fix: s.Fix, Code: code, Begun: b.begun,
	})
	b.open = nil
}

func (b *builder) finish(h ledger.History) {
	b.abandon("")
	r := &b.report
	// A call without an end is charged, and nobody knows what it cost. While the
	// run goes on it may still be in flight, so it has not failed yet.
	for _, c := range b.flying {
		if !b.settled[c.CallID] {
			b.count(c.Vendor, c.Model, ledger.VendorCall{OK: r.OK == nil})
			r.Totals.UnfinishedCalls++
		}
	}
	r.Vendors = b.calls.rows()
	b.calls.total(&r.Totals)
	s, ok, err := decision.FromHistory(h)
	switch {
	case err != nil:
		r.DecisionFault = err.Error()
	case ok:
		r.Decision = &s
	}
	r.Incomplete = incomplete(h)
	if r.Incomplete != "" {
		r.forgetSums()
	}
}

func incomplete(h ledger.History) string {
	switch {
	case h.Damaged != "":
		return "the ledger is damaged: " + h.Damaged
	case h.Newer > 0:
		return fmt.Sprintf("%d events are of a version that this one does not know", h.Newer)
	}
	return ""
}

// forgetSums takes every exact sum back.
func (r *Report) forgetSums() {
	for i := range r.Vendors {
		v := &r.Vendors[i]
		v.CostUSD, v.DurationMillis, v.Input, v.Output, v.Total = usage.Amount{}, usage.Amount{}, usage.Amount{}, usage.Amount{}, usage.Amount{}
	}
	r.Totals.CostUSD, r.Totals.CostByLoop = usage.Amount{}, usage.Amount{}
	r.Totals.CostCeilingBinding = false
}
