package engine_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/tolboy/warden/internal/budget"
	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/engine"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/usage"
	"github.com/tolboy/warden/internal/workflow"
)

// chance is a world in which everything that may happen to a run happens at random.
// Whatever the engine does in it is told to a witness, who knows the rules.
type chance struct {
	*witness
	rng    *rand.Rand
	kind   float64 // how often things go well
	now    time.Time
	tree   engine.Tree
	before []string // fingerprints that the tree has had
	looks  int
	refuse *engine.Refusal
	prices map[string]float64 // what a call of a role can cost at most; 0 is no promise
	cancel context.CancelFunc
	// quarrel is a world in which much is repaired and little else goes wrong, so that
	// runs get far into what readers say over many rounds.
	quarrel bool
}

func (c *chance) one(in int) bool             { return c.rng.IntN(in) == 0 }
func (c *chance) often(p float64) bool        { return c.rng.Float64() < p }
func (c *chance) pick(words ...string) string { return words[c.rng.IntN(len(words))] }

// world makes one of them, with a chain, limits and a past.
func newChance(seed, number uint64) (*chance, engine.Spec) {
	c := &chance{witness: &witness{last: map[string]word{}, said: map[string][]outcome.Finding{}}, rng: rand.New(rand.NewPCG(seed, number)), now: time.Unix(1_000_000, 0), prices: map[string]float64{}}
	c.kind = []float64{0.5, 0.8, 0.95, 1}[c.rng.IntN(4)]
	task := contract.Task{ID: "t", Goal: "g", Risk: "medium", Scope: []string{"a"}, Acceptance: []string{"x"}, Timeout: time.Minute, MaxFixAttempts: c.rng.IntN(5)}
	limits := budget.Limits{Calls: 1 + c.rng.IntN(12), Reserve: budget.Full}
	if c.one(3) {
		limits.Reserve = budget.Partial
	}
	if c.one(3) {
		limits.CostUSD = float64(c.rng.IntN(8)) / 10
		limits.Strict = limits.CostUSD > 0 && c.one(2)
	}
	if c.one(4) {
		limits.Elapsed = time.Duration(2+c.rng.IntN(30)) * time.Minute
	}
	if c.one(12) {
		task.Baseline = []string{"b"}
	}
	if c.one(12) {
		task.Reproduce = []string{"c"}
	}
	if c.quarrel = c.one(3); c.quarrel {
		c.kind = 1
		task.MaxFixAttempts, task.Baseline, task.Reproduce, limits = 6, nil, nil, budget.Limits{Calls: 50, Reserve: budget.Partial}
	}
	spec := engine.Spec{RunID: "r", Task: task, Steps: c.chain(), Limits: limits}
	if c.one(5) {
		spec.Chain = ledger.Chain{Runs: 1, RoleRuns: c.rng.IntN(5), FixAttempts: c.rng.IntN(3), ElapsedMillis: int64(c.rng.IntN(600_000))}
		if c.one(2) {
			spec.Chain.CostUSD = usage.Known(float64(c.rng.IntN(5)) / 10)
		}
		if c.one(6) && spec.Chain.RoleRuns > 0 {
			spec.Chain.Unpriced, spec.Chain.Unbounded = 1, 1
		}
		spec.Prior = engine.Spent(spec.Chain)
	}
	for _, role := range []string{workflow.Implementer, workflow.Reviewer, workflow.Architect} {
		if !c.one(12) {
			c.prices[role] = float64(1+c.rng.IntN(3)) / 10
		}
		spec.Prices = append(spec.Prices, budget.Price{Role: role, Profile: role, AtMost: budget.AtMost(c.prices[role])})
	}
	if c.one(60) {
		c.refuse = &engine.Refusal{Code: outcome.IndependentReviewMissing, Detail: "nobody"}
	}
	c.move(&c.tree, "0")
	if c.one(60) {
		c.tree.Outside = []string{"elsewhere"}
	}
	c.spec = spec
	return c, spec
}

// chain is a chain that a policy could declare.
func (c *chance) chain() []workflow.Step {
	stage := func(name string, run workflow.Kind, role string) workflow.Step {
		s := workflow.Step{Stage: workflow.Stage{Name: name, Run: run, Role: role, OnFail: workflow.RouteStop, FixWith: workflow.Implementer}}
		if c.often(0.75) == (run == workflow.RunGates) {
			s.OnFail = workflow.RouteFix
		}
		s.Recheck = c.often(0.75)
		if role == workflow.Reviewer || role == workflow.Architect {
			s.OnFindings = workflow.Route(c.pick("fix", "fix", "fix", "stop", ""))
		}
		if c.quarrel {
			s.Recheck, s.OnFail = !c.one(4), workflow.RouteFix
			if s.OnFindings != "" {
				s.OnFindings = workflow.RouteFix
			}
			return s
		}
		if c.one(12) {
			s.Skip = "condition_not_met:risk_high"
		}
		return s
	}
	steps := []workflow.Step{stage("implement", workflow.RunRole, workflow.Implementer)}
	steps[0].OnFail, steps[0].Recheck = workflow.RouteStop, false
	rest := []workflow.Step{stage("gates", workflow.RunGates, ""), stage("review", workflow.RunRole, workflow.Reviewer)}
	if c.one(2) {
		rest = append(rest, stage("review-second", workflow.RunRole, workflow.Reviewer))
	}
	if c.one(2) {
		rest = append(rest, stage("architect", workflow.RunRole, workflow.Architect))
	}
	if c.one(3) {
		rest = append(rest, stage("gates-again", workflow.RunGates, ""))
	}
	if c.quarrel || c.one(2) {
		c.rng.Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
	}
	return append(steps, rest...)
}

