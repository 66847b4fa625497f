package engine

import (
	"context"
	"fmt"
	"strings"

	"github.com/tolboy/warden/internal/budget"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/workflow"
)

// gates runs the machine gates in their turn, or again after a repair.
func (r *run) gates(ctx context.Context, a workflow.Action, step workflow.Step) (workflow.Event, error) {
	evidence := r.evidence(slug(step.Name), r.state.Attempt)
	r.notice(Notice{Kind: NoticeStage, Index: a.Stage + 1, Stage: step.Name, Text: "machine gates: " + strings.Join(r.Task.Acceptance, ", ")})
	if err := r.begin(a, step, "gates", evidence, false); err != nil {
		return workflow.Event{}, err
	}
	out, err := r.Gates.Run(ctx, evidence, ChecksDecide, r.left())
	if err != nil {
		out = GateOutcome{GateRun: ledger.GateRun{Code: outcome.GateInternalError, Message: err.Error()}, After: r.tree}
	}
	if ctx.Err() != nil && !out.OK {
		out.Code = outcome.Interrupted
	}
	out.Stage, out.Label, out.Attempt, out.Recheck = step.Name, "gates", r.state.Attempt, a.Recheck
	if err := r.gateRan(ledger.TypeMachineGate, out); err != nil {
		return workflow.Event{}, err
	}
	r.notice(Notice{Kind: NoticeResult, Stage: step.Name, OK: out.OK, Code: out.Code, Text: out.Message, Duration: out.Duration})
	r.failure = failure{code: out.Code, text: out.Failure}
	r.end.Detail = out.Message
	r.verdict[step.Name] = verdict{ok: out.OK, tree: r.tree.Source}
	if len(out.After.Contract) > 0 {
		r.end.ContractFiles = out.After.Contract
		return workflow.Event{Code: outcome.ContractMutated}, nil
	}
	if !out.OK && r.overdue(out.Code) {
		return r.deny(refusal(r.stopped)), nil
	}
	return workflow.Event{OK: out.OK, Code: out.Code, Tree: out.After.Source}, nil
}

func (r *run) gateRan(kind string, out GateOutcome) error {
	if out.After.Source != "" {
		r.tree = out.After
	}
	out.Candidate, out.DurationMillis = r.tree.Source, out.Duration.Milliseconds()
	return r.append(kind, out.GateRun, out.Files...)
}

// role dispatches a role in its turn, or again after a repair.
func (r *run) role(ctx context.Context, a workflow.Action, step workflow.Step) (workflow.Event, error) {
	if event, done, err := r.carried(a, step); done || err != nil {
		return event, err
	}
	r.notice(Notice{Kind: NoticeStage, Index: a.Stage + 1, Stage: step.Name})
	call := RoleCall{Evidence: r.evidence(r.name(step), r.state.Attempt), Step: step, Role: step.Role, Attempt: r.state.Attempt, Look: r.shown(step)}
	if step.Role == workflow.Implementer {
		call.Context, r.carry = r.carry, nil
	} else {
		var err error
		if call.Context, call.Given, err = r.recall(step); err != nil {
			return workflow.Event{}, err
		}
	}
	out, err := r.dispatch(ctx, a, call)
	if err != nil {
		return workflow.Event{}, err
	}
	r.heard(step, out)
	event := r.judge(step, out)
	event.Findings = out.Findings
	blocking := len(outcome.Blocking(out.Findings))
	if step.OnFindings != workflow.RouteNone {
		r.verdict[step.Name] = verdict{ok: out.OK && blocking == 0, tree: r.tree.Source, findings: out.Findings, independence: out.Independence}
	}
	r.failure = failure{code: out.Code, blocking: blocking}
	if event.OK && blocking > 0 {
		r.failure.text = findingsText(step.Role, out.Summary, out.Findings)
		r.end.Detail = fmt.Sprintf("%d blocking finding(s) of the %s remain", blocking, step.Role)
		if len(outcome.Mendable(out.Findings)) == 0 {
			r.end.Detail += ", none of which a change of the candidate can close: the contract, an access or a tool is at fault"
		}
		if step.OnFindings != workflow.RouteNone {
			r.end.Resolution = resolution(r.Task, out.Findings)
		}
	} else {
		r.failure.text = fmt.Sprintf("The %s ended with %s: %s\n", step.Role, out.Code, out.Detail)
	}
	return event, nil
}

