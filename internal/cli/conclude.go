package cli

import (
	"fmt"
	"path/filepath"

	"github.com/tolboy/warden/internal/decision"
	"github.com/tolboy/warden/internal/engine"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/progress"
	"github.com/tolboy/warden/internal/report"
)

// conclude puts the question to a person, writes the summaries that follow from
// the chain, and says what can be typed next.
func (a *app) conclude(l *local, run *ledger.Run, end ledger.Ending, n *progress.Narrator) (runResult, error) {
	out := runResult{OK: end.OK, Reason: end.Code, NextAction: end.NextAction, RunID: run.ID(), Detail: end.Detail,
		SafeNextStep: end.SafeNextStep, LedgerHead: run.Sealed(), Ending: &end}
	reserved, err := ledger.Reserved(run.History())
	if err != nil {
		return out, err
	}
	out.BudgetPlan = reserved.BudgetPlan
	if end.NextAction != engine.NoAction {
		q := question(end)
		state, err := decision.Open(run, q, a.now())
		if err != nil {
			return out, err
		}
		out.DecisionPath = filepath.Join(l.runsDir, run.ID(), decision.FileName)
		out.DecisionState, out.DecisionKind, out.DecisionOptions = state.State, string(state.Kind), state.Options
		for _, o := range state.Options {
			out.ApproveWith = append(out.ApproveWith, answerWith(l.program, run.ID(), l.at(), o))
		}
	}
	if err := summarise(run); err != nil {
		return out, err
	}
	dir := filepath.Join(l.runsDir, run.ID())
	out.Summary, out.ReportPath = filepath.Join(dir, "task-run.json"), filepath.Join(dir, "report.json")
	n.Tell(done(end, out, l.program+" report "+run.ID()+l.at()+" --text"))
	return out, nil
}

// answerWith is the command that gives an answer; at is the flag of the project.
func answerWith(program, id, at, option string) string {
	command := program + " approve " + id + at + " --decision " + option
	if option == decision.Reject {
		command += " --note 'WHAT MUST CHANGE'"
	}
	return command
}

// at is the flag by which a command typed here reaches the project, "" when it is
// the one that holds the working directory.
func (l *local) at() string {
	if here, err := findRoot("."); err == nil && here == l.root {
		return ""
	}
	return " --project " + quoted(l.root)
}

// question is what a person is asked about an ending.
func question(end ledger.Ending) decision.Question {
	q := decision.Question{Kind: decision.Failure, Reason: string(end.Code)}
	if end.Detail != "" {
		q.Reason += ": " + end.Detail
	}
	switch {
	case end.OK:
		q.Kind, q.Reason = decision.Success, end.SafeNextStep
		q.Fingerprint, q.Commit = end.Candidate.Fingerprint, end.Candidate.Commit
	case end.Code == outcome.PlanReviewFindingsRemain:
		q.Kind = decision.Preparation
	case end.ContractChange.Offered():
		q.Kind, q.Reason = decision.ContractChange, string(end.Code)+": "+end.SafeNextStep
	case end.Failover != nil && end.Code == "failover_requires_confirmation":
		f := end.Failover
		q.Kind = decision.Failover
		q.Reason = fmt.Sprintf("role %s: %s (%s) reported a spent plan; switch to %s (%s)? independence afterwards: %s", f.Role, f.FromProfile, f.FromVendor, f.ToProfile, f.ToVendor, f.IndependenceAfter)
	}
	return q
}

func done(end ledger.Ending, r runResult, report string) progress.Done {
	d := progress.Done{Reason: end.Code, OK: end.OK, Usage: end.Usage}
	switch {
	case end.NextAction == engine.HumanGate:
		d.Say = append(d.Say, "the candidate is ready and nothing has been landed")
	case end.Detail != "":
		d.Say = append(d.Say, end.Detail)
	}
	if end.SafeNextStep != "" && end.NextAction != engine.HumanGate {
		d.Say = append(d.Say, end.SafeNextStep)
	}
	d.Commands = append([]string{report}, r.ApproveWith...)
	return d
}

// summarise writes the summaries as they follow from the chain now.
func summarise(run *ledger.Run) error {
	for name, compute := range report.Projections() {
		if name == decision.FileName {
			continue // written with the question and with the answer
		}
		data, err := compute(run.History())
		if err != nil {
			return fmt.Errorf("compute %s: %w", name, err)
		}
		if err := run.WriteProjection(name, data); err != nil {
			return err
		}
	}
	return nil
}
