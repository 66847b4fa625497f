package report_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/report"
	"github.com/tolboy/warden/internal/usage"
)

func stopped(code outcome.Code) event {
	return event{ledger.TypeStopped, ledger.Ending{Code: code, NextAction: "human_escalation", SafeNextStep: "look at it"}}
}

func TestReportOfEveryEnding(t *testing.T) {
	t.Parallel()
	gate := event{ledger.TypeMachineGate, ledger.GateRun{Stage: "gates", Label: "gates", Code: outcome.CommandFailed,
		Commands: []ledger.GateCommand{{Command: "make test", ExitCode: 2, Stdout: "the out", Stderr: "the err"}}}}
	started := event{ledger.TypeStageStarted, ledger.StageStarted{Stage: "implement", Label: "implementer", Run: "role", Role: "implementer"}}
	flying := event{ledger.TypeVendorCallStarted, ledger.VendorCallStarted{CallID: "c1", Vendor: "codex", Model: "gpt", RoleRuns: 1}}
	for name, h := range map[string]ledger.History{
		"preflight refusal": history(t, reserved(), stopped(outcome.PreflightOutsideScope)),
		"red baseline":      history(t, reserved(), event{ledger.TypeBaselineGate, ledger.GateRun{Label: "baseline", Code: outcome.CommandFailed}}, stopped(outcome.BaselineFailed)),
		"gates":             history(t, reserved(), gate, stopped(outcome.GatesNotSatisfied)),
		"budget":            history(t, reserved(), started, stopped(outcome.BudgetExhausted)),
		"bug":               history(t, reserved(), started, flying, stopped(outcome.UnexpectedError)),
		"killed":            history(t, reserved(), started, flying),
		"killed at once":    history(t),
	} {
		t.Run("LR-05 "+name, func(t *testing.T) {
			t.Parallel()
			r := report.Build(h)
			text := report.Text(r, "runs", nil)
			page, err := report.HTML(r, "runs", nil)
			if err != nil || !strings.Contains(text, "outcome") || len(page) == 0 {
				t.Fatalf("%v\n%s", err, text)
			}
			killed := strings.HasPrefix(name, "killed")
			if (r.OK == nil) != killed || killed != strings.Contains(text, "it has not ended") || r.OK != nil && *r.OK {
				t.Errorf("ok %v\n%s", r.OK, text)
			}
			if name == "gates" {
				raw, err := json.Marshal(r)
				if err != nil {
					t.Fatal(err)
				}
				for _, part := range []string{`"exit_code":2`, `"stdout":"the out"`, `"stderr":"the err"`} {
					if !strings.Contains(string(raw), part) {
						t.Errorf("the report lacks %s", part)
					}
				}
				if !strings.Contains(text, "exit 2  make test") || !strings.Contains(string(page), "the err") {
					t.Errorf("text:\n%s", text)
				}
			}
		})
	}
}

func TestCallsInFlight(t *testing.T) {
	t.Parallel()
	started := event{ledger.TypeVendorCallStarted, ledger.VendorCallStarted{CallID: "c1", Vendor: "codex", Model: "gpt"}}
	lost := event{ledger.TypeInterrupted, ledger.Interrupted{CallID: "c1", Vendor: "codex", Model: "gpt"}}
	for name, tc := range map[string]struct {
		h      ledger.History
		failed int
	}{
		"still in flight":         {history(t, started), 0},
		"marked":                  {history(t, started, lost), 1},
		"marked twice":            {history(t, started, lost, lost), 1},
		"the run ended around it": {history(t, started, stopped(outcome.UnexpectedError)), 1},
	} {
		r := report.Build(tc.h)
		if r.Totals.RoleRuns != 1 || r.Totals.UnfinishedCalls != 1 || r.Totals.UnpricedCalls != 1 || r.Totals.FailedRoleRuns != tc.failed {
			t.Errorf("%s: %+v", name, r.Totals)
		}
		if amount(r.Totals.CostUSD) != -1 {
			t.Errorf("%s: a cost was invented", name)
		}
	}
	done := role("implementer", "codex", "gpt", ledger.VendorCall{CallID: "c1", Vendor: "codex", Model: "gpt", OK: true, Usage: usage.Call{CostUSD: usage.Known(1)}})
	if r := report.Build(history(t, started, done)); r.Totals.RoleRuns != 1 || r.Totals.UnfinishedCalls != 0 || amount(r.Totals.CostUSD) != 1 {
		t.Errorf("a finished call: %+v", r.Totals)
	}
}

func TestStages(t *testing.T) {
	t.Parallel()
	t.Run("LR-01 rows carry their own evidence", func(t *testing.T) {
		t.Parallel()
		first := role("review", "grok", "grok-4.6", call("grok", "grok-4.6", usage.Known(0.1), 1, 2, 3))
		second := role("review-second", "claude", "opus", call("claude", "opus", usage.Known(0.2), 4, 5, 6))
		r := report.Build(history(t, reserved(), first, second))
		a, b := r.Stages[0], r.Stages[1]
		if a.Vendor != "grok" || a.Model != "grok-4.6" || amount(a.CostUSD) != 0.1 || amount(a.Input) != 1 || amount(a.DurationMillis) != 3 {
			t.Errorf("first %+v", a)
		}
		if b.Vendor != "claude" || b.Model != "opus" || amount(b.CostUSD) != 0.2 || amount(b.Input) != 4 || amount(b.DurationMillis) != 6 {
			t.Errorf("second %+v", b)
		}
	})
	t.Run("a stage begun again after a crash", func(t *testing.T) {
		t.Parallel()
		begun := event{ledger.TypeStageStarted, ledger.StageStarted{Stage: "gates", Label: "gates", Run: "machine_gates"}}
		green := event{ledger.TypeMachineGate, ledger.GateRun{Stage: "gates", Label: "gates", OK: true, Code: outcome.Passed}}
		r := report.Build(history(t, reserved(), begun, begun, green))
		if len(r.Stages) != 2 || r.Stages[0].OK != nil || r.Stages[0].Code != outcome.Interrupted || !*r.Stages[1].OK {
			t.Errorf("%+v", r.Stages)
		}
	})
}

