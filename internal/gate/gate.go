// Package gate runs the machine checks of a task and judges what they leave
// behind: whether the commands succeed, whether the candidate stays in its scope,
// and whether the contract is still the one that the run began with.
package gate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/git"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/sandbox"
)

// Judge looks at the worktree with a git directory that no child can reach.
type Judge interface {
	Snapshot(ctx context.Context) (git.Snapshot, error)
}

// Request asks for one gate run.
type Request struct {
	Task      contract.Task
	Root      string            // worktree, absolute
	Judge     Judge             // measures against MergeBase
	MergeBase string            // commit; for the report
	Contract  contract.Snapshot // what the run was begun with
	Phase     Phase             // "" is Gates
	// Before is the tree as it is now, for a caller that has just looked; nil looks.
	Before *git.Snapshot
	Runner
}

// Phase is why the commands of a task are run.
type Phase string

// The phases. The last two run on a tree that must not move.
const (
	Gates        Phase = "gates"        // the commands that decide
	Baseline     Phase = "baseline"     // what must be green before anyone writes
	Reproduction Phase = "reproduction" // what must be red before anyone writes
)

// Runner is how commands are started.
type Runner struct {
	Env     []string      // of the caller; children get an allowlist of it
	Limit   time.Duration // shared by all commands of one run
	Sandbox *sandbox.Spec // nil confines nothing
	Bwrap   string
	// Started is told of each command before it runs; may be nil.
	Started func(index, total int, command string)
}

// Run runs the commands in order and stops at the first thing that does not hold.
// A check that failed is a Report that is not OK. An error means that a check
// could not be made; the Report then says how far it came and is worth keeping.
func Run(ctx context.Context, req Request) (Report, error) {
	r := newRun(req)
	err := r.run(ctx)
	if err != nil && r.Code == "" {
		r.fail(outcome.GateInternalError, err.Error())
		if ctx.Err() != nil {
			r.fail(outcome.GateInterrupted, "the gate run was cancelled")
		}
	}
	r.FinishedAt = time.Now().UTC()
	return r.Report, err
}

// run is one gate run in progress.
type run struct {
	Report
	req      Request
	commands []string
	spent    time.Duration
	first    git.Snapshot // the tree before the first command
}

func newRun(req Request) *run {
	r := &run{req: req, commands: req.Task.Acceptance}
	switch req.Phase {
	case "":
		r.req.Phase = Gates
	case Baseline:
		r.commands = req.Task.Baseline
	case Reproduction:
		r.commands = req.Task.Reproduce
	}
	if r.req.Limit <= 0 {
		r.req.Limit = req.Task.Timeout
	}
	r.req.Sandbox = confine(req.Sandbox, req.Task.Authority.Network)
	r.Report = Report{
		SchemaVersion: 1, Phase: string(r.req.Phase), TaskID: req.Task.ID, Project: req.Task.Project,
		ContractSHA256: req.Contract.SHA256(), BaseRef: req.Task.BaseRef, MergeBase: req.MergeBase,
		ScopePaths: req.Task.Scope, ChangedPaths: []string{}, Violations: []Violation{}, Commands: []Command{},
		CommandsDeclared: len(r.commands), LimitMillis: r.req.Limit.Milliseconds(),
		ConfinedBy: string(sandbox.None), Network: true, DoesNotCover: doesNotCover,
	}
	if s := r.req.Sandbox; s != nil && s.Backend != sandbox.None {
		r.ConfinedBy, r.Network = string(s.Backend), s.Network
		if s.Backend == sandbox.Landlock && !s.Network {
			r.DoesNotCover += partlyClosed
		}
	}
	return r
}

// confine gives the commands the network that the task's authority grants.
func confine(spec *sandbox.Spec, network bool) *sandbox.Spec {
	if spec == nil {
		return nil
	}
	s := *spec
	s.Network = network
	return &s
}

func (r *run) run(ctx context.Context) error {
	if r.req.Limit <= 0 {
		return errors.New("run the gates: no time limit is set")
	}
	if r.req.Phase != Gates && len(r.commands) == 0 {
		return fmt.Errorf("run the %s: the task declares no command for it", r.req.Phase)
	}
	if held, err := r.boundary(ctx, 0); err != nil || !held {
		return err
	}
	for i, command := range r.commands {
		left := r.req.Limit - r.spent
		if left <= 0 {
			r.fail(outcome.GateTimeout, r.spentBefore(i))
			return nil
		}
		if r.req.Started != nil {
			r.req.Started(i+1, len(r.commands), command)
		}
		c, err := r.req.execute(ctx, r.req.Root, i+1, command, left)
		r.spent += time.Duration(c.DurationMillis) * time.Millisecond
		r.Commands = append(r.Commands, c)
		if err != nil {
			return err
		}
		if held, err := r.boundary(ctx, i+1); err != nil || !held {
			return err
		}
		if r.judge(c); r.Code != "" {
			return nil
		}
	}
	r.OK, r.Code = true, outcome.Passed
	if r.req.Phase == Reproduction {
		r.Code = outcome.Reproduced
	}
	return nil
}

