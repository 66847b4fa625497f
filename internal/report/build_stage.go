package report

import (
	"time"

	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/usage"
)

func (b *builder) roleRun(e *ledger.RoleRun) {
	begun := b.since()
	attempts := vendorCalls(e)
	var sum usage.Total
	for _, c := range attempts {
		b.settled[c.CallID] = true
		b.count(c.Vendor, model(c), c)
		sum = sum.Add(c.Usage)
	}
	duration := e.DurationMillis
	if _, known := duration.Get(); !known && len(attempts) == 1 {
		duration = attempts[0].DurationMillis
	}
	name := e.Model
	if e.ModelReported != "" {
		name = e.ModelReported
	}
	var taken []string
	if e.Vision != nil {
		taken = e.Vision.Taken
	}
	b.report.Stages = append(b.report.Stages, Stage{
		Taken: taken,
		Stage: e.Stage, Step: e.Label, Kind: "role", Role: e.Role, Attempt: e.Attempt, Fix: e.Fix,
		OK: &e.OK, Code: e.Code, Detail: e.Detail, Profile: e.Profile, Vendor: e.Vendor, Model: name,
		ModelMismatch: e.Model != "" && e.ModelReported != "" && e.Model != e.ModelReported,
		Independence:  e.Independence, Verdict: e.Verdict, Summary: e.Summary, Findings: e.Findings, Blocking: e.Blocking,
		Calls: len(attempts), CostUSD: sum.CostUSD, CostUnknown: sum.Unpriced, Input: sum.Input, Output: sum.Output,
		DurationMillis: duration, Attempts: attempts, FailedOverFrom: e.FailedOverFrom, Report: e.Report,
		Fingerprint: e.Candidate, ReusedFrom: e.ReusedFrom, DryRun: e.DryRun, Begun: begun, Ended: b.now,
	})
}

// vendorCalls returns every call of a dispatch. A record that lists fewer than
// it tells of still counts the missing ones, and gives its totals to one only.
func vendorCalls(e *ledger.RoleRun) []ledger.VendorCall {
	calls := e.Calls
	if e.DryRun || e.ReusedFrom != "" {
		return nil
	}
	if len(calls) == 0 && e.Profile != "" && e.Usage.Calls > 0 {
		calls = []ledger.VendorCall{{
			VendorAttempt: 1, Profile: e.Profile, Vendor: e.Vendor, Runner: e.Runner, Model: e.Model, ModelReported: e.ModelReported,
			OK: e.OK, Code: e.Code, DurationMillis: e.DurationMillis,
			Usage: usage.Call{CostUSD: e.Usage.CostUSD, Input: e.Usage.Input, Output: e.Usage.Output},
		}}
	}
	if len(calls) == 1 && e.FailedOverFrom != "" && calls[0].Profile != e.FailedOverFrom {
		first := ledger.VendorCall{VendorAttempt: 1, Profile: e.FailedOverFrom, Code: outcome.RoleQuotaExhausted}
		last := calls[0]
		last.VendorAttempt = 2
		calls = []ledger.VendorCall{first, last}
	}
	return calls
}

// since is when the stage began that has its result now; zero where no event says.
func (b *builder) since() time.Time {
	if b.open == nil {
		return time.Time{}
	}
	b.open = nil
	return b.begun
}

func (b *builder) gateRun(typ string, e *ledger.GateRun) {
	begun := b.since()
	r := &b.report
	if typ == ledger.TypeBaselineGate {
		r.Baseline.Passed, r.Baseline.Code = &e.OK, e.Code
		r.Baseline.Report, r.Baseline.ReportSHA256 = e.Report, e.ReportSHA256
		r.Baseline.ReusedFrom, r.Baseline.ReuseDeclined = e.ReusedFrom, e.ReuseDeclined
	}
	if e.ReusedFrom == "" {
		r.Totals.MachineStageRuns++
		if !e.OK {
			r.Totals.FailedMachineRuns++
		}
	}
	r.Stages = append(r.Stages, Stage{
		Stage: e.Stage, Step: e.Label, Kind: "machine_gates", Attempt: e.Attempt, OK: &e.OK, Code: e.Code, Detail: e.Message,
		Commands: e.Commands, Violations: e.Violations, ConfigChanged: e.ConfigChanged, Report: e.Report,
		Fingerprint: e.Candidate, DurationMillis: usage.Known(float64(e.DurationMillis)), ReusedFrom: e.ReusedFrom, Begun: begun, Ended: b.now,
	})
}

// visualRun counts a browser among the machine stages: nobody is paid for it.
func (b *builder) visualRun(e *ledger.VisualRun) {
	begun := b.since()
	r := &b.report
	r.Totals.MachineStageRuns++
	if !e.OK {
		r.Totals.FailedMachineRuns++
	}
	r.Stages = append(r.Stages, Stage{
		Stage: e.Stage, Step: e.Label, Kind: "visual_harness", Attempt: e.Attempt, OK: &e.OK, Code: e.Code, Detail: e.Message,
		Scenarios: e.Scenarios, Report: e.Report, Fingerprint: e.Candidate,
		DurationMillis: usage.Known(float64(e.DurationMillis)), Begun: begun, Ended: b.now,
	})
}

func (b *builder) interrupted(e *ledger.Interrupted) {
	if b.settled[e.CallID] && e.CallID != "" {
		return
	}
	b.settled[e.CallID] = true
	b.count(e.Vendor, e.Model, ledger.VendorCall{Code: outcome.Interrupted})
	b.report.Totals.UnfinishedCalls++
}

func model(c ledger.VendorCall) string {
	if c.ModelReported != "" {
		return c.ModelReported
	}
	return c.Model
}
