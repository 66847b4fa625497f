package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tolboy/warden/internal/budget"
	"github.com/tolboy/warden/internal/draft"
	"github.com/tolboy/warden/internal/engine"
	"github.com/tolboy/warden/internal/git"
	"github.com/tolboy/warden/internal/grace"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/role"
	"github.com/tolboy/warden/internal/schema"
	"github.com/tolboy/warden/internal/usage"
	"github.com/tolboy/warden/internal/workflow"
)

// drafts is how often a planner is asked in one preparation.
const drafts = 2

// PlanStep is the one stage of a preparation.
func PlanStep() workflow.Step {
	return workflow.Step{Stage: workflow.Stage{Name: "plan", Run: workflow.RunRole, Role: workflow.Planner, OnFail: workflow.RouteStop}}
}

// Prepared is what a preparation came to. The ledger is sealed with the ending,
// unless that is OK and a task was drafted: then it is the caller's to write the
// task, to say so in the ledger, and to seal it.
type Prepared struct {
	Task     draft.Task
	Artifact string // path of the planner's answer
	Addition string // what it would add to the goal, which stays without it
	Ending   ledger.Ending
}

// preparation is one Prepare as it goes on.
type preparation struct {
	machine  *Machine
	order    Order
	ask      draft.Ask
	judge    *git.Judge
	roles    *roles
	before   engine.Tree
	kept     git.Kept
	limits   budget.Limits
	prior    budget.Spent // of the runs that the preparation continues
	spent    budget.Spent
	prices   []budget.Price
	promised usage.Amount // of the call in progress
	charged  []string     // ids of the calls of the attempt
	step     workflow.Step
	read     []byte            // the draft that its reader has read last
	findings []outcome.Finding // that the reader left
	began    time.Time
	out      Prepared
}

// Prepare asks the planner for the contract of a goal, at most twice, and whoever the
// policy names to read drafts about each. What they change in the tree is taken back,
// with their answer. Its calls are counted
// against the ceilings of the order's task. An error means that it cannot be told
// what happened.
func (m *Machine) Prepare(ctx context.Context, o Order, ask draft.Ask) (Prepared, error) {
	p := &preparation{machine: m, order: o, ask: ask, limits: Limits(o.Home, o.Task), began: m.Now(),
		prior: engine.Spent(o.Chain), prices: pricesOf(o.Home, asked(PlanSteps(o.Home)))}
	p.spent = p.prior
	if err := p.reserve(); err != nil {
		return p.out, err
	}
	code, detail, err := p.run(ctx)
	if err != nil {
		return p.out, err
	}
	e := &p.out.Ending
	e.OK, e.Code, e.Detail, e.NextAction = code == outcome.Prepared || code == outcome.DryRun, code, detail, engine.NoAction
	e.RoleRuns, e.Confinement, e.CostCeilingBinding = p.spent.Calls-p.prior.Calls, m.Confinement(), e.Usage.Unpriced == 0
	e.DurationMillis = m.Now().Sub(p.began).Milliseconds()
	if code == outcome.Prepared {
		return p.out, nil
	}
	e.SafeNextStep = engine.PlanStep(code)
	var files []ledger.File
	if code == outcome.PlanReviewFindingsRemain {
		if files, err = p.question(); err != nil {
			return p.out, err
		}
	}
	_, err = o.Ledger.Append(ledger.TypeStopped, m.Now(), *e, files...)
	return p.out, err
}

// reserve writes what is asked, and the arithmetic of those who draft alone.
func (p *preparation) reserve() error {
	t, steps, v := p.order.Task, PlanSteps(p.order.Home), p.order.Reserved
	v.Preparation, v.DryRun, v.Confinement = true, p.order.DryRun, p.machine.Confinement()
	v.Project, v.Goal, v.Risk, v.Scope, v.Acceptance = t.Project, t.Goal, t.Risk, t.Scope, t.Acceptance
	v.WorkflowDeclared, v.FailoverMode = p.order.Home.Policy.WorkflowDeclared, p.order.Home.Policy.Failover
	v.BudgetPlan = budget.Plan(steps, p.limits, budget.Terms{Prior: p.prior, Prices: p.prices})
	v.Limits = ledger.Limits{MaxRoleRuns: p.limits.Calls, MaxCostUSD: p.limits.CostUSD, TimeoutSeconds: int64(t.Timeout.Seconds()),
		ElapsedSeconds: int64(p.limits.Elapsed.Seconds()), CostCap: p.costCap(), GateTTLSeconds: int64(t.GateTTL.Seconds())}
	for _, s := range steps {
		v.Stages = append(v.Stages, ledger.Stage{Name: s.Name, Run: string(s.Run), Role: s.Role, OnFail: string(s.OnFail), OnFindings: string(s.OnFindings)})
	}
	_, err := p.order.Ledger.Append(ledger.TypeRunReserved, p.machine.Now(), v)
	return err
}

