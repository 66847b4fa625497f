package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/engine"
	"github.com/tolboy/warden/internal/gate"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/progress"
	"github.com/tolboy/warden/internal/runner"
)

// runOptions are what `run` and `do` share.
type runOptions struct {
	id        string
	dryRun    bool
	quiet     bool
	continue_ string
	prepare   string
	isolated  bool // in a worktree that was cut for the task
	fresh     bool // this process has just cut it
	visited   bool // a vendor has been in it since
	held      bool // the worktree was taken by the caller
}

func (a *app) runCommand() *cobra.Command {
	var o runOptions
	var dir string
	cmd := &cobra.Command{
		Use:   "run TASK",
		Short: "Run the loop for a task and stop in front of a human",
		Args:  exactly("TASK"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.check(); err != nil {
				return err
			}
			if err := stated(cmd, "continue"); err != nil {
				return err
			}
			l, err := a.openLocal(dir)
			if err != nil {
				return err
			}
			t, err := l.task(args[0])
			if err != nil {
				return err
			}
			out, done, err := a.planFirst(cmd.Context(), l, t, &o)
			if err == nil && !done {
				out, err = a.runTask(cmd.Context(), l, t, o)
			}
			if err != nil {
				return err
			}
			a.finish(&out, o.quiet)
			return a.print(out)
		},
	}
	cmd.Flags().StringVar(&dir, "project", ".", "directory of the project")
	o.flags(cmd)
	cmd.Flags().StringVar(&o.continue_, "continue", "", "run whose decision (reject, retry, switch or apply) this one goes on from")
	return cmd
}

func (o *runOptions) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.id, "run-id", "", "name of this run")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "resolve and render everything, dispatch nobody")
	cmd.Flags().BoolVar(&o.quiet, "quiet", false, "no narration on stderr")
	cmd.Flags().StringVar(&o.prepare, "prepare", "off", "off, auto (a planner drafts a task that is not there) or always")
}

func (o *runOptions) check() error {
	switch o.prepare {
	case "off", "auto", "always":
		return nil
	}
	return usagef("--prepare %q: choose off, auto or always", o.prepare)
}

// runResult is what a run prints.
type runResult struct {
	OK              bool           `json:"ok"`
	Code            string         `json:"code"`
	Message         string         `json:"message,omitempty"` // of a failure
	Reason          outcome.Code   `json:"reason"`
	NextAction      string         `json:"next_action"`
	RunID           string         `json:"run_id"`
	Detail          string         `json:"detail,omitempty"`
	SafeNextStep    string         `json:"safe_next_step,omitempty"`
	Summary         string         `json:"summary,omitempty"`
	ReportPath      string         `json:"report_path,omitempty"`
	LedgerHead      string         `json:"ledger_head,omitempty"`
	DecisionPath    string         `json:"decision_path,omitempty"`
	DecisionState   string         `json:"decision_state,omitempty"`
	DecisionKind    string         `json:"decision_kind,omitempty"`
	DecisionOptions []string       `json:"decision_options,omitempty"`
	ApproveWith     []string       `json:"approve_with,omitempty"`
	BudgetPlan      any            `json:"budget_plan,omitempty"`
	Ending          *ledger.Ending `json:"ending,omitempty"`
}

func (r runResult) succeeded() bool { return r.OK }

// finish completes a result before it is printed. A failure says in one sentence
// what failed, on stderr too where the narration has not done so.
func (a *app) finish(r *runResult, quiet bool) {
	if r.Code == "" {
		r.Code = string(r.Reason)
	}
	if r.OK {
		return
	}
	r.Message = r.Code
	for _, more := range []string{r.Detail, r.SafeNextStep} {
		if more != "" {
			r.Message += ": " + more
			break
		}
	}
	if r.Ending == nil && r.Detail != "" && r.SafeNextStep != "" {
		r.Message += " (" + r.SafeNextStep + ")"
	}
	if r.Ending == nil || quiet {
		a.complain(errors.New(r.Message))
	}
}

// runTask reserves a run over the checkout, performs it, and leaves the question
// for a person.
func (a *app) runTask(ctx context.Context, l *local, t contract.Task, o runOptions) (res runResult, err error) {
	if o.id == "" {
		o.id = a.freshID("run")
	}
	if err := ledger.CheckRunID(o.id); err != nil {
		return runResult{}, usagef("%v", err)
	}
	if l.home, err = a.loadHome(); err != nil {
		return runResult{}, err
	}
	m, err := a.machine(ctx, l.root)
	if err != nil {
		return runResult{}, err
	}
	if _, err := top(ctx, m.Git, l.root); err != nil {
		return runResult{}, err
	}
	if !o.held {
		release, err := a.hold(ctx, m, l.root, o.id)
		if err != nil {
			return runResult{}, err
		}
		defer release()
	}
	base, verdict, err := gate.PinBase(ctx, m.Git, l.root, t.BaseRef)
	if err != nil {
		return runResult{}, err
	}
	if !verdict.OK {
		return runResult{Reason: verdict.Code, NextAction: engine.HumanEscalation, RunID: o.id, Detail: verdict.Message}, nil
	}
	order, err := a.order(ctx, m, l, t, o, base)
	if err != nil {
		return runResult{}, err
	}
	if o.continue_ == "" && !o.dryRun {
		a.warnOfEarlier(l, t)
	}
	if o.continue_ != "" {
		if _, err := a.takeOver(ctx, l, o.continue_); err != nil {
			return runResult{}, err
		}
	}
	carried, err := a.carry(l, o, &order)
	if err != nil {
		return runResult{Reason: outcome.RunPreflightFailed, NextAction: engine.HumanEscalation, RunID: o.id, Detail: err.Error()}, nil
	}
	red, err := a.redactor(l.home)
	if err != nil {
		return runResult{}, err
	}
	run, err := ledger.Create(l.runsDir, a.head(m, l, t, o, base, order), red)
	if errors.Is(err, ledger.ErrExists) {
		return runResult{Reason: outcome.RunIDExists, NextAction: "choose_new_run_id", RunID: o.id, Detail: err.Error()}, nil
	}
	if err != nil {
		return runResult{}, err
	}
	defer sinceBegun(&err)
	defer run.Close()
	order.Ledger = run
	narrator, done := a.narrator(l, run.ID(), o)
	defer done()
	narrator.Tell(header(run.ID(), t, base.MergeBase, l.home))
	narrator.Tell(progress.Note{Text: planned(order)})
	if carried != "" {
		narrator.Tell(progress.Note{Text: carried})
	}
	order.Notice = runner.Narrate(narrator)
	end, failed := m.Run(ctx, order)
	if failed != nil && run.Sealed() == "" {
		if end, err = seal(a, run, failed); err != nil {
			return runResult{}, err
		}
	}
	defer func() { _ = m.Discard(run.ID()) }()
	return a.conclude(l, run, end, narrator)
}

