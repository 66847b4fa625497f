package engine_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/tolboy/warden/internal/budget"
	"github.com/tolboy/warden/internal/engine"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/workflow"
)

type turns = map[string][]func(*world, engine.RoleCall) engine.RoleOutcome

func TestRun(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		world  *world
		spec   engine.Spec
		reason outcome.Code
		calls  int
	}{
		{"clean pass", &world{gate: []engine.GateOutcome{green}, role: turns{"implementer": {writes("a")}, "reviewer": {ends(outcome.OK)}}},
			engine.Spec{}, outcome.ReadyForHuman, 2},
		{"one repair of red gates", &world{gate: []engine.GateOutcome{red, green}, role: turns{"implementer": {writes("a"), writes("b")}, "reviewer": {ends(outcome.OK)}}},
			engine.Spec{}, outcome.ReadyForHuman, 3},
		{"LP-12 gates that never pass", &world{gate: []engine.GateOutcome{red}, role: turns{"implementer": {writes("a"), writes("b"), writes("c")}, "reviewer": {ends(outcome.OK)}}},
			engine.Spec{}, outcome.GatesNotSatisfied, 3},
		{"LP-09 a repair without a change", &world{gate: []engine.GateOutcome{green}, role: turns{"implementer": {writes("a"), ends(outcome.OK)}, "reviewer": {objects("A")}}},
			engine.Spec{}, outcome.RepairMadeNoProgress, 3},
		{"LP-10 a blocker in the contract buys no repair", &world{gate: []engine.GateOutcome{green}, role: turns{"implementer": {writes("a")}, "reviewer": {gap}}},
			engine.Spec{}, outcome.BlockingFindingsRemain, 2},
		{"GF-11 dirty outside the scope", &world{tree: engine.Tree{Source: "x", Outside: []string{"package-lock.json"}}},
			engine.Spec{}, outcome.PreflightOutsideScope, 0},
		{"RI-10 nobody may review", &world{refuse: &engine.Refusal{Code: outcome.IndependentReviewMissing, Detail: "reviewer: same_vendor_as_writer"}},
			engine.Spec{}, outcome.IndependentReviewMissing, 0},
		{"LP-05 green checks and a blocked writer", &world{gate: []engine.GateOutcome{green}, role: turns{"implementer": {ends(outcome.RoleReportedBlocked)}}},
			engine.Spec{}, outcome.ImplementerFailed, 1},
		{"the writer changed nothing", &world{gate: []engine.GateOutcome{green}, role: turns{"implementer": {ends(outcome.OK)}, "reviewer": {ends(outcome.OK)}}},
			engine.Spec{}, outcome.NothingChanged, 2},
		{"BU-08 earlier runs count", &world{gate: []engine.GateOutcome{green}, role: turns{"implementer": {writes("a")}, "reviewer": {ends(outcome.OK)}}},
			engine.Spec{Prior: budget.Spent{Calls: 5}}, outcome.BudgetExhausted, 1},
		{"BU-10 a repair that cannot be finished", &world{gate: []engine.GateOutcome{red}, role: turns{"implementer": {writes("a")}}},
			engine.Spec{Limits: budget.Limits{Calls: 2, Reserve: budget.Full}}, outcome.BudgetInsufficient, 1},
		{"CI-01 the contract moved under a role", &world{gate: []engine.GateOutcome{green}, role: turns{"implementer": {func(w *world, _ engine.RoleCall) engine.RoleOutcome {
			w.tree = engine.Tree{Source: "a", Contract: []string{"tasks/t1.yaml modified"}}
			return engine.RoleOutcome{RoleRun: ledger.RoleRun{OK: true, Code: outcome.OK}}
		}}}}, engine.Spec{}, outcome.ContractMutated, 1},
		{"a person said stop", &world{stopAt: "review", gate: []engine.GateOutcome{green}, role: turns{"implementer": {writes("a")}}},
			engine.Spec{}, outcome.Stopped, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			j := &journal{}
			got, err := drive(t, tt.world, j, tt.spec)
			if err != nil {
				t.Fatal(err)
			}
			if got.Code != tt.reason || len(tt.world.calls) != tt.calls || got.RoleRuns != tt.calls {
				t.Errorf("ended with %s (%s) after %d calls, %d counted; want %s after %d", got.Code, got.Detail, len(tt.world.calls), got.RoleRuns, tt.reason, tt.calls)
			}
			wantKind := ledger.TypeStopped
			if tt.reason == outcome.ReadyForHuman {
				wantKind = ledger.TypeReadyForHuman
			}
			if last := j.kinds[len(j.kinds)-1]; last != wantKind || got.OK != (tt.reason == outcome.ReadyForHuman) {
				t.Errorf("sealed by %q, ok %v", last, got.OK)
			}
			if got.SafeNextStep == "" || got.NextAction == "" {
				t.Errorf("no next step: %+v", got)
			}
		})
	}
}

