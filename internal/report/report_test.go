package report_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/report"
	"github.com/tolboy/warden/internal/usage"
)

var update = flag.Bool("update", false, "write the golden files again")

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// event is one event of a made history.
type event struct {
	typ  string
	data any
}

// history makes a history as the ledger would give it back.
func history(t *testing.T, events ...event) ledger.History {
	t.Helper()
	h := ledger.History{Run: ledger.RunHead{
		SchemaVersion: 1, RunID: "do-fix-the-create-button-mc9k1", TaskID: "fix-the-create-button", ReservedAt: noon,
		BaseCommit: strings.Repeat("1", 40), ContractSHA256: "cc", Confinement: "bubblewrap",
	}}
	for i, e := range events {
		raw, err := json.Marshal(e.data)
		if err != nil {
			t.Fatal(err)
		}
		h.Lines = append(h.Lines, ledger.Line{Seq: i + 1, At: noon.Add(time.Duration(i) * time.Second), Type: e.typ, Data: raw, SHA256: fmt.Sprint("sha", i+1)})
	}
	return h
}

func reserved() event {
	return event{ledger.TypeRunReserved, ledger.RunReserved{
		Project: "shop", Goal: "Fix the create button", Risk: "medium", Scope: []string{"src"}, Acceptance: []string{"make test"},
		Stages: []ledger.Stage{{Name: "implement", Run: "role", Role: "implementer", OnFail: "stop"}}, Limits: ledger.Limits{MaxRoleRuns: 6, MaxCostUSD: 40, MaxFixAttempts: 2},
	}}
}

func call(vendor, model string, cost usage.Amount, in, out, ms float64) ledger.VendorCall {
	return ledger.VendorCall{CallID: vendor + model, VendorAttempt: 1, Profile: vendor + "-implement", Vendor: vendor, Model: model, OK: true, Code: outcome.OK,
		DurationMillis: usage.Known(ms), Usage: usage.Call{CostUSD: cost, Input: usage.Known(in), Output: usage.Known(out)}}
}

func role(name, vendor, model string, c ledger.VendorCall) event {
	return event{ledger.TypeRoleRun, ledger.RoleRun{Stage: name, Label: name, Role: name, OK: true, Code: outcome.OK, Profile: c.Profile,
		Vendor: vendor, Model: model, Calls: []ledger.VendorCall{c}}}
}

// whole is the run that the readme of the original shows, with a red gate and a
// fix before it.
func whole(t *testing.T) ledger.History {
	t.Helper()
	commit := strings.Repeat("2", 40)
	return history(t, reserved(),
		role("implementer", "codex", "gpt-5.6-terra", call("codex", "gpt-5.6-terra", usage.Known(0.412), 18400, 2100, 96140)),
		event{ledger.TypeMachineGate, ledger.GateRun{Stage: "gates", Label: "gates", Code: outcome.CommandFailed, DurationMillis: 1500,
			Commands: []ledger.GateCommand{{Index: 1, Command: "make test", ExitCode: 2, Stdout: "1 of 3 <failed>", Stderr: "make: *** [test] Error 1"}}}},
		event{ledger.TypeFixRound, ledger.FixRound{Attempt: 1, Of: 2, Stage: "gates", Code: outcome.CommandFailed}},
		event{ledger.TypeRoleRun, ledger.RoleRun{Label: "implementer", Role: "implementer", Attempt: 1, Fix: true, OK: true, Code: outcome.OK, Vendor: "codex", Model: "gpt-5.6-terra",
			Calls: []ledger.VendorCall{{CallID: "fix", Vendor: "codex", Model: "gpt-5.6-terra", OK: true, Code: outcome.OK, DurationMillis: usage.Known(30000)}}}},
		event{ledger.TypeMachineGate, ledger.GateRun{Stage: "gates", Label: "gates", Attempt: 1, OK: true, Code: outcome.Passed, DurationMillis: 61500}},
		role("reviewer", "grok", "grok-4.6", call("grok", "grok-4.6", usage.Known(0.188), 31200, 900, 41020)),
		event{ledger.TypeReadyForHuman, ledger.Ending{OK: true, Code: outcome.ReadyForHuman, NextAction: "human_gate", RoleRuns: 3,
			Candidate: &ledger.Candidate{Commit: commit, Fingerprint: "f00d"}, ChangedFiles: []string{"src/button.ts"},
			OpenFindings: []outcome.Finding{{Severity: outcome.P3, Path: "src/button.ts", Line: 3, Message: "a | b\nsecond line <i>"}}}},
		event{ledger.TypeDecisionPending, ledger.DecisionPending{Kind: "success", Reason: "all passed", Options: []string{"accept", "reject"}, Fingerprint: "f00d", Commit: commit}},
	)
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s:\n%s", name, diff)
	}
}

func TestGolden(t *testing.T) {
	t.Parallel()
	r := report.Build(whole(t))
	golden(t, "whole.txt", report.Text(r, "runs", nil))
	golden(t, "whole.md", report.VerdictTable(r, nil)+"\n"+report.VendorTable(r, nil)+"\n"+report.CostLine(r)+"\n")
	page, err := report.HTML(r, "runs", nil)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "whole.html", string(page))
	for name, project := range report.Projections() {
		raw, err := project(whole(t))
		if err != nil {
			t.Fatal(err)
		}
		golden(t, name, string(raw))
	}
}

