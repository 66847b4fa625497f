package reuse_test

import (
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/reuse"
	"github.com/tolboy/warden/internal/workflow"
)

func history(t *testing.T, head ledger.RunHead, events ...any) ledger.History {
	t.Helper()
	head.RunID = "r1"
	h := ledger.History{Run: head}
	for _, e := range events {
		data, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		kind := ledger.TypeRoleRun
		switch v := e.(type) {
		case ledger.GateRun:
			kind = ledger.TypeMachineGate
		case ledger.Ending:
			kind = ledger.TypeStopped
			if v.OK {
				kind = ledger.TypeReadyForHuman
			}
		}
		h.Lines = append(h.Lines, ledger.Line{Seq: len(h.Lines) + 1, At: time.Unix(int64(len(h.Lines)), 0), Type: kind, Data: data})
	}
	return h
}

// said is a stage's word on a tree, given under its terms.
func said(stage, role, tree string) ledger.RoleRun {
	return ledger.RoleRun{Stage: stage, Role: role, OK: true, Code: outcome.OK, Profile: role + "-1", Candidate: tree, RoleContract: "terms of " + role}
}

func ended(code outcome.Code) ledger.Ending { return ledger.Ending{Code: code} }

var (
	head  = ledger.RunHead{BaseCommit: "b", ContractSHA256: "c", AcceptanceSHA256: "a", WardenVersion: "1"}
	terms = reuse.Terms{Base: "b", Contract: "c", Acceptance: "a", Program: "1", Role: func(s workflow.Step, _ string) string { return "terms of " + s.Role }}
)

func chain() []workflow.Step {
	return workflow.Resolve(workflow.BuiltIn(), workflow.Facts{Risk: "medium", ReviewRequired: true, Configured: func(string) bool { return true }})
}

func carried(p reuse.Pool) string { return strings.Join(slices.Sorted(maps.Keys(p.Verdicts)), " ") }

// TestRun holds what declines everything. Each case differs from the first in one thing.
func TestRun(t *testing.T) {
	t.Parallel()
	events := func(code outcome.Code) []any {
		return []any{said("implement", "implementer", "t"), ledger.GateRun{OK: true, Candidate: "t"}, said("review", "reviewer", "t"), ended(code)}
	}
	tests := []struct {
		name   string
		head   func(*ledger.RunHead)
		terms  func(*reuse.Terms)
		reason outcome.Code
		tree   string
		want   string // stages that are carried
		why    string // a part of the reason why none is
	}{
		{"CO-01 the world stopped it", nil, nil, outcome.TurnCeilingReached, "t", "implement review", ""},
		{"CO-03 a byte of source changed", nil, nil, outcome.TurnCeilingReached, "u", "", "the tree is not the one that it left"},
		{"CO-10 only the budget changed", func(h *ledger.RunHead) { h.ContractSHA256 = "old" }, nil, outcome.BudgetExhausted, "t", "implement review", ""},
		{"CO-10 the acceptance changed", func(h *ledger.RunHead) { h.ContractSHA256, h.AcceptanceSHA256 = "old", "old" }, nil, outcome.BudgetExhausted, "t", "", "the contract changed"},
		{"CO-10 it is not recorded what judged it", func(h *ledger.RunHead) { h.ContractSHA256, h.AcceptanceSHA256 = "old", "" }, func(t *reuse.Terms) { t.Acceptance = "" }, outcome.BudgetExhausted, "t", "", "the contract changed"},
		{"the work stopped it", nil, nil, outcome.GatesNotSatisfied, "t", "", "about the work"},
		{"another base", nil, func(t *reuse.Terms) { t.Base = "x" }, outcome.RateLimited, "t", "", "the diff is taken from x"},
		{"another text of the task", func(h *ledger.RunHead) { h.TaskSHA256 = "old" }, func(t *reuse.Terms) { t.Task = "new" }, outcome.RateLimited, "t", "", "the task is another one"},
		{"the same text of the task", func(h *ledger.RunHead) { h.TaskSHA256 = "old" }, func(t *reuse.Terms) { t.Task = "old" }, outcome.RateLimited, "t", "implement review", ""},
		{"another program", nil, func(t *reuse.Terms) { t.Program = "2" }, outcome.RateLimited, "t", "", "this is Warden 2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h, now := head, terms
			if tt.head != nil {
				tt.head(&h)
			}
			if tt.terms != nil {
				tt.terms(&now)
			}
			p := reuse.Judge(history(t, h, events(tt.reason)...), chain(), now, tt.tree)
			if carried(p) != tt.want || (p.Declined == "") != (tt.why == "") || !strings.Contains(p.Declined, tt.why) {
				t.Errorf("carried %q, declined %q; want %q and %q", carried(p), p.Declined, tt.want, tt.why)
			}
			if p.BudgetOnly != (h.ContractSHA256 != now.Contract && tt.want != "") {
				t.Errorf("CO-10: budget only is %v", p.BudgetOnly)
			}
		})
	}
	if p := reuse.Judge(history(t, head, said("implement", "implementer", "t")), chain(), terms, "t"); p.Declined == "" {
		t.Error("a run that has not ended is carried from")
	}
}