func (c *chance) move(t *engine.Tree, to string) {
	t.Source, t.Changed = to, []string{"a"}
	if to == "0" {
		t.Changed = nil
	}
	c.before = append(c.before, to)
}

// Now implements the engine's clock.
func (c *chance) Now() time.Time { return c.now }

// Append implements engine.Journal.
func (c *chance) Append(kind string, _ time.Time, data any, _ ...ledger.File) (ledger.Line, error) {
	c.line(kind, data)
	return ledger.Line{}, nil
}

// WriteFile implements engine.Journal.
func (c *chance) WriteFile(path string, data []byte) (ledger.File, error) {
	return ledger.File{Path: path, Bytes: int64(len(data))}, nil
}

// Look implements engine.Eyes. Only the last look may see what nobody was seen to do.
func (c *chance) Look(context.Context) (engine.Tree, error) {
	c.looks++
	if c.looks == 1 {
		return c.tree, nil
	}
	switch c.rng.IntN(200) {
	case 0:
		c.move(&c.tree, "drift")
	case 1:
		c.tree.Contract = []string{"tasks/t.yaml modified"}
	case 2:
		c.tree.Outside = []string{"elsewhere"}
	case 3:
		c.tree.Refused = []string{"a link out"}
	case 4:
		return engine.Tree{}, fmt.Errorf("the disk is gone")
	}
	c.seen = c.tree
	return c.tree, nil
}

// Preflight implements engine.Roles.
func (c *chance) Preflight(context.Context, []workflow.Step) *engine.Refusal { return c.refuse }

// Cross implements engine.Boundary.
func (c *chance) Cross(context.Context, string, time.Duration) *engine.Refusal {
	c.crossed()
	switch c.rng.IntN(500) {
	case 0:
		return &engine.Refusal{Code: outcome.Stopped, Detail: "stop"}
	case 1:
		return &engine.Refusal{Code: outcome.LedgerAltered, Detail: "altered"}
	case 2:
		c.cancel()
	}
	return nil
}

// Charged implements engine.Boundary.
func (c *chance) Charged(context.Context) *engine.Refusal { return nil }

// Run implements engine.Gates.
func (c *chance) Run(_ context.Context, _ string, checks engine.Checks, limit time.Duration) (engine.GateOutcome, error) {
	c.now = c.now.Add(time.Duration(c.rng.IntN(20)) * time.Second)
	out := engine.GateOutcome{GateRun: ledger.GateRun{OK: true, Code: outcome.Passed}}
	switch {
	case c.one(60):
		c.move(&c.tree, c.fresh())
	case c.quarrel && c.one(3):
		out.OK, out.Code = false, outcome.CommandFailed
	case c.often(c.kind):
	default:
		out.OK = false
		out.Code = outcome.Code(c.pick("command_failed", "command_failed", "command_failed", "blast_radius_after_command", "gate_internal_error",
			"gate_interrupted", "command_timeout", "base_ref_unresolvable", "unconfined_refused", "contract_mutated"))
		if out.Code == outcome.CommandTimeout && limit > 0 && c.one(2) {
			c.now = c.now.Add(limit)
		}
		if out.Code == outcome.ContractMutated {
			c.tree.Contract = []string{"project.yaml modified"}
		}
	}
	out.After = c.tree
	if checks == engine.ChecksReproduce {
		return c.reproduced(out), nil
	}
	if checks == engine.ChecksDecide {
		c.checked(out.OK && len(c.tree.Contract) == 0, c.tree.Source)
	}
	return out, nil
}

// reproduced turns the outcome of checks into that of commands which must be red.
func (c *chance) reproduced(out engine.GateOutcome) engine.GateOutcome {
	switch {
	case out.OK:
		out.Code = outcome.Reproduced
	case out.Code == outcome.CommandFailed:
		out.Code = outcome.ReproductionPassed
	case out.Code != outcome.ContractMutated:
		out.Code = outcome.ReproductionInconclusive
	}
	return out
}

func (c *chance) fresh() string { return strconv.Itoa(len(c.before)) }

// Commit implements engine.Committer.
func (c *chance) Commit(context.Context, ledger.Ending, []string) (ledger.Candidate, error) {
	if c.one(60) {
		return ledger.Candidate{}, fmt.Errorf("it cannot be a commit")
	}
	return ledger.Candidate{Commit: "c"}, nil
}

// Park implements engine.Committer.
func (c *chance) Park(context.Context, ledger.Ending) (*ledger.Parked, error) { return nil, nil }
