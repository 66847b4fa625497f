package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/tolboy/warden/internal/engine"
	"github.com/tolboy/warden/internal/gate"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/sandbox"
)

// gates runs the check commands for the engine and keeps their reports.
type gates struct {
	machine *Machine
	order   Order
	eyes    *eyes
	cache   *setupCache // nil where the project declares none
}

// Run implements engine.Gates.
func (g *gates) Run(ctx context.Context, evidence string, checks engine.Checks, limit time.Duration) (engine.GateOutcome, error) {
	began := time.Now()
	if g.machine.refuses() {
		return engine.GateOutcome{GateRun: ledger.GateRun{Code: outcome.Unconfined, Message: "this run requires a sandbox and there is none: " + g.machine.Sandbox.Reason}}, nil
	}
	commands, err := g.runner()
	if err != nil {
		return engine.GateOutcome{}, err
	}
	if limit > 0 {
		commands.Limit = min(commands.Limit, limit)
	}
	report, failed := gate.Run(ctx, gate.Request{
		Task: g.order.Task, Root: g.order.Worktree, Judge: g.eyes.judge, MergeBase: g.order.Base,
		Contract: g.order.Contract, Phase: gate.Phase(checks), Runner: commands,
		Before: g.eyes.take(),
	})
	name := "machine-gate.json"
	if checks != engine.ChecksDecide {
		name = string(checks) + "-gate.json"
	}
	data, err := json.MarshalIndent(report, "", "  ")
	if err != nil {
		return engine.GateOutcome{}, fmt.Errorf("encode the gate report: %w", err)
	}
	file, err := g.order.Ledger.WriteFile(evidence+"/"+name, append(data, '\n'))
	if err != nil {
		return engine.GateOutcome{}, fmt.Errorf("keep the gate report: %w", err)
	}
	out := engine.GateOutcome{GateRun: record(report, file), Failure: gate.FailureText(report, file.Path), Files: []ledger.File{file}, Duration: time.Since(began)}
	if failed != nil && report.Code != outcome.GateInterrupted {
		out.Message = failed.Error()
	}
	if report.After.Source != "" {
		if failed == nil && len(report.ConfigurationChanged) == 0 {
			g.eyes.saw(report.After)
		}
		if out.After, err = g.eyes.tree(report.After); err != nil {
			return out, err
		}
	}
	if len(report.ConfigurationChanged) > 0 {
		out.After.Contract = report.ConfigurationChanged
	}
	return out, nil
}

// runner is how the commands of this run are started.
func (g *gates) runner() (gate.Runner, error) {
	spec, err := g.machine.Checks(g.order.Ledger.ID(), g.order.Worktree)
	if err != nil {
		return gate.Runner{}, fmt.Errorf("prepare the gates: %w", err)
	}
	if spec != nil {
		spec.Mounts = append(spec.Mounts, g.shared()...)
	}
	return gate.Runner{Env: g.machine.Environ, Limit: g.order.Task.Timeout, Sandbox: spec, Bwrap: g.machine.Sandbox.Path}, nil
}

// shared are the caches that a setup before this one has filled. Only bubblewrap shows
// them where they belong and keeps children from writing.
func (g *gates) shared() []sandbox.Mount {
	if g.machine.Sandbox.Backend != sandbox.Bubblewrap {
		return nil
	}
	return g.cache.mounts()
}

// record is the gate report as the ledger keeps it.
func record(r gate.Report, file ledger.File) ledger.GateRun {
	out := ledger.GateRun{
		OK: r.OK, Code: r.Code, Message: r.Message, MergeBase: r.MergeBase, ChangedPaths: r.ChangedPaths,
		ConfigChanged: r.ConfigurationChanged, Candidate: r.CandidateFingerprint,
		Report: file.Path, ReportSHA256: file.SHA256, Confinement: r.ConfinedBy,
	}
	for _, v := range r.Violations {
		out.Violations = append(out.Violations, fmt.Sprintf("%s (%s)", v.Path, v.Why))
	}
	for _, c := range r.Commands {
		out.Commands = append(out.Commands, ledger.GateCommand{
			Index: c.Index, Command: c.Command, ExitCode: c.ExitCode, Signal: c.Signal, TimedOut: c.TimedOut,
			DurationMillis: c.DurationMillis, Stdout: tail(c.Stdout, c.StdoutTail), Stderr: tail(c.Stderr, c.StderrTail),
			StdoutTruncated: c.StdoutTruncated, StderrTruncated: c.StderrTruncated,
		})
	}
	return out
}

// tail is the end of a stream that still fits a line of the ledger.
func tail(head, end string) string {
	const most = 2000
	if end != "" {
		head = end
	}
	if len(head) > most {
		head = head[len(head)-most:]
	}
	return head
}