// fix sends the work back to the writer, if the rest of the chain can still be
// paid for.
func (r *run) fix(ctx context.Context, a workflow.Action) (workflow.Event, error) {
	origin := r.Steps[a.Stage]
	if stop := r.Limits.AllowFix(r.Steps, a.Stage, r.spent); stop != nil {
		return r.deny(&Refusal{Code: stop.Code, Detail: stop.Text, Limit: stop.Limit}), nil
	}
	round := r.state.Attempt
	r.notice(Notice{Kind: NoticeFix, Stage: origin.Name, Profile: origin.FixWith, Attempt: round, Max: r.rounds()})
	text := repairText(r.Task, origin.Name, r.failure.text+closedText(r.state.Registry.Closed("")), round, r.rounds(), r.callsLeft()-1)
	file, err := r.Journal.WriteFile(fmt.Sprintf("%s/context/fix-%d-%s.md", r.RunID, round, slug(origin.Name)), text)
	if err != nil {
		return workflow.Event{}, err
	}
	need := budget.Repair(r.Steps, a.Stage)
	if err := r.append(ledger.TypeFixRound, ledger.FixRound{
		Attempt: round, Of: r.rounds(), Stage: origin.Name, Kind: complaint(origin), Code: r.failure.code,
		FixWith: origin.FixWith, Blocking: r.failure.blocking, Context: file.Path,
		CallsFor: need.Repair, Left: r.callsLeft(), Finish: r.callsLeft() >= need.Finish,
	}, file); err != nil {
		return workflow.Event{}, err
	}
	step := workflow.Step{Stage: workflow.Stage{Name: origin.Name, Run: workflow.RunRole, Role: origin.FixWith, FixWith: origin.FixWith}}
	call := RoleCall{Evidence: r.evidence(origin.FixWith, round), Step: step, Role: origin.FixWith, Attempt: round, Fix: true, Context: text}
	out, err := r.dispatch(ctx, a, call)
	if err != nil {
		return workflow.Event{}, err
	}
	return r.judge(step, out), nil
}

// judge turns a role's outcome into the event the state machine folds in. What
// the tree shows outranks what the role said.
func (r *run) judge(step workflow.Step, out RoleOutcome) workflow.Event {
	paid := len(out.Calls) > 0
	if out.After.Source != "" {
		r.tree = out.After
	}
	r.end.Detail = out.Detail
	if out.Code == outcome.BudgetExhausted || out.Code == outcome.CostCapUnenforceable {
		if r.stopped != nil {
			r.end.BudgetLimitHit = r.stopped.Limit
		}
		return workflow.Event{Denied: true, Code: out.Code, Paid: paid}
	}
	if len(out.After.Contract) > 0 {
		r.end.ContractFiles = out.After.Contract
		r.end.Detail = "the contract changed during " + step.Name + ": " + strings.Join(out.After.Contract, ", ")
		return workflow.Event{Code: outcome.ContractMutated, Paid: paid}
	}
	return workflow.Event{OK: out.OK, Code: out.Code, Tree: r.tree.Source, Paid: paid}
}

// name is what a role stage's evidence is filed under: the role, or the stage
// where several stages share the role.
func (r *run) name(step workflow.Step) string {
	n := 0
	for _, s := range r.Steps {
		if s.Run == workflow.RunRole && s.Role == step.Role {
			n++
		}
	}
	switch {
	case n > 1:
		return slug(step.Name)
	case step.Role == workflow.VisualQA:
		return "visual-role" // visual-qa is what a browser stage leaves
	}
	return step.Role
}

// complaint is the kind of failure a repair answers.
func complaint(s workflow.Step) string {
	switch {
	case s.Run == workflow.RunGates:
		return "gates"
	case s.Run == workflow.RunBrowser:
		return "visual"
	case s.Role == workflow.Reviewer:
		return "review"
	case s.Role == workflow.VisualQA:
		return "visual-review"
	}
	return "role"
}

// slug keeps a stage's name legal as a directory name.
func slug(name string) string {
	var b strings.Builder
	for _, c := range strings.ToLower(name) {
		switch {
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9':
			b.WriteRune(c)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	if s := strings.Trim(b.String(), "-"); s != "" {
		return s
	}
	return "stage"
}