// run returns the code that the preparation ended with.
func (p *preparation) run(ctx context.Context) (outcome.Code, string, error) {
	m, o := p.machine, p.order
	var err error
	if p.judge, err = m.judge(ctx, o.Ledger.ID(), o); err != nil {
		return "", "", err
	}
	eyes := &eyes{judge: p.judge, task: o.Task, worktree: o.Worktree, contract: o.Contract}
	p.roles = &roles{machine: m, order: o, eyes: eyes, dispatcher: &role.Dispatcher{
		Home: o.Home, Judge: p.judge, Evidence: o.Ledger, RunsDir: o.RunsDir, Vendor: m.Vendor, Env: m.Environ, Confine: m.confine(o.Ledger.ID()),
	}}
	if stop := p.enforceable(); stop != nil {
		p.out.Ending.BudgetLimitHit = stop.Limit
		return stop.Code, stop.Text, nil
	}
	if no := p.roles.Preflight(ctx, PlanSteps(o.Home)); no != nil {
		return no.Code, no.Detail, nil
	}
	snap, err := p.judge.Snapshot(ctx)
	if err != nil {
		return "", "", err
	}
	if p.before, err = eyes.tree(snap); err != nil {
		return "", "", err
	}
	if p.kept, err = p.judge.Keep(ctx, snap); errors.Is(err, git.ErrKeepTooMuch) {
		return outcome.RunPreflightFailed, err.Error(), nil
	} else if err != nil {
		return "", "", err
	}
	why := ""
	for attempt := range drafts {
		out, err := p.draft(ctx, attempt, why)
		if err != nil {
			return "", "", err
		}
		code, detail := p.judged(out)
		more := again(out, code)
		if code == outcome.Prepared {
			if code, detail, more, err = p.reviewed(ctx, attempt, out); err != nil {
				return "", "", err
			}
		}
		if !more || attempt == drafts-1 {
			return code, detail, nil
		}
		why = detail
		p.notice(engine.Notice{Kind: engine.NoticeNote, Text: "the draft was discarded, and the planner is asked once more: " + detail})
	}
	return outcome.UnexpectedError, "no draft was asked for", nil
}

// again reports whether another draft may be better than one that was discarded.
func again(out engine.RoleOutcome, code outcome.Code) bool {
	switch out.Code {
	case outcome.RoleViolatedReadOnly, outcome.RoleArtifactIncomplete, outcome.RoleArtifactSchema:
		return true
	}
	return code == outcome.PlanRefused
}

// judged compiles an accepted answer, or says how the role ended.
func (p *preparation) judged(out engine.RoleOutcome) (outcome.Code, string) {
	switch {
	case out.Code == outcome.DryRun:
		return out.Code, out.Detail
	case !out.OK && out.Code == outcome.RoleUnresolved:
		return outcome.PlannerFailed, out.Detail
	case !out.OK:
		return workflow.Reason(PlanStep().Stage, out.Code), out.Detail
	}
	task, plan, err := compile(out.Answer, p.ask, p.order)
	if err != nil {
		return outcome.PlanRefused, err.Error()
	}
	p.out.Task, p.out.Artifact, p.out.Addition = task, out.Artifact, plan.Addition
	return outcome.Prepared, out.Summary
}

