package runner

import (
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/tolboy/warden/internal/draft"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/policy"
)

// read is planned with a reader of drafts, of another vendor unless it is changed.
func read(t *testing.T, planner, reader string) (*Machine, Order, draft.Ask) {
	t.Helper()
	m, o, ask := planned(t, planner)
	o.Home.FS = fstest.MapFS{"prompts/planner.md": {Data: []byte("{{operator_goal}} {{context}}")}, "prompts/plan_reviewer.md": {Data: []byte("{{operator_goal}} {{context}}")}}
	p := o.Home.Profiles["mapper"]
	p.Name, p.Role, p.Vendor, p.PromptTemplate = "surveyor", "plan_reviewer", "surveyor-house", "prompts/plan_reviewer.md"
	p.Command = put(t, filepath.Join(t.TempDir(), "surveyor"), "#!/bin/sh\ncat > /dev/null\n"+reader)
	o.Home.Profiles["surveyor"] = p
	o.Home.Policy.Roles["plan_reviewer"] = policy.Roster{Role: "plan_reviewer", Profiles: []string{"surveyor"}, Strategy: "first", Independent: true}
	return m, o, ask
}

func verdict(findings string) string {
	return `echo '{"role":"plan_reviewer","task_id":"t1","status":"completed","verdict":"fail","summary":"s","findings":[` + findings + `]}'` + "\n"
}

const gap = `{"id":"gap","severity":"P1","category":"acceptance_gap","field":"acceptance","message":"m","expected":"e","actual":"a","confidence":"confirmed"}`

// TestPlanReviewer is the reading of drafts: one redraft, no second reading of the
// same bytes, nobody of the planner's vendor, and every call counted.
func TestPlanReviewer(t *testing.T) {
	t.Parallel()
	draft := "echo '" + fitting + "'\n"
	t.Run("it passes", func(t *testing.T) {
		t.Parallel()
		m, o, ask := read(t, draft, verdict(`{"id":"x","severity":"P2","category":"other","field":"f","message":"m","expected":"e","actual":"a","confidence":"plausible"}`))
		got := prepare(t, m, o, ask)
		if got.Ending.Code != outcome.Prepared || got.Ending.RoleRuns != 2 || got.Task.YAML == nil {
			t.Errorf("ended with %+v", got.Ending)
		}
	})
	t.Run("the same draft is not read twice", func(t *testing.T) {
		t.Parallel()
		m, o, ask := read(t, draft, verdict(gap))
		got := prepare(t, m, o, ask)
		c := got.Ending.ContractChange
		if got.Ending.Code != outcome.PlanReviewFindingsRemain || got.Ending.RoleRuns != 3 || len(got.Ending.OpenFindings) != 1 || !c.Offered() || c.Before != "" || got.Ending.NextAction != "human_escalation" {
			t.Errorf("ended with %+v", got.Ending)
		}
	})
	t.Run("another draft is read, and still refused", func(t *testing.T) {
		t.Parallel()
		// The process number stands in the draft, so that no two are the same.
		m, o, ask := read(t, "echo '"+strings.Replace(fitting, `"deliverable":"d"`, `"deliverable":"'$$'"`, 1)+"'\n", verdict(gap))
		got := prepare(t, m, o, ask)
		if got.Ending.Code != outcome.PlanReviewFindingsRemain || got.Ending.RoleRuns != 4 {
			t.Errorf("ended with %+v", got.Ending)
		}
	})
	t.Run("a task that is there is read, and no other draft asked for", func(t *testing.T) {
		t.Parallel()
		m, o, ask := read(t, draft, verdict(gap))
		o.Text = []byte("version: 1\nid: t1\ngoal: goal\nscope: code\n")
		got := prepare(t, m, o, ask)
		if c := got.Ending.ContractChange; got.Ending.Code != outcome.PlanReviewFindingsRemain || got.Ending.RoleRuns != 2 || c.Before == "" || c.Before != c.After {
			t.Errorf("ended with %+v", got.Ending)
		}
	})
	t.Run("the planner's vendor does not read", func(t *testing.T) {
		t.Parallel()
		m, o, ask := read(t, draft, verdict(gap))
		p := o.Home.Profiles["surveyor"]
		p.Vendor = o.Home.Profiles["mapper"].Vendor
		o.Home.Profiles["surveyor"] = p
		got := prepare(t, m, o, ask)
		if got.Ending.Code != outcome.IndependentReviewMissing || got.Ending.RoleRuns != 0 {
			t.Errorf("ended with %+v", got.Ending)
		}
	})
	t.Run("it is told by a vendor that stood in for the planner", func(t *testing.T) {
		t.Parallel()
		m, o, ask := read(t, "echo 'usage limit reached' >&2; exit 1\n", verdict(gap))
		o.Home.Policy.Failover = "auto"
		p := o.Home.Profiles["mapper"]
		p.Name, p.Vendor, p.Command = "second", "surveyor-house", put(t, filepath.Join(t.TempDir(), "second"), "#!/bin/sh\ncat > /dev/null\n"+draft)
		o.Home.Profiles["second"] = p
		o.Home.Policy.Roles["planner"] = policy.Roster{Role: "planner", Profiles: []string{"mapper", "second"}, Strategy: "first"}
		got := prepare(t, m, o, ask)
		if got.Ending.Code != outcome.PlanReviewerFailed || !strings.Contains(got.Ending.Detail, "same_vendor_as_writer") {
			t.Errorf("ended with %+v", got.Ending)
		}
	})
	t.Run("its calls count", func(t *testing.T) {
		t.Parallel()
		m, o, ask := read(t, draft, verdict(gap))
		o.Task.MaxRoleRuns = 1
		got := prepare(t, m, o, ask)
		if got.Ending.Code != outcome.BudgetExhausted || got.Ending.RoleRuns != 1 || evidence(t, o, ledger.TypeVendorCallStarted) != 1 {
			t.Errorf("ended with %+v", got.Ending)
		}
	})
	t.Run("what it wrote is gone, with its word", func(t *testing.T) {
		t.Parallel()
		m, o, ask := read(t, draft, "echo theirs > a.txt\n"+verdict(""))
		got := prepare(t, m, o, ask)
		if got.Ending.Code != outcome.PlanReviewerFailed {
			t.Errorf("ended with %+v", got.Ending)
		}
	})
}