// look takes the tree as the caller has just seen it before the first command, and
// looks after each.
func (r *run) look(ctx context.Context, done int) (git.Snapshot, error) {
	if done == 0 && r.req.Before != nil {
		return *r.req.Before, nil
	}
	return r.req.Judge.Snapshot(ctx)
}

// boundary looks at contract and tree between two commands, once: what stands
// after one command is what stands before the next. It reports whether both are
// as they must be.
func (r *run) boundary(ctx context.Context, done int) (bool, error) {
	if changed := contractChanges(r.req.Root, r.req.Contract); len(changed) > 0 {
		r.ConfigurationChanged = changed
		r.fail(outcome.ContractMutated, "the contract under .warden is not the one that the run began with: "+list(changed))
		return false, nil
	}
	tree, err := r.look(ctx, done)
	if err != nil {
		return false, fmt.Errorf("look at the worktree: %w", err)
	}
	if done == 0 {
		r.first = tree
	}
	r.After = tree
	r.ChangedPaths = append([]string{}, tree.SourcePaths()...)
	r.WorktreeFingerprint, r.CandidateFingerprint = tree.Full, tree.Source
	r.UnpublishablePaths = Unpublishable(r.ChangedPaths)
	if r.req.Phase != Gates && tree.Source != r.first.Source {
		r.SourceChanged = moved(r.first, tree)
		code := outcome.BaselineMutatedSource
		if r.req.Phase == Reproduction {
			code = outcome.ReproductionInconclusive
		}
		r.fail(code, fmt.Sprintf("%s command %d of %d (%q) changed the source: %s",
			r.req.Phase, done, len(r.commands), r.commands[done-1], list(r.SourceChanged)))
		return false, nil
	}
	r.Violations = append(r.Violations, Outside(r.req.Task, tree)...)
	if len(r.Violations) == 0 {
		return true, nil
	}
	if done == 0 {
		r.fail(outcome.BlastRadiusBeforeCommand, "the candidate changes what the task does not cover: "+list(describe(r.Violations)))
		return false, nil
	}
	r.fail(outcome.BlastRadiusAfterCommand, fmt.Sprintf("after command %d of %d (%q) the tree differs where the task does not reach: %s",
		done, len(r.commands), r.commands[done-1], list(describe(r.Violations))))
	return false, nil
}

// judge reads the result of a command that left contract and tree in order.
func (r *run) judge(c Command) {
	if r.req.Phase == Reproduction {
		r.reproduced(c)
		return
	}
	switch {
	case c.TimedOut:
		r.fail(outcome.CommandTimeout, r.timedOut(c))
	case c.ExitCode != 0 || c.Signal != "":
		r.LineEnds = lineEnds(r.req.Root, r.ChangedPaths)
		r.fail(outcome.CommandFailed, fmt.Sprintf("command %d of %d (%q) %s", c.Index, len(r.commands), c.Command, ending(c)))
	}
}

// What a shell answers for a program that it does not find, or may not start.
const (
	notExecutable = 126
	notFound      = 127
)

// reproduced wants a command to be red for a reason of its own. One that is green
// would let an empty change through; one that never ran shows nothing.
func (r *run) reproduced(c Command) {
	which := fmt.Sprintf("command %d of %d (%q)", c.Index, len(r.commands), c.Command)
	switch {
	case c.TimedOut:
		r.fail(outcome.ReproductionInconclusive, r.timedOut(c))
	case c.Signal != "" || c.ExitCode == notFound || c.ExitCode == notExecutable:
		r.fail(outcome.ReproductionInconclusive, which+" "+ending(c)+", so whether the fault is there is not known")
	case c.ExitCode == 0:
		r.fail(outcome.ReproductionPassed, which+" passes already, before anything was changed")
	}
}

func (r *run) fail(code outcome.Code, message string) {
	r.Verdict = Verdict{Code: code, Message: message}
}