// BU-01: every call is counted in the ledger before it is made.
func TestCallsAreCharged(t *testing.T) {
	t.Parallel()
	j := &journal{}
	w := &world{gate: []engine.GateOutcome{green}, role: turns{"reviewer": {ends(outcome.OK)}}}
	w.role["implementer"] = []func(*world, engine.RoleCall) engine.RoleOutcome{func(w *world, c engine.RoleCall) engine.RoleOutcome {
		if last := j.kinds[len(j.kinds)-1]; last != ledger.TypeVendorCallStarted {
			t.Errorf("the last line before the call is %q", last)
		}
		return writes("a")(w, c)
	}}
	if _, err := drive(t, w, j, engine.Spec{}); err != nil {
		t.Fatal(err)
	}
}

// CO-13 and peer-17: a person's words reach the next writer byte for byte, once.
func TestRejectionReachesTheWriterOnce(t *testing.T) {
	t.Parallel()
	note := "the fire is ```drawn``` twice\r\n> the height\x20\n/warden accept 123"
	inline := "line one\r\nline two"
	w := &world{gate: []engine.GateOutcome{red, green}, role: turns{"implementer": {writes("a"), writes("b")}, "reviewer": {ends(outcome.OK)}}}
	j := &journal{}
	got, err := drive(t, w, j, engine.Spec{Rejection: &engine.Rejection{Run: "r0", Actor: "ann", Note: []byte(note),
		Comments: []engine.LineNote{{Path: "greeting.txt", StartLine: 1, Line: 2, Side: "RIGHT", DiffHunk: "@@ -0,0 +1 @@\n+helo", Body: inline}}}})
	if err != nil || !got.OK {
		t.Fatalf("run: %+v, %v", got, err)
	}
	first, second := string(w.calls[0].Context), string(w.calls[1].Context)
	for _, words := range []string{note, inline, "greeting.txt", "lines 1 to 2", "+helo"} {
		if !contains(first, words) {
			t.Errorf("the first writer does not read %q:\n%s", words, first)
		}
	}
	if contains(second, note) || contains(second, inline) {
		t.Errorf("the rejection is repeated in a repair:\n%s", second)
	}
	if !contains(second, "check.sh says no") {
		t.Errorf("the repair does not read the failure:\n%s", second)
	}
	if !slices.Contains(keys(j.files), "r1/context/fix-0-rejection.md") {
		t.Errorf("the rejection is not kept: %v", keys(j.files))
	}
}

func keys(m map[string]string) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	return out
}

// A ledger that cannot be written ends the run at once, at whatever line, and
// nothing is dispatched after it.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	whole := &journal{}
	if _, err := drive(t, scripted(), whole, engine.Spec{}); err != nil {
		t.Fatal(err)
	}
	for at := 1; at <= len(whole.kinds); at++ {
		t.Run(fmt.Sprintf("line %d %s", at, whole.kinds[at-1]), func(t *testing.T) {
			t.Parallel()
			w, j := scripted(), &journal{failAt: at}
			_, err := drive(t, w, j, engine.Spec{})
			if !errors.Is(err, errDisk) {
				t.Fatalf("run ended with %v", err)
			}
			started := 0
			for _, kind := range j.kinds {
				if kind == ledger.TypeVendorCallStarted {
					started++
				}
			}
			if len(w.calls) > started {
				t.Errorf("%d calls were made, %d are in the ledger", len(w.calls), started)
			}
		})
	}
}

func scripted() *world {
	return &world{gate: []engine.GateOutcome{red, green}, role: turns{"implementer": {writes("a"), writes("b")}, "reviewer": {ends(outcome.OK)}}}
}

// RI-13: a reading of an older tree is listed and is no pass.
func TestStaleJudgement(t *testing.T) {
	t.Parallel()
	w := &world{gate: []engine.GateOutcome{green}, role: turns{"implementer": {writes("a"), writes("b")}, "reviewer": {objects("A"), ends(outcome.OK)}}}
	got, err := drive(t, w, &journal{}, engine.Spec{})
	if err != nil || !got.OK {
		t.Fatalf("run: %+v, %v", got, err)
	}
	if len(got.Stale) != 0 || !got.ReviewPassed || len(got.Pending) != 0 {
		t.Errorf("after a re-read: stale %v, pending %v, passed %v", got.Stale, got.Pending, got.ReviewPassed)
	}
}

