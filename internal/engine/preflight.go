package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/strict"
	"github.com/tolboy/warden/internal/workflow"
)

// preflight writes down what is about to be done, and stops a run that could not
// end well before anybody is paid. It returns an empty code when the run may
// begin.
func (r *run) preflight(ctx context.Context) (outcome.Code, string, error) {
	files := r.Given
	if r.carry != nil {
		file, err := r.Journal.WriteFile(r.RunID+"/context/fix-0-rejection.md", r.carry)
		if err != nil {
			return "", "", err
		}
		files = append(files, file)
	}
	if err := r.append(ledger.TypeRunReserved, r.reserved(), files...); err != nil {
		return "", "", err
	}
	for _, s := range r.Steps {
		if s.Skip == "" {
			continue
		}
		if err := r.append(ledger.TypeStageSkipped, ledger.StageSkipped{Stage: s.Name, Role: s.Role, Reason: s.Skip}); err != nil {
			return "", "", err
		}
	}
	tree, err := r.Eyes.Look(ctx)
	if err != nil {
		return outcome.UnexpectedError, err.Error(), nil
	}
	r.start, r.tree = tree, tree
	r.end.Unexplained = len(tree.Changed) > 0 && !slices.Contains(r.Known, tree.Source)
	if len(tree.Outside)+len(tree.Refused) > 0 {
		r.end.Violations = append(append([]string{}, tree.Outside...), tree.Refused...)
		detail, advice := strayed(r.end.Violations, tree.BySetup)
		r.end.Resolution = advice
		return outcome.PreflightOutsideScope, detail, nil
	}
	if len(tree.Contract) > 0 {
		r.end.ContractFiles = tree.Contract
		return outcome.ContractMutated, "the contract in the worktree is not the one the run was reserved for: " + strings.Join(tree.Contract, ", "), nil
	}
	if t := r.Task; t.Visual.Harness() {
		if faults := t.ScenarioFaults(); len(faults) > 0 {
			return outcome.VisualContractInvalid, unsayable(faults), nil
		}
	}
	if code, detail := r.unsupported(); code != "" {
		return code, detail, nil
	}
	if stop := r.enforceable(); stop != nil {
		r.end.BudgetLimitHit = stop.Limit
		return stop.Code, stop.Text, nil
	}
	if refusal := r.Roles.Preflight(ctx, r.Steps); refusal != nil {
		r.end.Rejected = refusal.Rejected
		return refusal.Code, refusal.Detail, nil
	}
	if code, detail, err := r.sighted(ctx); code != "" || err != nil {
		return code, detail, err
	}
	if err := r.gather(); err != nil {
		return "", "", err
	}
	if r.DryRun {
		return "", "", nil
	}
	return r.untouched(ctx)
}

// reserved completes the first line of the chain with the task and the plan.
func (r *run) reserved() ledger.RunReserved {
	t, v := r.Task, r.Reserved
	v.Project, v.Goal, v.NonGoals, v.Risk, v.Scope = t.Project, t.Goal, t.NonGoals, t.Risk, t.Scope
	v.Baseline, v.Acceptance, v.VisualRequired = t.Baseline, t.Acceptance, t.Visual.Required
	v.BudgetPlan = r.forecast()
	v.Limits = ledger.Limits{MaxRoleRuns: r.Limits.Calls, MaxCostUSD: r.Limits.CostUSD,
		MaxFixAttempts: t.MaxFixAttempts, TimeoutSeconds: int64(t.Timeout.Seconds()), ElapsedSeconds: int64(r.Limits.Elapsed.Seconds()),
		GateTTLSeconds: int64(t.GateTTL.Seconds())}
	if r.Limits.Strict {
		v.Limits.CostCap = "strict"
	}
	v.CarriesRejection, v.DryRun = r.Rejection != nil, r.DryRun
	for _, s := range r.Steps {
		stage := ledger.Stage{Name: s.Name, Run: string(s.Run), Role: s.Role, OnFail: string(s.OnFail),
			OnFindings: string(s.OnFindings), Recheck: s.Recheck, FixWith: s.FixWith, Sees: s.Sees}
		for _, c := range s.When {
			stage.When = append(stage.When, string(c))
		}
		v.Stages = append(v.Stages, stage)
	}
	return v
}

// unsayable says what is wrong with the scenarios of a task, on one line.
func unsayable(faults strict.Faults) string {
	const most = 5
	var out []string
	for _, f := range faults[:min(len(faults), most)] {
		out = append(out, f.Error())
	}
	if more := len(faults) - most; more > 0 {
		out = append(out, fmt.Sprintf("and %d more, which warden validate shows", more))
	}
	return strings.Join(out, "; ")
}

// unsupported refuses what this version cannot run. A required stage is never
// skipped in silence.
func (r *run) unsupported() (outcome.Code, string) {
	looks := false
	for _, s := range r.Steps {
		if s.Skip != "" {
			continue
		}
		if s.Run == workflow.RunBrowser && r.Harness == nil || s.Role == workflow.Planner || s.Role == workflow.PlanReviewer {
			return outcome.StageUnsupported, fmt.Sprintf("stage %q needs %s, which is not built yet", s.Name, s.Run)
		}
		looks = looks || s.Run == workflow.RunBrowser || s.Run == workflow.RunRole && s.Role == workflow.VisualQA
	}
	if r.Task.Visual.Required && !looks {
		return outcome.StageUnsupported, "the task requires visual_qa, and no stage of the chain looks at anything"
	}
	return "", ""
}

// preview renders every prompt and dispatches nobody. The first role that could
// not be dispatched gives the reason that the run would stop with.
func (r *run) preview(ctx context.Context) (outcome.Code, string, error) {
	reason, detail := outcome.DryRun, ""
	for i, s := range r.Steps {
		if s.Skip != "" || s.Run != workflow.RunRole {
			continue
		}
		call := RoleCall{Evidence: r.evidence(r.name(s), 0), Step: s, Role: s.Role, Look: r.shown(s), Writers: r.Writers, Unexplained: r.end.Unexplained, Before: r.tree, DryRun: true}
		if s.Role == workflow.Implementer {
			call.Context, r.carry = r.carry, nil
		}
		call.Context = r.briefed(call)
		out, err := r.Roles.Dispatch(ctx, call)
		if err != nil {
			return outcome.UnexpectedError, err.Error(), nil
		}
		out.Stage, out.Label, out.Role, out.DryRun = s.Name, s.Role, s.Role, true
		if err := r.append(ledger.TypeRoleRun, out.RoleRun, out.Files...); err != nil {
			return "", "", err
		}
		if !out.OK {
			if reason == outcome.DryRun {
				reason, detail = workflow.Reason(s.Stage, out.Code), out.Detail
			}
			r.notice(Notice{Kind: NoticeNote, Text: "would stop at " + s.Name + ": " + out.Detail})
			continue
		}
		r.notice(Notice{Kind: NoticeStage, Index: i + 1, Stage: s.Name, Text: "would dispatch " + out.Profile})
	}
	return reason, detail, nil
}
