package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/tolboy/warden/internal/budget"
	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/engine"
	"github.com/tolboy/warden/internal/gate"
	"github.com/tolboy/warden/internal/git"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/policy"
	"github.com/tolboy/warden/internal/redact"
	"github.com/tolboy/warden/internal/role"
	"github.com/tolboy/warden/internal/sandbox"
	"github.com/tolboy/warden/internal/workflow"
)

// Order is one run.
type Order struct {
	Ledger    *ledger.Run
	RunsDir   string
	Task      contract.Task
	Project   contract.Project
	Contract  contract.Snapshot // what .warden must stay
	Home      policy.Home
	Worktree  string
	Fresh     bool          // this process has just cut the worktree: no child was in it
	Source    string        // the git directory that holds the objects
	Settings  *git.Settings // of Source, where they have been read already and no child ran since
	Base      string
	Head      string // what the worktree was checked out at
	Parent    string // what the candidate is made on; "" is Head
	Recheck   bool   // nobody writes: Head itself is judged, and is the candidate if it passes
	Rejection *engine.Rejection
	Text      []byte         // of the task's file, where a person can have it edited; nil elsewhere
	Standing  bool           // the tree may be all that is asked already
	Briefs    []engine.Brief // a plan, for the stages that follow
	Switch    *role.Switch
	Chain     ledger.Chain // what the runs that this one continues have spent
	Writers   []string
	Authors   []string        // the profiles by which they wrote
	Known     []string        // fingerprints of the trees that the runs before left
	Earlier   *ledger.History // whose verdicts may be carried; nil for none
	Setup     []string        // commands for a fresh worktree
	SetUp     func() error    // told that they have succeeded, before anybody is called; may be nil
	Reserved  ledger.RunReserved
	Given     []ledger.File // what the task was made from
	Boundary  engine.Boundary
	Identity  *Identity   // makes the candidate a commit; nil leaves the worktree
	Secrets   *redact.Set // what no candidate may hold
	Rotation  int         // which run of the project, or of the issue, this is
	DryRun    bool
	Notice    func(engine.Notice)
}

// Identity is who the candidate commit is by.
type Identity struct {
	Name, Email string
	Message     func(e ledger.Ending, writers []string) string
}

// Steps resolves the chain that the policy declares for a task.
func Steps(h policy.Home, t contract.Task) []workflow.Step {
	return workflow.Resolve(h.Policy.Stages, workflow.Facts{
		Risk:             t.Risk,
		ReviewRequired:   slices.Contains(h.Policy.ReviewRisks, t.Risk),
		VisualQARequired: t.Visual.Required,
		AgentEvidence:    t.Visual.Evidence == contract.EvidenceAgent,
		Configured:       func(name string) bool { _, ok := h.Policy.Roles[name]; return ok },
	})
}

// steps are those of the run: in a recheck nobody is asked who does not judge.
func (o Order) steps() []workflow.Step {
	steps := Steps(o.Home, o.Task)
	for i, s := range steps {
		if o.Recheck && s.Skip == "" && s.Run == workflow.RunRole && !policy.Judges(s.Role) {
			steps[i].Skip = "recheck"
		}
	}
	return steps
}

// Limits are the ceilings of a task under a policy.
func Limits(h policy.Home, t contract.Task) budget.Limits {
	return budget.Limits{Calls: t.MaxRoleRuns, CostUSD: t.MaxCostUSD, Strict: t.StrictCost, Elapsed: t.MaxElapsed, Reserve: budget.Reserve(h.Policy.RepairReserve)}
}

