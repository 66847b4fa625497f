package report_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/report"
)

// red is a run that a gate ended, with a goal of several lines and times as a
// clock gives them.
func red(t *testing.T) ledger.History {
	t.Helper()
	h := history(t, event{ledger.TypeRunReserved, ledger.RunReserved{Project: "shop", Goal: "Fix the button\n\n1. press it\n", Risk: "low"}},
		event{ledger.TypeMachineGate, ledger.GateRun{Stage: "gates", Label: "gates", Code: outcome.CommandFailed, Report: "r1--gates-0/machine-gate.json",
			Commands: []ledger.GateCommand{{Index: 1, Command: "make lint"}, {Index: 2, Command: "make test", ExitCode: 2,
				Stdout: strings.Repeat("early\n", 40) + "::error::of 3 \x1b[31mfailed\r\nlast", Stderr: "make: Error 1"}}}},
		event{ledger.TypeRoleRun, ledger.RoleRun{Stage: "review", Label: "reviewer", Role: "reviewer", Code: outcome.RoleCommandFailed, Report: "r1--reviewer-0/role-reviewer.json"}},
		stopped(outcome.GatesNotSatisfied),
		event{ledger.TypeDecisionPending, ledger.DecisionPending{Kind: "failure", Options: []string{"retry", "abort"}}})
	h.Run.ReservedAt = noon.Add(123456789 * time.Nanosecond)
	return h
}

func TestFailuresAreShown(t *testing.T) {
	t.Parallel()
	text := report.Text(report.Build(red(t)), "/p/.warden/runs", nil)
	for _, want := range []string{
		"stopped: gates not satisfied  (gates_not_satisfied)", "not answered yet: retry or abort",
		"failed   gates, round 1: command_failed", "exit 2  make test", "  | last", "  | make: Error 1", "  | […]",
		"/p/.warden/runs/r1--gates-0/machine-gate.json", "/p/.warden/runs/r1--reviewer-0/role-reviewer.json", "nothing charged",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "\x1b") || strings.Count(text, "early") > 15 || strings.Contains(text, "make lint") {
		t.Errorf("too much of it:\n%s", text)
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "gates ") && (strings.Contains(line, "?") || !strings.Contains(line, "–")) {
			t.Errorf("what a gate does not have is called unknown: %q", line)
		}
	}
}

func TestNothingRan(t *testing.T) {
	t.Parallel()
	text := report.Text(report.Build(history(t, reserved(), stopped(outcome.Unconfined))), "", nil)
	if strings.Contains(text, "vendor/model") || !strings.Contains(text, "nothing charged") {
		t.Errorf("a table without rows, or a cost:\n%s", text)
	}
	damaged := history(t, reserved())
	damaged.Damaged = "line 2: is not an event"
	if text := report.Text(report.Build(damaged), "", nil); strings.Contains(text, "nothing charged") {
		t.Errorf("says of a damaged ledger what nobody knows:\n%s", text)
	}
}

func TestPage(t *testing.T) {
	t.Parallel()
	data, err := report.HTML(report.Build(red(t)), "/p/runs", nil)
	if err != nil {
		t.Fatal(err)
	}
	page := string(data)
	for _, want := range []string{"<h1>Fix the button</h1>", "<pre>1. press it</pre>", "2026-11-30T12:00:00Z", "/p/runs/r1--gates-0/machine-gate.json", "<details open>"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if strings.Contains(page, "12:00:00.123") || strings.Contains(page, "?/?</td>") && strings.Contains(page, "next=") {
		t.Error("the page is written for a machine")
	}
	tables := len(regexp.MustCompile(`<table>`).FindAllString(page, -1))
	if scrolls := strings.Count(page, `<div class="scroll"`); tables == 0 || scrolls != tables {
		t.Errorf("%d of %d tables scroll by themselves", scrolls, tables)
	}
	good, err := report.HTML(report.Build(whole(t)), "/p/runs", nil)
	if err != nil || strings.Contains(string(good), "<details open>") {
		t.Errorf("what was mended stands open, %v", err)
	}
}

// A reader of a report sees what confined the run where that was less than there is.
func TestLessThanBubblewrapIsShown(t *testing.T) {
	t.Parallel()
	for confinement, shown := range map[string]bool{"bubblewrap": false, "landlock, version 7 (no bwrap)": true, "none (no bwrap)": true} {
		h := red(t)
		h.Run.Confinement = confinement
		r := report.Build(h)
		page, err := report.HTML(r, "/p/.warden/runs", nil)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(page), "<h2>Sandbox</h2><p>"+confinement) != shown {
			t.Errorf("%s: the page shows it %t, want %t", confinement, !shown, shown)
		}
		if strings.Contains(report.Text(r, "", nil), "sandbox  "+confinement) != shown {
			t.Errorf("%s: the text shows it %t, want %t", confinement, !shown, shown)
		}
	}
}
