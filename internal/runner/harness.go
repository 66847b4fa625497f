package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/tolboy/warden/internal/engine"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/visual"
)

// harness looks at the candidate's page for the engine and keeps the evidence.
type harness struct {
	machine *Machine
	order   Order
	eyes    *eyes
}

// Run implements engine.Harness.
func (h *harness) Run(ctx context.Context, evidence string, limit time.Duration) (engine.VisualOutcome, error) {
	began := time.Now()
	if h.machine.refuses() {
		return engine.VisualOutcome{VisualRun: ledger.VisualRun{Code: outcome.Unconfined, Message: "this run requires a sandbox and there is none: " + h.machine.Sandbox.Reason}}, nil
	}
	var files []ledger.File
	report, err := h.machine.See(ctx, Look{
		RunID: h.order.Ledger.ID(), Task: h.order.Task, Worktree: h.order.Worktree, Source: h.order.Source, Base: h.order.Base, Limit: limit,
	}, func(name string, data []byte) (visual.Picture, error) {
		f, err := h.order.Ledger.WriteFile(evidence+"/"+name, data)
		if err != nil {
			return visual.Picture{}, fmt.Errorf("keep a picture: %w", err)
		}
		files = append(files, f)
		return visual.Picture{Path: f.Path, SHA256: f.SHA256, Bytes: f.Bytes}, nil
	})
	if err != nil {
		return engine.VisualOutcome{}, err
	}
	out, err := h.keep(evidence, report, files)
	if err != nil {
		return engine.VisualOutcome{}, err
	}
	out.After, err = h.eyes.Look(ctx)
	out.Duration = time.Since(began)
	return out, err
}

// Ready implements engine.Harness. It starts nothing of the candidate.
func (h *harness) Ready(ctx context.Context, evidence string) (engine.VisualOutcome, error) {
	m, began := h.machine, time.Now()
	report := visual.Report{SchemaVersion: 1, TaskID: h.order.Task.ID, RunID: h.order.Ledger.ID()}
	fault := m.unseen(ctx, Look{RunID: report.RunID, Task: h.order.Task, Worktree: h.order.Worktree}, &report)
	if fault == nil {
		return engine.VisualOutcome{VisualRun: ledger.VisualRun{OK: true, Code: outcome.Passed}}, nil
	}
	report, err := visual.Settle(report, visual.Seen{Fault: fault}, "", nil, nil)
	if err != nil {
		return engine.VisualOutcome{}, err
	}
	report.FinishedAt = m.Now().UTC()
	out, err := h.keep(evidence, report, nil)
	out.Duration = time.Since(began)
	return out, err
}

// keep writes the report beside its pictures.
func (h *harness) keep(evidence string, report visual.Report, pictures []ledger.File) (engine.VisualOutcome, error) {
	data, err := json.MarshalIndent(report, "", "  ")
	if err != nil {
		return engine.VisualOutcome{}, fmt.Errorf("encode the report of the browser: %w", err)
	}
	file, err := h.order.Ledger.WriteFile(evidence+"/"+visual.FileName, append(data, '\n'))
	if err != nil {
		return engine.VisualOutcome{}, fmt.Errorf("keep the report of the browser: %w", err)
	}
	out := engine.VisualOutcome{VisualRun: visualRecord(report, file), Failure: visual.FailureText(report, file.Path), Files: append([]ledger.File{file}, pictures...)}
	out.Confinement = h.machine.Confinement()
	return out, nil
}

// visualRecord is the report as the ledger keeps it.
func visualRecord(r visual.Report, file ledger.File) ledger.VisualRun {
	out := ledger.VisualRun{OK: r.OK, Code: r.Code, Message: cutLine(r.Message), URL: r.URL, Network: r.Network, Report: file.Path, ReportSHA: file.SHA256}
	for i, s := range r.Scenarios {
		row := ledger.VisualScenario{Scenario: s.Raw, Viewport: s.Viewport.Name(), OK: s.OK, Why: cutLine(s.Why)}
		for _, p := range r.Pictures {
			switch {
			case p.Scenario != i+1:
			case p.Difference:
				row.Differences = append(row.Differences, p.Path)
			case p.Baseline:
				row.Baselines = append(row.Baselines, p.Path)
			default:
				row.Pictures = append(row.Pictures, p.Path)
			}
		}
		out.Scenarios = append(out.Scenarios, row)
	}
	return out
}

// cutLine keeps what a page says from filling a line of the ledger.
func cutLine(s string) string {
	const most = 2000
	if len(s) > most {
		return s[:most] + "..."
	}
	return s
}