// Run performs the order and returns what sealed its ledger. The private git
// directory is kept for Candidate and Push; Discard removes it.
func (m *Machine) Run(ctx context.Context, o Order) (ledger.Ending, error) {
	if o.Recheck {
		o.Task.MaxFixAttempts = 0 // what a person pushed is judged, not changed
	}
	judge, err := m.judge(ctx, o.Ledger.ID(), o)
	if err != nil {
		return ledger.Ending{}, err
	}
	confine := m.confine(o.Ledger.ID())
	eyes := &eyes{judge: judge, task: o.Task, worktree: o.Worktree, contract: o.Contract}
	gates := &gates{machine: m, order: o, eyes: eyes}
	spec := engine.Spec{
		RunID: o.Ledger.ID(), Task: o.Task, Steps: o.steps(), Limits: Limits(o.Home, o.Task),
		Prior: engine.Spent(o.Chain), Chain: o.Chain, Prices: Prices(o.Home, o.Task), Since: o.Ledger.History().Run.ReservedAt, Rejection: o.Rejection, Contract: engine.Contract{Text: o.Text, Project: o.Project}, Standing: o.Standing, Briefs: o.Briefs, Writers: o.Writers, Known: o.Known, DryRun: o.DryRun, Reserved: o.Reserved, Given: o.Given,
	}
	spec.Reserved.Confinement = m.Confinement()
	spec.Reserved.WorkflowDeclared, spec.Reserved.FailoverMode = o.Home.Policy.WorkflowDeclared, o.Home.Policy.Failover
	spec.Reserved.ReviewRequired = slices.Contains(o.Home.Policy.ReviewRisks, o.Task.Risk)
	roles := &roles{machine: m, order: o, eyes: eyes, dispatcher: &role.Dispatcher{
		Home: o.Home, Judge: judge, Evidence: o.Ledger, RunsDir: o.RunsDir, Vendor: m.Vendor, Env: m.Environ, Confine: confine,
	}}
	spec.Earlier = roles.earlier()
	e := &engine.Engine{Journal: o.Ledger, Eyes: eyes, Gates: gates, Harness: &harness{machine: m, order: o, eyes: eyes}, Boundary: o.Boundary, Now: m.Now, Notice: o.Notice, Roles: roles}
	if o.Identity != nil {
		e.Committer = &committer{git: m.Git, judge: judge, eyes: eyes, order: o, now: m.Now, secret: o.Secrets}
	}
	if gates.cache, err = m.cacheOf(ctx, o, judge); err != nil {
		return ledger.Ending{}, err
	}
	if eyes.setup, err = m.setup(ctx, o, judge, gates); err != nil {
		return ledger.Ending{}, err
	}
	if mounts := gates.shared(); len(mounts) > 0 {
		spec.Reserved.SetupCache = gates.cache.Key
		roles.dispatcher.Confine.Mounts = append(roles.dispatcher.Confine.Mounts, mounts...)
	}
	if o.SetUp != nil && !o.DryRun {
		if err := o.SetUp(); err != nil {
			return ledger.Ending{}, err
		}
	}
	return e.Run(ctx, spec)
}

// SetupError says that the setup commands of a fresh worktree did not succeed.
type SetupError struct {
	Code outcome.Code
	Text string
}

func (e *SetupError) Error() string { return e.Text }

// setup runs the setup commands of a fresh worktree and returns what they changed.
func (m *Machine) setup(ctx context.Context, o Order, judge *git.Judge, g *gates) ([]string, error) {
	if len(o.Setup) == 0 || o.DryRun || m.refuses() {
		return nil, nil // where a missing sandbox refuses the run, its preflight says so
	}
	r, err := g.runner()
	if err != nil {
		return nil, err
	}
	if r.Sandbox != nil {
		// The commands are the contract's, at the base, and fetch what the project
		// depends on. No vendor has run yet.
		r.Sandbox.Network = true
	}
	filled := len(g.shared()) > 0
	if g.cache != nil && m.Sandbox.Backend != sandbox.Bubblewrap && o.Notice != nil {
		o.Notice(engine.Notice{Kind: engine.NoticeNote, Text: "caches are shared read-only by bubblewrap alone, and there is none: setup runs without them"})
	}
	report, err := gate.Setup(ctx, gate.SetupRequest{Commands: o.Setup, Root: o.Worktree, Judge: judge, Runner: r})
	if err != nil {
		return nil, fmt.Errorf("set the worktree up: %w", err)
	}
	if !report.OK {
		return nil, &SetupError{Code: report.Code, Text: report.Message}
	}
	// Only the base had a word: a tree in which a child was, or that is not the base's,
	// may have had its own in what setup fetched.
	if g.cache != nil && !filled && m.Sandbox.Backend == sandbox.Bubblewrap && o.Fresh && o.Head == o.Base {
		if err := g.cache.fill(o.Ledger.ID()); err != nil {
			return nil, err
		}
	}
	return report.ChangedPaths, nil
}

// Judge opens the private git directory of a run. A worktree that is not fresh,
// cut by this very process, may hold an index that an earlier child has forged.
func (m *Machine) Judge(ctx context.Context, runID, worktree, source, base, head string, fresh bool) (*git.Judge, error) {
	return m.judge(ctx, runID, Order{Worktree: worktree, Source: source, Base: base, Head: head, Fresh: fresh})
}

func (m *Machine) judge(ctx context.Context, runID string, o Order) (*git.Judge, error) {
	return m.Git.OpenJudge(ctx, git.JudgeConfig{Worktree: o.Worktree, GitDir: m.JudgeDir(runID), Source: o.Source, Settings: o.Settings,
		Base: o.Base, Head: o.Head, DistrustIndex: !o.Fresh, Now: m.Now})
}

// JudgeDir is the private git directory of a run.
func (m *Machine) JudgeDir(runID string) string {
	return filepath.Join(m.StateDir, "judge", runID+".git")
}

// Discard removes what a run kept beside its ledger.
func (m *Machine) Discard(runID string) error {
	return errors.Join(os.RemoveAll(m.JudgeDir(runID)), os.RemoveAll(m.homeOf(runID)))
}
