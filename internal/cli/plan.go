package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/draft"
	"github.com/tolboy/warden/internal/engine"
	"github.com/tolboy/warden/internal/gate"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/plain"
	"github.com/tolboy/warden/internal/progress"
	"github.com/tolboy/warden/internal/runner"
	"github.com/tolboy/warden/internal/usage"
)

// planning is what a planner is asked about.
type planning struct {
	task    contract.Task // the one that is there, or a provisional one
	exists  bool
	settled bool // nothing was left for a planner to choose
}

// preparation is what a planner came to, as `do` prints it.
type preparation struct {
	RunID      string       `json:"run_id"`
	Code       outcome.Code `json:"code"`
	RoleRuns   int          `json:"role_runs"`
	CostUSD    usage.Amount `json:"cost_usd"`
	Unpriced   int          `json:"unpriced_calls"`
	ReportPath string       `json:"report_path"`
	LedgerHead string       `json:"ledger_head"`
}

// plan asks the planner in a run of its own, whose spend the next one takes over,
// and writes the contract that it drafted.
func (a *app) plan(ctx context.Context, m *runner.Machine, l *local, p planning, o *doOptions, out *doResult) (drafted contract.Task, done bool, err error) {
	id := planID(o.run.id)
	for _, name := range []string{o.run.id, id} {
		if l.taken(name) {
			out.runResult = runResult{Reason: outcome.RunIDExists, NextAction: "choose_new_run_id", RunID: name, Detail: fmt.Sprintf("a run %q has been here", name)}
			return p.task, true, nil
		}
	}
	if err := a.plannable(ctx, m, l.root, p.task, o.draftOnly); err != nil {
		return p.task, false, err
	}
	if l.home, err = a.loadHome(); err != nil {
		return p.task, false, err
	}
	base, verdict, err := gate.PinBase(ctx, m.Git, l.root, p.task.BaseRef)
	if err != nil {
		return p.task, false, err
	}
	if !verdict.OK {
		return p.task, false, &halted{verdict.Code, verdict.Message, false}
	}
	opts := runOptions{id: id, dryRun: o.run.dryRun, quiet: o.run.quiet, isolated: o.run.isolated, fresh: o.run.fresh}
	order, err := a.order(ctx, m, l, p.task, opts, base)
	if err != nil {
		return p.task, false, err
	}
	red, err := a.redactor(l.home)
	if err != nil {
		return p.task, false, err
	}
	run, err := ledger.Create(l.runsDir, a.head(m, l, p.task, opts, base, order), red)
	if err != nil {
		return p.task, false, err
	}
	defer sinceBegun(&err)
	defer run.Close()
	defer func() { _ = m.Discard(id) }()
	order.Ledger, o.run.visited = run, true
	n, quiet := a.narrator(l, id, opts)
	defer quiet()
	h := header(id, p.task, base.MergeBase, l.home)
	h.Stages, h.FixRounds = nil, 0
	for _, s := range runner.PlanSteps(l.home) {
		h.Stages = append(h.Stages, s.Name)
	}
	n.Tell(h)
	order.Notice = runner.Narrate(n)
	if o.browser && !p.task.Authority.Network {
		network, _ := runner.PageNetwork(ctx, a.environ, m.Sandbox)
		o.browser = network != ""
	}
	_, served := draft.DetectPreview(os.DirFS(l.root))
	ask := draft.Ask{Pageless: !served, ID: o.taskID, Goal: p.task.Goal, Scope: o.scope, Risk: o.risk, Authority: p.task.Authority, Browser: o.browser}
	got, failed := m.Prepare(ctx, order, ask)
	t := p.task
	if failed == nil && got.Ending.Code == outcome.Prepared {
		t, failed = a.prepared(run, l, got, p, *o, out)
	}
	if failed != nil && run.Sealed() == "" {
		if got.Ending, err = seal(a, run, failed); err != nil {
			return t, false, err
		}
		got.Ending.OK = false
	}
	out.GoalAddition = got.Addition
	finished, err := a.planned(l, run, got.Ending, p, o, out, n)
	return t, finished, errors.Join(err, summarise(run))
}

// planFirst asks the planner about a task that is there, before it is run. It is
// done when the run should not follow.
func (a *app) planFirst(ctx context.Context, l *local, t contract.Task, o *runOptions) (runResult, bool, error) {
	if o.prepare != "always" {
		return runResult{}, false, nil // the task is there
	}
	if o.continue_ != "" {
		return runResult{}, false, usagef("--prepare always begins a new chain of runs, so it does not go with --continue")
	}
	if o.id == "" {
		o.id = a.freshID("run")
	}
	m, err := a.machine(ctx, l.root)
	if err != nil {
		return runResult{}, false, err
	}
	if _, err := top(ctx, m.Git, l.root); err != nil {
		return runResult{}, false, err
	}
	release, err := a.hold(ctx, m, l.root, o.id)
	if err != nil {
		return runResult{}, false, err
	}
	defer release()
	do, out := doOptions{run: *o, taskID: t.ID, browser: a.browser(l.root).Path != ""}, doResult{}
	_, done, err := a.plan(ctx, m, l, planning{task: t, exists: true, settled: true}, &do, &out)
	var no *halted
	if errors.As(err, &no) {
		return runResult{Reason: no.code, NextAction: engine.HumanEscalation, RunID: o.id, Detail: no.detail, SafeNextStep: no.next(a.program(), l.root)}, true, nil
	}
	*o = do.run
	return out.runResult, done, err
}