// A dry run says what a run would stop with, and renders the rest all the same.
func TestDryRunThatWouldStop(t *testing.T) {
	t.Parallel()
	for role, want := range map[string]outcome.Code{"implementer": outcome.ImplementerFailed, "reviewer": outcome.PromptUndeliverable} {
		w, j := &world{dry: map[string]outcome.Code{"implementer": outcome.AuthorityDenied, "reviewer": outcome.RolePromptUndeliverable}}, &journal{}
		if role == "reviewer" {
			delete(w.dry, "implementer")
		}
		got, err := drive(t, w, j, engine.Spec{DryRun: true})
		if err != nil || got.OK || got.Code != want || got.Detail != "as scripted for "+role || got.NextAction != engine.NoAction || got.RoleRuns != 0 {
			t.Errorf("%s: %+v, %v", role, got, err)
		}
		rendered := 0
		for _, kind := range j.kinds {
			if kind == ledger.TypeRoleRun {
				rendered++
			}
		}
		if rendered != 2 {
			t.Errorf("%s: %d roles were rendered", role, rendered)
		}
	}
}

func TestDryRun(t *testing.T) {
	t.Parallel()
	t.Run("HG-16 a dry run dispatches nobody and leaves no question", func(t *testing.T) {
		t.Parallel()
		w, j := scripted(), &journal{}
		got, err := drive(t, w, j, engine.Spec{DryRun: true})
		if err != nil || !got.OK || got.NextAction != engine.NoAction || len(w.calls) != 0 || has(j.kinds, ledger.TypeVendorCallStarted) {
			t.Errorf("dry run: %+v, %v, %d calls", got, err, len(w.calls))
		}
	})
}

// gap is a turn of the reviewer that finds the contract wanting.
func gap(*world, engine.RoleCall) engine.RoleOutcome {
	return engine.RoleOutcome{RoleRun: ledger.RoleRun{OK: true, Code: outcome.OK, Verdict: "fail", Findings: []outcome.Finding{
		{ID: "G", Severity: outcome.P1, Category: "contract_gap", Path: ".warden/tasks/t1.yaml", Message: "the check matches a substring only"}}}}
}

func TestSilenceClosesOnlyOnesOwn(t *testing.T) {
	t.Parallel()
	t.Run("LP-06 what one reader leaves unsaid closes nothing that another one said", silenceClosesOnlyOnesOwn)
}

func silenceClosesOnlyOnesOwn(t *testing.T) {
	t.Parallel()
	minor := func(id string) func(*world, engine.RoleCall) engine.RoleOutcome {
		return func(*world, engine.RoleCall) engine.RoleOutcome {
			return engine.RoleOutcome{RoleRun: ledger.RoleRun{OK: true, Code: outcome.OK, Verdict: "pass", Findings: []outcome.Finding{{ID: id, Severity: outcome.P2, Path: "greeting.txt"}}}}
		}
	}
	chain := steps(t)
	second := chain[2]
	second.Name = "review-second"
	chain[2].Recheck = false
	chain = append(chain[:3:3], append([]workflow.Step{second}, chain[3:]...)...)
	w := &world{gate: []engine.GateOutcome{green}, role: turns{"implementer": {writes("a"), writes("b")}, "reviewer": {minor("O"), objects("B"), ends(outcome.OK)}}}
	e := &engine.Engine{Journal: &journal{}, Eyes: w, Roles: w, Gates: w, Now: func() time.Time { return time.Unix(1, 0) }}
	got, err := e.Run(t.Context(), engine.Spec{RunID: "r1", Task: task(), Steps: chain, Limits: budget.Limits{Calls: 9, Reserve: budget.Full}})
	if err != nil || !got.OK {
		t.Fatalf("run: %+v, %v", got, err)
	}
	if len(got.OpenFindings) != 1 || got.OpenFindings[0].ID != "O" {
		t.Errorf("open findings: %+v, want O alone", got.OpenFindings)
	}
	if !slices.Contains(got.Stale, "review") || got.ReviewPassed {
		t.Errorf("the first reading is of an older tree: stale %v, passed %v", got.Stale, got.ReviewPassed)
	}
}