// compile holds an answer against the schema of the role, whatever the profile
// names as its own, and against the contract.
func compile(answer json.RawMessage, ask draft.Ask, o Order) (draft.Task, draft.Plan, error) {
	s, err := schema.Compile(workflow.Planner)
	if err != nil {
		return draft.Task{}, draft.Plan{}, err
	}
	if v := s.Validate(answer); len(v) > 0 {
		return draft.Task{}, draft.Plan{}, fmt.Errorf("the answer does not fit the schema of the planner: %s", v[0])
	}
	plan, err := draft.ParsePlan(answer)
	if err != nil {
		return draft.Task{}, plan, err
	}
	t, err := draft.Compile(plan, ask, o.Project)
	return t, plan, err
}

// draft asks the planner once; why says what was wrong with the answer before.
func (p *preparation) draft(ctx context.Context, n int, why string) (engine.RoleOutcome, error) {
	call := engine.RoleCall{Step: PlanStep(), Attempt: n}
	if why != "" {
		call.Context = redraft(why)
	}
	return p.attempt(ctx, p.roles, call, "plan")
}

// attempt dispatches a role once and puts the tree back to what it was. Its context
// is kept under a name.
func (p *preparation) attempt(ctx context.Context, by *roles, call engine.RoleCall, name string) (engine.RoleOutcome, error) {
	o, step, n := p.order, call.Step, call.Attempt
	p.step, p.charged = step, nil
	call.Evidence, call.Role, call.Before, call.DryRun, call.Limit = ledger.StageDir(o.Ledger.ID(), step.Role, n), step.Role, p.before, o.DryRun, p.left()
	call.Charge, call.Settle, call.Notice = p.charge, p.settle, p.notice
	var files []ledger.File
	if len(call.Context) > 0 {
		file, err := o.Ledger.WriteFile(fmt.Sprintf("%s/context/%s-%d.md", o.Ledger.ID(), name, n), call.Context)
		if err != nil {
			return engine.RoleOutcome{}, err
		}
		files = append(files, file)
	}
	steps := PlanSteps(o.Home)
	at := slices.IndexFunc(steps, func(s workflow.Step) bool { return s.Name == step.Name }) + 1
	p.notice(engine.Notice{Kind: engine.NoticeStage, Index: at, Total: len(steps), Stage: step.Name})
	if _, err := o.Ledger.Append(ledger.TypeStageStarted, p.machine.Now(), ledger.StageStarted{Stage: step.Name, Label: step.Role,
		Run: string(step.Run), Role: step.Role, Position: at, Of: len(steps), Attempt: n, Dir: call.Evidence}, files...); err != nil {
		return engine.RoleOutcome{}, err
	}
	out, failed := by.Dispatch(ctx, call)
	if failed != nil {
		out.OK, out.Code, out.Detail = false, outcome.UnexpectedError, failed.Error()
	}
	if ctx.Err() != nil && !out.OK {
		out.Code = outcome.Interrupted
	}
	return out, p.record(ctx, n, &out)
}

// record takes back what was changed and writes down what it came to.
func (p *preparation) record(ctx context.Context, n int, out *engine.RoleOutcome) error {
	lasting, done := grace.Context(ctx, grace.Period)
	defer done()
	p.roles.eyes.take() // it was of the tree before that is taken back
	if err := p.judge.Restore(lasting, p.kept); err != nil {
		out.OK, out.Code = false, outcome.UnexpectedError
		out.Detail = strings.TrimPrefix(out.Detail+"; ", "; ") + err.Error()
	}
	for i := range min(len(out.Calls), len(p.charged)) {
		out.Calls[i].CallID = p.charged[i]
	}
	out.Stage, out.Label, out.Role, out.Attempt, out.DryRun = p.step.Name, p.step.Role, p.step.Role, n, p.order.DryRun
	p.notice(engine.Notice{Kind: engine.NoticeResult, Stage: p.step.Name, OK: out.OK, Code: out.Code, Text: out.Detail, Usage: out.Usage, Paid: true, Duration: out.Duration})
	for _, f := range out.Switched {
		if _, err := p.order.Ledger.Append(ledger.TypeRoleFailover, p.machine.Now(), f); err != nil {
			return err
		}
	}
	_, err := p.order.Ledger.Append(ledger.TypeRoleRun, p.machine.Now(), out.RoleRun, out.Files...)
	return err
}

// redraft tells the planner why its first answer is gone.
func redraft(why string) []byte {
	return []byte("# The first draft was discarded\n\n" + why + "\n\nDraft the task again. There is no third attempt.\n")
}