// prepared writes the contract, says in the ledger what it is and what the run
// after it needs, and ends the preparation.
func (a *app) prepared(run *ledger.Run, l *local, got runner.Prepared, p planning, o doOptions, out *doResult) (contract.Task, error) {
	if !p.exists {
		if _, err := draft.Write(l.root, got.Task, l.project); err != nil {
			return p.task, err
		}
	}
	home := l.home
	fresh, err := a.openLocal(l.root)
	if err != nil {
		return p.task, err
	}
	*l = *fresh
	l.home = home
	t, err := l.task(o.taskID + ".yaml")
	if err != nil {
		return p.task, err
	}
	out.TaskFile = filepath.Join(l.root, ".warden", filepath.FromSlash(t.Path))
	if got.Addition != "" {
		a.narrate("note: the planner would add to the goal, which stays as it was given: %s", plain.Line(got.Addition, 600))
	}
	if p.exists {
		a.compare(t, got.Task, l.project)
	} else if !o.draftOnly {
		a.narrate("drafted %s   risk=%s   scope=%s", out.TaskFile, t.Risk, few(t.Scope))
	}
	drafted, err := run.WriteFile(run.ID()+"/context/task.yaml", got.Task.YAML)
	if err != nil {
		return t, err
	}
	e := ledger.RunPrepared{TaskID: t.ID, TaskFile: ".warden/" + t.Path, TaskExisted: p.exists, TaskSHA256: taskDigest(l, t), ContractSHA256: l.contract.SHA256(),
		Risk: t.Risk, Scope: t.Scope, Acceptance: t.Acceptance, Artifact: got.Artifact, GoalAddition: got.Addition}
	if !o.draftOnly {
		forecast(&e, l, p.task, t)
	}
	if _, err := run.Append(ledger.TypeRunPrepared, a.now(), e, drafted); err != nil {
		return t, err
	}
	if got.Ending.SafeNextStep = "run the task"; o.draftOnly {
		got.Ending.SafeNextStep = "read the contract, then: " + next(l, t, o)
	}
	_, err = run.Append(ledger.TypeStopped, a.now(), got.Ending)
	out.Scope, out.Risk = strings.Join(t.Scope, ", "), t.Risk
	return t, err
}

// forecast measures the run that follows on its contract, beside what was reserved
// when only the goal was known.
func forecast(e *ledger.RunPrepared, l *local, guessed, t contract.Task) {
	before := runner.Forecast(runner.Order{Home: l.home, Task: guessed})
	after := runner.Forecast(runner.Order{Home: l.home, Task: t})
	matched := reflect.DeepEqual(before, after)
	e.BudgetPlan, e.AtReservation, e.Matched = after, before, &matched
}

// compare says where the planner would have drafted another task than the one that
// is there and stays.
func (a *app) compare(there contract.Task, drafted draft.Task, p contract.Project) {
	t, err := contract.ParseTask(drafted.File, drafted.YAML, p)
	if err != nil {
		return
	}
	if !slices.Equal(t.Scope, there.Scope) || t.Risk != there.Risk {
		a.narrate("note: the planner would take scope %s and risk %s; the task that is there stays as it is", few(t.Scope), t.Risk)
	}
}

// planned puts what the preparation came to into the answer, and reports whether
// nothing is left to run.
func (a *app) planned(l *local, run *ledger.Run, end ledger.Ending, p planning, o *doOptions, out *doResult, n *progress.Narrator) (bool, error) {
	dir := filepath.Join(l.runsDir, run.ID())
	out.Preparation = &preparation{RunID: run.ID(), Code: end.Code, RoleRuns: end.RoleRuns, CostUSD: end.Usage.CostUSD, Unpriced: end.Usage.Unpriced,
		ReportPath: filepath.Join(dir, "report.json"), LedgerHead: run.Sealed()}
	if end.OK && end.Code == outcome.Prepared {
		o.run.continue_ = run.ID()
		return false, nil
	}
	if end.OK && p.settled {
		a.narrate("note: nobody was called; what follows is shown for the task as it is drafted without a planner")
		return false, nil
	}
	if end.NextAction == engine.HumanEscalation && end.Code == outcome.PlanReviewFindingsRemain {
		var err error
		out.runResult, err = a.conclude(l, run, end, n)
		return true, err
	}
	out.runResult = runResult{OK: end.OK, Reason: end.Code, NextAction: engine.HumanEscalation, RunID: run.ID(), Detail: end.Detail, SafeNextStep: engine.PlanStep(end.Code),
		Summary: filepath.Join(dir, "task-run.json"), ReportPath: out.Preparation.ReportPath, LedgerHead: run.Sealed(), Ending: &end}
	if end.OK {
		out.NextAction = engine.NoAction
	}
	n.Tell(progress.Done{Reason: end.Code, OK: end.OK, Usage: end.Usage, Say: []string{end.Detail, out.SafeNextStep}, Commands: []string{a.program() + " report " + run.ID() + l.at() + " --text"}})
	return true, nil
}

// next is the command that runs a drafted task.
func next(l *local, t contract.Task, o doOptions) string {
	command := l.program + " run " + t.ID + l.at() + " --run-id " + o.run.id
	if o.run.continue_ != "" {
		command += " --continue " + o.run.continue_
	}
	return command
}