// TestStage holds what declines one stage and leaves the others.
func TestStage(t *testing.T) {
	t.Parallel()
	write, read := said("implement", "implementer", "t"), said("review", "reviewer", "t")
	failed, blocking, changed, silent, elsewhere := read, read, read, read, read
	failed.OK, failed.Code = false, outcome.RoleTurnsExhausted
	blocking.Findings = []outcome.Finding{{ID: "A", Severity: outcome.P1}}
	changed.RoleContract, silent.RoleContract, elsewhere.Candidate = "other terms", "", "u"
	fix := said("", "implementer", "t")
	fix.Fix = true
	badFix := fix
	badFix.OK, badFix.Code = false, outcome.RoleTurnsExhausted
	first := said("implement", "implementer", "s")
	firstRead := said("review", "reviewer", "s")
	tests := []struct {
		name   string
		events []any
		want   string
		stage  string
		why    string
	}{
		{"QF-19 the reader stopped at its turn limit", []any{write, failed}, "implement", "review", "it ended with role_turns_exhausted"},
		{"CO-12 passed with a blocker", []any{write, blocking}, "implement", "review", "it left blocking findings"},
		{"CO-04 the terms changed", []any{write, changed}, "implement", "review", "the roster"},
		{"CO-04 the terms are not recorded", []any{write, silent}, "implement", "review", "the roster"},
		{"its verdict is about another tree", []any{elsewhere, write}, "implement", "review", "another tree"},
		{"it was not reached", []any{write}, "implement", "review", "it gave no verdict"},
		{"CO-14 the writer's last word is its last repair", []any{first, firstRead, fix}, "implement", "review", "a later repair retired it"},
		{"CO-14 a reading after the repair holds", []any{first, firstRead, fix, read}, "implement review", "", ""},
		{"the last repair did not end well", []any{first, firstRead, badFix}, "", "implement", "it ended with role_turns_exhausted"},
		{"a writer that never spoke is not carried by its repair", []any{read, fix}, "", "implement", "it gave no verdict"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := reuse.Judge(history(t, head, append(slices.Clone(tt.events), ledger.GateRun{Candidate: "t"}, ended(outcome.TurnCeilingReached))...), chain(), terms, "t")
			if carried(p) != tt.want || p.Declined != "" {
				t.Errorf("carried %q, want %q (declined %q)", carried(p), tt.want, p.Declined)
			}
			told := ""
			for _, d := range p.ByStage {
				if d.Stage == tt.stage {
					told = d.Reason
				}
			}
			if !strings.Contains(told, tt.why) {
				t.Errorf("%s is declined for %q, want %q", tt.stage, told, tt.why)
			}
		})
	}
}

// LP-01: the same reader is held to its word over the same bytes, across runs; under
// other terms it is another reader.
func TestRegistryIsCarried(t *testing.T) {
	t.Parallel()
	read := said("review", "reviewer", "t")
	read.Findings = []outcome.Finding{{ID: "A", Severity: outcome.P1}}
	h := history(t, head, said("implement", "implementer", "t"), read, ended(outcome.BudgetInsufficient))
	p := reuse.Judge(h, chain(), terms, "t")
	if _, code := p.Registry.Read("review", "t", nil); code != outcome.SeverityDowngraded {
		t.Errorf("LP-01: a blocker that is gone in the next run gives %q", code)
	}
	other := terms
	other.Role = func(workflow.Step, string) string { return "other" }
	p = reuse.Judge(h, chain(), other, "t")
	if _, code := p.Registry.Read("review", "t", nil); code != "" {
		t.Errorf("another reader is held to a word that it never gave: %q", code)
	}
}

// Every code is either about the world or is not, and the list is this one.
func TestAboutTheWorld(t *testing.T) {
	t.Parallel()
	world := []outcome.Code{"budget_exhausted", "budget_insufficient_to_finish", "failover_requires_confirmation", "gate_internal_error", "gate_interrupted",
		"independent_review_unavailable", "interrupted", "preflight_outside_scope", "prompt_undeliverable", "quota_exhausted", "rate_limited",
		"role_timed_out", "stopped_by_person", "turn_ceiling_reached", "vendor_call_failed", "vendor_credential_rejected", "vendor_protocol_failed",
		"visual_qa_unavailable", "visual_qa_port_occupied", "visual_qa_no_evidence"}
	source, err := os.ReadFile("../outcome/code.go")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, m := range regexp.MustCompile(`Code = "(\w+)"`).FindAllSubmatch(source, -1) {
		found++
		code := outcome.Code(m[1])
		if reuse.AboutTheWorld(code) != slices.Contains(world, code) {
			t.Errorf("%s: carried from is %v", code, reuse.AboutTheWorld(code))
		}
	}
	if found < 60 {
		t.Errorf("%d codes were found", found)
	}
}
