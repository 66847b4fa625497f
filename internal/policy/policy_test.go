package policy

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tolboy/warden/internal/strict"
	"github.com/tolboy/warden/internal/workflow"
)

const minimalPolicy = "version: 1\nroles:\n  implementer: {profiles: [coder], strategy: first}\n  reviewer: {profiles: [reader-a, reader-b]}\n"

func TestPolicyDefaults(t *testing.T) {
	t.Parallel()
	got, err := ParsePolicy("p", []byte(minimalPolicy))
	if err != nil {
		t.Fatal(err)
	}
	want := Policy{
		Present: true,
		Roles: map[string]Roster{
			"implementer": {Role: "implementer", Profiles: []string{"coder"}, Strategy: "first"},
			"reviewer":    {Role: "reviewer", Profiles: []string{"reader-a", "reader-b"}, Strategy: "rotate", Independent: true},
		},
		ReviewRisks: []string{"medium", "high"}, Failover: "confirm", RepairReserve: "full", Stages: workflow.BuiltIn(),
		RateLimitRetry: RateLimitRetry{Backoff: 30 * time.Second}, Notes: map[string]string{},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("policy (-want +got):\n%s", diff)
	}
	if !got.ReviewRequired("high") || got.ReviewRequired("low") {
		t.Error("a review is required for medium and high by default")
	}
	none, err := ParsePolicy("p", []byte(minimalPolicy+"review: {required_for_risk: []}\n"))
	if err != nil || none.ReviewRequired("high") {
		t.Errorf("an empty list asks for no review: %v %v", none.ReviewRisks, err)
	}
}

// The chain as the documentation writes it, with mappings over several lines.
func TestDeclaredChain(t *testing.T) {
	t.Parallel()
	in := minimalPolicy + `workflow:
  stages:
    - { stage: implement, run: role, role: implementer, on_fail: stop }
    - { stage: gates,     run: machine_gates, on_fail: fix, recheck_after_fix: true }
    - { stage: review,    run: role, role: reviewer, when: [review_required],
        on_fail: stop, on_findings: fix }
    - { stage: browser,   run: visual_harness, when: [visual_qa_required],
        on_fail: fix }
    - { stage: look,      run: role, role: visual_qa, when: [visual_qa_required, risk_high], on_findings: fix, fix_with: architect }
`
	got, err := ParsePolicy("p", []byte(in))
	if err != nil {
		t.Fatal(err)
	}
	want := []workflow.Stage{
		{Name: "implement", Run: "role", Role: "implementer", OnFail: "stop", FixWith: "implementer"},
		{Name: "gates", Run: "machine_gates", OnFail: "fix", Recheck: true, FixWith: "implementer"},
		{Name: "review", Run: "role", Role: "reviewer", When: []workflow.Condition{"review_required"}, OnFail: "stop", OnFindings: "fix", FixWith: "implementer"},
		{Name: "browser", Run: "visual_harness", When: []workflow.Condition{"visual_qa_required"}, OnFail: "fix", Recheck: true, FixWith: "implementer"},
		{Name: "look", Run: "role", Role: "visual_qa", When: []workflow.Condition{"visual_qa_required", "risk_high"}, OnFail: "stop", OnFindings: "fix", FixWith: "architect", Sees: "browser"},
	}
	if diff := cmp.Diff(want, got.Stages); diff != "" || !got.WorkflowDeclared {
		t.Errorf("stages, declared %v (-want +got):\n%s", got.WorkflowDeclared, diff)
	}
}