// seal ends a run that could not be performed, so that it leaves evidence too. Its error
// holds what failed.
func seal(a *app, run *ledger.Run, failed error) (ledger.Ending, error) {
	end := ledger.Ending{Code: outcome.UnexpectedError, Detail: failed.Error(), NextAction: engine.HumanEscalation,
		SafeNextStep: "read the detail, correct what it names, then retry"}
	var setup *runner.SetupError
	if errors.As(failed, &setup) {
		end.Code = setup.Code
	}
	if errors.Is(failed, ledger.ErrAltered) {
		return end, failed // what is on disk is not ours to go on with
	}
	if _, err := run.Append(ledger.TypeStopped, a.now(), end); err != nil {
		return end, errors.Join(failed, err)
	}
	return end, nil
}

// order puts the run together over the operator's checkout.
func (a *app) order(ctx context.Context, m *runner.Machine, l *local, t contract.Task, o runOptions, base gate.Base) (runner.Order, error) {
	head, err := m.Git.Resolve(ctx, l.root, "HEAD")
	if err != nil {
		return runner.Order{}, err
	}
	common, err := m.Git.CommonDir(ctx, l.root)
	if err != nil {
		return runner.Order{}, err
	}
	runs, err := ledger.Runs(l.runsDir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return runner.Order{}, err
	}
	text, err := os.ReadFile(filepath.Join(l.root, ".warden", filepath.FromSlash(t.Path)))
	if err != nil {
		text = nil // a task that is not written yet cannot be edited
	}
	order := runner.Order{RunsDir: l.runsDir, Task: t, Project: l.project, Contract: l.contract, Home: l.home, Worktree: l.root, Source: common,
		Text: text, Base: base.MergeBase, Head: head, DryRun: o.dryRun, Rotation: len(runs), Reserved: ledger.RunReserved{Isolation: "in_place"}}
	if o.isolated {
		order.Reserved.Isolation, order.Fresh = "worktree", o.fresh && !o.visited
	}
	unset, err := owes(ctx, m, l.root)
	if unset {
		order.Setup, order.Reserved.Isolation = l.project.Setup, "worktree"
		order.SetUp = func() error { return paid(ctx, m, l.root) }
	}
	return order, err
}

func (a *app) head(m *runner.Machine, l *local, t contract.Task, o runOptions, base gate.Base, order runner.Order) ledger.RunHead {
	return ledger.RunHead{
		SchemaVersion: ledger.SchemaVersion, RunID: o.id, TaskID: t.ID, ReservedAt: a.now().UTC(),
		Owner:      a.worker(),
		BaseCommit: base.MergeBase, StartCommit: order.Head, GoalSHA256: noteDigest([]byte(t.Goal)),
		TaskSHA256: taskDigest(l, t), ContractSHA256: l.contract.SHA256(), AcceptanceSHA256: contract.AcceptanceSHA256(l.contract, t.Path, t),
		PolicySHA256: homeDigest(l), Continues: o.continue_, WardenVersion: Version, Confinement: m.Confinement(), DryRun: o.dryRun,
		Chain: order.Chain,
	}
}

func taskDigest(l *local, t contract.Task) string {
	data, err := os.ReadFile(filepath.Join(l.root, ".warden", filepath.FromSlash(t.Path)))
	if err != nil {
		return ""
	}
	return noteDigest(data)
}

// homeDigest identifies who runs by the policy and every profile.
func homeDigest(l *local) string {
	sum := sha256.New()
	for _, name := range sortedKeys(l.home.Profiles) {
		fmt.Fprintf(sum, "%s %s\n", name, l.home.Profiles[name].SHA256)
	}
	if f, err := os.ReadFile(filepath.Join(l.home.Dir, "policy.yaml")); err == nil {
		sum.Write(f)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// narrator tells on stderr, and in the run's own file, how it goes.
func (a *app) narrator(l *local, id string, o runOptions) (*progress.Narrator, func()) {
	opts := progress.Options{Quiet: o.quiet, DryRun: o.dryRun, Color: progress.Color(a.env, terminal(a.stderr))}
	file, err := os.OpenFile(filepath.Join(l.runsDir, id, "narration.log"), os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o644)
	if err == nil {
		opts.Log = file
	}
	n := progress.New(a.stderr, opts)
	return n, func() {
		n.Close()
		if file != nil {
			_ = file.Close()
		}
	}
}