func TestUnknown(t *testing.T) {
	t.Parallel()
	silent := func(name string) event {
		return role(name, "codex", "", ledger.VendorCall{CallID: name, Vendor: "codex", OK: true, Code: outcome.OK})
	}
	h := history(t, reserved(), silent("a"), silent("b"), silent("c"), silent("d"),
		event{ledger.TypeReadyForHuman, ledger.Ending{OK: true, Code: outcome.ReadyForHuman, NextAction: "human_gate", RoleRuns: 4}})
	r := report.Build(h)
	t.Run("LR-03 unknown is not printed as zero", func(t *testing.T) {
		t.Parallel()
		text := report.Text(r, "runs", nil)
		if strings.Contains(text, "0.0000") || !strings.Contains(text, "4     0  ?") {
			t.Errorf("text:\n%s", text)
		}
		raw, err := report.Projection(h)
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			Vendors []map[string]any `json:"vendors"`
			Totals  map[string]any   `json:"totals"`
		}
		if err := json.Unmarshal(raw, &got); err != nil {
			t.Fatal(err)
		}
		v := got.Vendors[0]
		for _, key := range []string{"cost_usd", "input_tokens", "output_tokens", "total_tokens", "duration_millis"} {
			if value, there := v[key]; !there || value != nil {
				t.Errorf("%s is %v, want null", key, value)
			}
		}
		for _, key := range []string{"cost_unknown_calls", "tokens_unknown_calls", "duration_unknown_calls", "calls"} {
			if v[key] != 4.0 {
				t.Errorf("%s is %v, want 4", key, v[key])
			}
		}
		if got.Totals["cost_usd"] != nil {
			t.Errorf("total is %v, want null", got.Totals["cost_usd"])
		}
	})
	t.Run("BU-05 money cap with a vendor that names no price", func(t *testing.T) {
		t.Parallel()
		if r.Totals.UnpricedCalls != 4 || r.Totals.CostCeilingBinding || r.Totals.RoleRuns != 4 {
			t.Errorf("%+v", r.Totals)
		}
		if text := report.Text(r, "runs", nil); !strings.Contains(text, "the $ ceiling did not measure them") {
			t.Errorf("text:\n%s", text)
		}
		s := report.BuildTaskRun(h)
		if s.UnpricedCalls != 4 || s.CostCeilingBinding || s.RoleRuns != 4 {
			t.Errorf("%+v", s)
		}
	})
}

func TestFailover(t *testing.T) {
	t.Parallel()
	spent := ledger.VendorCall{CallID: "1", Profile: "codex-implement", Vendor: "codex", Model: "gpt", Code: outcome.RoleQuotaExhausted,
		DurationMillis: usage.Known(1000), Usage: usage.Call{CostUSD: usage.Known(0.1), Input: usage.Known(10), Output: usage.Known(1)}}
	second := call("claude", "opus", usage.Known(0.3), 20, 2, 3000)
	moved := ledger.RoleRun{Stage: "implement", Label: "implementer", Role: "implementer", OK: true, Code: outcome.OK,
		Profile: "claude-implement", Vendor: "claude", Model: "opus", FailedOverFrom: "codex-implement",
		Usage: usage.Total{Calls: 2, CostUSD: usage.Known(0.4)}, DurationMillis: usage.Known(4000)}
	over := event{ledger.TypeRoleFailover, ledger.RoleFailover{AuthorizedBy: "policy_auto", Failover: ledger.Failover{Role: "implementer", FromProfile: "codex-implement", ToProfile: "claude-implement"}}}
	t.Run("LR-04 failover counts as two attempts", func(t *testing.T) {
		t.Parallel()
		full := moved
		full.Calls = []ledger.VendorCall{spent, second}
		r := report.Build(history(t, reserved(), over, event{ledger.TypeRoleRun, full}))
		if len(r.Vendors) != 2 || len(r.Failovers) != 1 || r.Totals.RoleRuns != 2 || r.Totals.FailedRoleRuns != 1 {
			t.Fatalf("%+v", r)
		}
		claude, codex := r.Vendors[0], r.Vendors[1]
		if codex.Calls != 1 || codex.Failed != 1 || amount(codex.CostUSD) != 0.1 || amount(codex.DurationMillis) != 1000 {
			t.Errorf("codex %+v", codex)
		}
		if claude.Calls != 1 || claude.Failed != 0 || amount(claude.CostUSD) != 0.3 || amount(claude.Total) != 22 {
			t.Errorf("claude %+v", claude)
		}
		if got := r.Stages[0].Attempts; got[0].Code != outcome.RoleQuotaExhausted || got[1].Code != outcome.OK {
			t.Errorf("attempts %+v", got)
		}
	})
	t.Run("LR-04 an older record with one attempt, or none, counts two and gives its totals once", func(t *testing.T) {
		t.Parallel()
		for _, calls := range [][]ledger.VendorCall{nil, {second}} {
			sparse := moved
			sparse.Calls = calls
			r := report.Build(history(t, reserved(), over, event{ledger.TypeRoleRun, sparse}))
			want := 0.4
			if calls != nil {
				want = 0.3
			}
			if r.Totals.RoleRuns != 2 || r.Totals.FailedRoleRuns != 1 || amount(r.Totals.CostUSD) != want || r.Totals.UnpricedCalls != 1 {
				t.Errorf("%d listed: %+v", len(calls), r.Totals)
			}
		}
	})
}

func amount(a usage.Amount) float64 {
	v, known := a.Get()
	if !known {
		return -1
	}
	return v
}