func TestPolicyFaults(t *testing.T) {
	t.Parallel()
	const m = minimalPolicy
	stages := func(s string) string { return m + "workflow:\n  stages:\n" + s }
	tests := []struct {
		name, in string
		want     []string
	}{
		{"empty", "", []string{"p:1: version: the key is missing (the version of this file, 1)", "p:1: roles: the key is missing (who fills which role)"}},
		{"no_role", "version: 1\nroles: {}\n", []string{"p:2: roles: nothing is declared here"}},
		{"unknown_role", "version: 1\nroles:\n  reviwer: {profiles: [a]}\n", []string{`p:3: roles.reviwer: unknown word "reviwer" (did you mean "reviewer"?)`}},
		{"role_of_a_later_version", "version: 1\nroles:\n  oracle: {profiles: [a]}\n", []string{
			`p:3: roles.oracle: unknown word "oracle" (allowed: implementer, reviewer, architect, visual_qa, planner, plan_reviewer)`}},
		{"roster", "version: 1\nroles:\n  reviewer: {profiles: [], strategy: random, require_independent_vendor: yes}\n  implementer: {profile: [a]}\n", []string{
			`p:3: roles.reviewer.profiles: the list is empty`,
			`p:3: roles.reviewer.strategy: unknown word "random" (allowed: rotate, first)`,
			`p:3: roles.reviewer.require_independent_vendor: expected true or false, found text "yes" (write true or false, without quotes)`,
			`p:4: roles.implementer.profile: unknown key "profile" (did you mean "profiles"?)`,
			`p:4: roles.implementer.profiles: the key is missing (names of profiles, in order of preference)`}},
		{"roster_twice", "version: 1\nroles:\n  reviewer:\n    profiles:\n      - a\n      - a\n", []string{`p:6: roles.reviewer.profiles[2]: the profile "a" stands twice (keep one: turns are counted by place)`}},
		{"CF-08_escalation", "version: 1\nroles: {implementer: {profiles: [a, b]}, reviewer: {profiles: [r]}}\nescalation:\n  rungs:\n    - {implementer: a, reviewer: a}\n    - {implementer: x, reviewer: r}\n    - {implementer: b, reviewer: y}\n    - {implementer: b, reviewer: r}\n", []string{
			`p:5: escalation.rungs[1].reviewer: nobody reads what he wrote (name two profiles)`,
			`p:6: escalation.rungs[2].implementer: "x" is none of the implementer's profiles (name it in roles.implementer.profiles too)`,
			`p:7: escalation.rungs[3].reviewer: "y" is none of the reviewer's profiles (name it in roles.reviewer.profiles too)`,
			`p:8: escalation.rungs[4].implementer: "b" writes on an earlier rung (each rung has a writer of its own)`}},
		{"RI-14_peer_of_nobody", "version: 1\nroles:\n  reviewer: {profiles: [a], same_vendor_peer: {}}\n", []string{
			`p:3: roles.reviewer.same_vendor_peer.implementer: the key is missing (profile of the writer)`,
			`p:3: roles.reviewer.same_vendor_peer.reviewer: the key is missing (profile of the reader, one of this role's)`}},
		{"RI-14_peer_beside_the_strict_rule", "version: 1\nroles:\n  reviewer: {profiles: [a], require_independent_vendor: true, same_vendor_peer: {implementer: w, reviewer: a}}\n", []string{
			`p:3: roles.reviewer.same_vendor_peer: a peer of the writer's vendor contradicts require_independent_vendor: true (remove one of them)`}},
		{"RI-14_peer_from_elsewhere", "version: 1\nroles:\n  reviewer: {profiles: [a], same_vendor_peer: {implementer: w, reviewer: b}}\n", []string{
			`p:3: roles.reviewer.same_vendor_peer.reviewer: "b" is none of this role's profiles (name one of them)`}},
		{"RI-14_peer_of_itself", "version: 1\nroles:\n  reviewer: {profiles: [a], same_vendor_peer: {implementer: a, reviewer: a}}\n", []string{
			`p:3: roles.reviewer.same_vendor_peer.reviewer: a profile is no peer of itself (name two profiles)`}},
		{"RI-14_peer_of_another_role", "version: 1\nroles:\n  architect: {profiles: [a], same_vendor_peer: {implementer: w, reviewer: a}}\n", []string{
			`p:3: roles.architect.same_vendor_peer: only the reviewer reads a peer (remove the key)`}},
		{"words", m + "failover: {on_quota_exhausted: ask}\nbudget: {repair_reserve: half}\nreview: {required_for_risk: [medium, hgih]}\n", []string{
			`p:5: failover.on_quota_exhausted: unknown word "ask" (allowed: confirm, auto, stop)`,
			`p:6: budget.repair_reserve: unknown word "half" (allowed: full, partial)`,
			`p:7: review.required_for_risk[2]: unknown word "hgih" (did you mean "high"?)`}},
		{"retry", m + "retry: {rate_limited: {max_attempts: 6, backoff_seconds: 0}}\nallow_unconfined: 1\n", []string{
			`p:5: retry.rate_limited.max_attempts: 6 is out of range (0 to 5)`,
			`p:5: retry.rate_limited.backoff_seconds: 0 is out of range (1 to 900)`,
			`p:6: allow_unconfined: expected true or false, found 1 (write true or false, without quotes)`}},
		{"CF-01_unknown_condition", stages("    - {stage: review, run: role, role: reviewer, when: [on_tuesdays]}\n"), []string{
			`p:7: workflow.stages[1].when[1]: unknown word "on_tuesdays" (allowed: always, review_required, visual_qa_required, risk_low, risk_medium, risk_high)`}},
		{"CF-01_condition_near", stages("    - {stage: review, run: role, role: reviewer, when: [review_require]}\n"), []string{
			`p:7: workflow.stages[1].when[1]: unknown word "review_require" (did you mean "review_required"?)`}},
		{"CF-01_bare_condition", stages("    - {stage: review, run: role, role: reviewer, when: review_required}\n"), []string{
			`p:7: workflow.stages[1].when: expected a list, found text "review_required" (write a list: [review_required])`}},
		{"CF-01_unknown_run", stages("    - {stage: x, run: gates}\n"), []string{`p:7: workflow.stages[1].run: unknown word "gates" (allowed: role, machine_gates, visual_harness)`}},
		{"CF-01_unknown_route", stages("    - {stage: x, run: machine_gates, on_fail: ignore}\n"), []string{`p:7: workflow.stages[1].on_fail: unknown word "ignore" (allowed: stop, fix)`}},
		{"CF-01_unknown_role", stages("    - {stage: x, run: role, role: boss}\n"), []string{
			`p:7: workflow.stages[1].role: unknown word "boss" (allowed: implementer, reviewer, architect, visual_qa, planner, plan_reviewer)`}},
		{"plan_reviewer_is_no_stage", stages("    - {stage: x, run: role, role: plan_reviewer}\n"), []string{
			`p:7: workflow.stages[1].role: the plan_reviewer is no stage: it reads the draft of a planner, before there is a chain (remove the stage: naming the role under roles is enough)`}},
		{"planner_is_no_stage", stages("    - {stage: x, run: role, role: planner}\n"), []string{
			`p:7: workflow.stages[1].role: the planner is no stage: it drafts the task before there is a chain (remove the stage, and ask for it with --prepare)`}},
		{"no_stages", m + "workflow: {stages: []}\n", []string{`p:5: workflow.stages: the list is empty`}},
		{"no_role_of_stage", stages("    - {stage: x, run: role}\n"), []string{`p:7: workflow.stages[1].role: the key is missing (run: role needs the role that runs)`}},
		{"keys_of_role_stages", stages("    - {stage: x, run: machine_gates, role: reviewer, on_findings: fix, sees: y}\n"), []string{
			`p:7: workflow.stages[1].role: only a stage with run: role has role (remove the key)`,
			`p:7: workflow.stages[1].on_findings: only a stage with run: role has on_findings (remove the key)`,
			`p:7: workflow.stages[1].sees: only a stage with run: role has sees (remove the key)`}},
		{"same_name", stages("    - {stage: x, run: machine_gates}\n    - {stage: X, run: machine_gates}\n"), []string{
			`p:8: workflow.stages[2].stage: a stage is already named "x" (give it another name: the evidence of a stage lies under its name)`}},
		{"reader_cannot_fix", stages("    - {stage: x, run: machine_gates, on_fail: fix, fix_with: reviewer}\n"), []string{
			`p:7: workflow.stages[1].fix_with: the role reviewer cannot write, so it cannot fix (name a role that writes, such as implementer)`}},
		{"sees_nothing", stages("    - {stage: look, run: role, role: visual_qa}\n    - {stage: b, run: visual_harness}\n"), []string{
			`p:7: workflow.stages[1].role: no browser stage stands before the stage that looks at its pictures (put a stage with run: visual_harness before it)`}},
		{"sees_later", stages("    - {stage: a, run: visual_harness}\n    - {stage: look, run: role, role: visual_qa, sees: b}\n    - {stage: b, run: visual_harness}\n"), []string{
			`p:8: workflow.stages[2].sees: no earlier stage "b" has run: visual_harness (name a browser stage that stands before this one)`}},
		{"CF-08_stage_evidence", stages("    - {stage: a, run: visual_harness, evidence: agent}\n"), []string{
			`p:7: workflow.stages[1].evidence: unknown key "evidence" (this version of Warden does not have it; remove the key)`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := ParsePolicy("p", []byte(tt.in))
			wantFaults(t, err, tt.want)
		})
	}
}

func wantFaults(t *testing.T, err error, want []string) {
	t.Helper()
	var faults strict.Faults
	if !errors.As(err, &faults) {
		t.Fatalf("got %v, want faults", err)
	}
	if diff := cmp.Diff(strings.Join(want, "\n"), faults.Error()); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}