func TestDamage(t *testing.T) {
	t.Parallel()
	paid := role("implementer", "codex", "gpt", call("codex", "gpt", usage.Known(0.5), 1, 1, 1))
	damaged := history(t, reserved(), paid)
	damaged.Damaged = "line 3: is not an event"
	newer := history(t, reserved(), paid)
	newer.Newer = 1
	for name, h := range map[string]ledger.History{"one corrupt line": damaged, "one row of a newer schema": newer} {
		t.Run("LR-08 "+name, func(t *testing.T) {
			t.Parallel()
			r := report.Build(h)
			text := report.Text(r, "runs", nil)
			if r.Incomplete == "" || amount(r.Totals.CostUSD) != -1 || amount(r.Vendors[0].CostUSD) != -1 || r.Totals.CostCeilingBinding {
				t.Errorf("%+v", r)
			}
			if !strings.Contains(text, "no sum is exact") {
				t.Errorf("text:\n%s", text)
			}
		})
	}
	if r := report.Build(history(t, reserved(), paid)); r.Incomplete != "" || amount(r.Totals.CostUSD) != 0.5 {
		t.Errorf("a whole history: %+v", r.Totals)
	}
}

// TestHostileText puts text of vendors where it could break out.
func TestHostileText(t *testing.T) {
	t.Parallel()
	evil := "x | y \\| z \\\\| `code` <script>alert(1)</script>\n# head @team \x1b[31m \u202e end\\"
	h := history(t, event{ledger.TypeRunReserved, ledger.RunReserved{Goal: evil}},
		event{ledger.TypeRoleRun, ledger.RoleRun{Label: evil, Vendor: evil, Model: evil, Verdict: evil, Summary: evil, OK: true}},
		event{ledger.TypeStopped, ledger.Ending{Code: outcome.ReviewerFailed, Detail: evil, OpenFindings: []outcome.Finding{{Path: evil, Message: evil}}}})
	r := report.Build(h)
	for name, escape := range map[string]func(string) string{"own": nil, "none": func(s string) string { return s }, "slashes": func(s string) string { return strings.ReplaceAll(s, "|", `\|`) }} {
		for _, line := range strings.Split(strings.TrimSpace(report.VerdictTable(r, escape)), "\n") {
			if got := bars(line); got != 8 {
				t.Errorf("%s: %d cell borders in %q", name, got, line)
			}
		}
	}
	text := report.Text(r, "runs", nil)
	for _, bad := range []string{"\x1b", "\u202e", "\n#"} {
		if strings.Contains(text, bad) {
			t.Errorf("text holds %q:\n%s", bad, text)
		}
	}
	page, err := report.HTML(r, "runs", nil)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(page), "<script") || !strings.Contains(string(page), "&lt;script&gt;") {
		t.Error("the page holds markup of the run")
	}
	for _, bad := range []string{"\x1b", "\u202e"} {
		if strings.Contains(string(page), bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
	if !strings.Contains(string(page), "␛[31m") {
		t.Error("the page does not show what was there")
	}
}

// bars counts the borders of cells as a reader of Markdown does.
func bars(line string) int {
	n := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '|':
			n++
		}
	}
	return n
}

// FuzzReport builds reports of arbitrary payloads: every history has one, and
// its tables keep their shape.
func FuzzReport(f *testing.F) {
	f.Add(ledger.TypeRoleRun, `{"step":"a|b","vendor_attempts":[{"usage":{"cost_usd":1}}]}`, "x\\")
	f.Add(ledger.TypeStopped, `{"reason":"x","open_findings":[{"path":"p"}]}`, "|")
	f.Add(ledger.TypeHumanDecision, `{"decision":"accept"}`, "")
	f.Add(ledger.TypeDecisionPending, `{"kind":"success","options":["accept","reject"],"candidate_commit":"x"}`, "")
	f.Fuzz(func(t *testing.T, typ, data, label string) {
		gate, err := json.Marshal(ledger.GateRun{Label: label})
		if err != nil {
			t.Fatal(err)
		}
		h := ledger.History{Lines: []ledger.Line{{Seq: 1, Type: typ, Data: json.RawMessage(data)}, {Seq: 2, Type: ledger.TypeMachineGate, Data: gate}}}
		r := report.Build(h)
		for _, line := range strings.Split(strings.TrimSpace(report.VerdictTable(r, func(s string) string { return s })), "\n") {
			if bars(line) != 8 {
				t.Fatalf("broken row %q", line)
			}
		}
		first, err := report.Projection(h)
		if err != nil {
			t.Fatal(err)
		}
		var back report.Report
		if err := json.Unmarshal(first, &back); err != nil {
			t.Fatal(err)
		}
		if again, err := json.Marshal(back); err != nil || fmt.Sprint(len(back.Stages)) != fmt.Sprint(len(r.Stages)) || len(again) == 0 {
			t.Fatalf("report.json does not read back: %v", err)
		}
		if text := report.Text(r, "runs", nil); strings.ContainsAny(text, "\x1b\x00\r") {
			t.Fatalf("control characters in %q", text)
		}
	})
}
