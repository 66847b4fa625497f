package engine_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/tolboy/warden/internal/budget"
	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/engine"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/workflow"
)

// page is a browser that finds nothing wrong and leaves three pictures a time.
type page struct{ looked int }

func (p *page) Ready(context.Context, string) (engine.VisualOutcome, error) {
	return engine.VisualOutcome{VisualRun: ledger.VisualRun{OK: true}}, nil
}

func (p *page) Run(_ context.Context, evidence string, _ time.Duration) (engine.VisualOutcome, error) {
	p.looked++
	file := func(name string) ledger.File {
		return ledger.File{Path: evidence + "/" + name, SHA256: fmt.Sprint(name, p.looked), Bytes: 9}
	}
	out := engine.VisualOutcome{VisualRun: ledger.VisualRun{OK: true, Code: outcome.Passed, Report: evidence + "/visual-qa.json", Scenarios: []ledger.VisualScenario{
		{OK: true, Pictures: []string{evidence + "/a1.png", evidence + "/a2.png"}},
		{OK: true, Pictures: []string{evidence + "/b1.png", evidence + "/gone.png"}},
	}}}
	out.Files = []ledger.File{file("visual-qa.json"), file("a1.png"), file("a2.png"), file("b1.png")}
	return out, nil
}

// look drives a run whose chain ends with a role that looks.
func look(t *testing.T, w *world, j *journal, h engine.Harness, task contract.Task, skip map[string]string) ledger.Ending {
	t.Helper()
	e := &engine.Engine{Journal: j, Eyes: w, Roles: w, Gates: w, Harness: h, Boundary: w, Now: func() time.Time { return time.Unix(1, 0) }}
	steps := workflow.Resolve(workflow.BuiltIn(), workflow.Facts{Risk: "low", VisualQARequired: true, Configured: func(string) bool { return true }})
	for i, s := range steps {
		if why := skip[s.Name]; why != "" {
			steps[i].Skip = why
		}
	}
	end, err := e.Run(t.Context(), engine.Spec{RunID: "r1", Task: task, Steps: steps, Limits: budget.Limits{Calls: 9, Reserve: budget.Full}})
	if err != nil {
		t.Fatal(err)
	}
	return end
}

func visualTask() contract.Task {
	v := task()
	v.Visual = contract.Visual{Required: true, Scenarios: []string{"testid=save visible"}}
	return v
}

func TestLook(t *testing.T) {
	t.Parallel()
	t.Run("is_shown_the_newest_pictures_and_the_report", func(t *testing.T) {
		t.Parallel()
		w := &world{gate: []engine.GateOutcome{green}, role: map[string][]func(*world, engine.RoleCall) engine.RoleOutcome{
			"implementer": {writes("one"), writes("two")}, "visual_qa": {objects("v1"), ends(outcome.OK)}}}
		p := &page{}
		end := look(t, w, &journal{}, p, visualTask(), nil)
		if end.Code != outcome.ReadyForHuman || p.looked != 2 {
			t.Fatalf("ended with %s (%s) after %d looks of the browser", end.Code, end.Detail, p.looked)
		}
		round := 0
		for _, c := range w.calls {
			if c.Role != "visual_qa" {
				if c.Look != nil {
					t.Errorf("%s is shown pictures", c.Role)
				}
				if c.Fix && !contains(string(c.Context), "v1") {
					t.Errorf("the repair is not told of the finding:\n%s", c.Context)
				}
				continue
			}
			dir := fmt.Sprintf("r1--visual-qa-%d/", round)
			round++
			var got []string
			for _, f := range c.Look.Pictures {
				got = append(got, f.Path)
				if f.SHA256 == "" {
					t.Errorf("%s has no hash", f.Path)
				}
			}
			if want := []string{dir + "a1.png", dir + "b1.png", dir + "a2.png"}; fmt.Sprint(got) != fmt.Sprint(want) || c.Look.Report.Path != dir+"visual-qa.json" || c.Look.Acquire {
				t.Errorf("shown %q with %+v, want %q", got, c.Look.Report, want)
			}
			if c.Evidence == dir[:len(dir)-1] {
				t.Errorf("the role writes into the browser's own directory %s", c.Evidence)
			}
		}
		if round != 2 {
			t.Errorf("the role looked %d times", round)
		}
	})
	t.Run("findings_that_stay", func(t *testing.T) {
		t.Parallel()
		v := visualTask()
		v.MaxFixAttempts = 1
		w := &world{gate: []engine.GateOutcome{green}, role: map[string][]func(*world, engine.RoleCall) engine.RoleOutcome{
			"implementer": {writes("one"), writes("two")}, "visual_qa": {objects("v1")}}}
		if end := look(t, w, &journal{}, &page{}, v, nil); end.Code != outcome.VisualFindingsRemain || end.AttemptsUsed != 1 {
			t.Errorf("ended with %s after %d rounds", end.Code, end.AttemptsUsed)
		}
	})
	t.Run("a_role_that_did_not_do_its_work", func(t *testing.T) {
		t.Parallel()
		w := &world{gate: []engine.GateOutcome{green}, role: map[string][]func(*world, engine.RoleCall) engine.RoleOutcome{
			"implementer": {writes("one")}, "visual_qa": {ends(outcome.RoleReportedAborted)}}}
		if end := look(t, w, &journal{}, &page{}, visualTask(), nil); end.Code != outcome.VisualRoleFailed || end.AttemptsUsed != 0 {
			t.Errorf("ended with %s after %d rounds", end.Code, end.AttemptsUsed)
		}
	})
	t.Run("BR-18_no_evidence_is_no_fix_round", func(t *testing.T) {
		t.Parallel()
		w := &world{gate: []engine.GateOutcome{green}, role: map[string][]func(*world, engine.RoleCall) engine.RoleOutcome{
			"implementer": {writes("one")}, "visual_qa": {ends(outcome.VisualNoEvidence)}}}
		end := look(t, w, &journal{}, &page{}, visualTask(), nil)
		if end.Code != outcome.VisualNoEvidence || end.AttemptsUsed != 0 || end.OK {
			t.Errorf("ended with %s after %d rounds", end.Code, end.AttemptsUsed)
		}
	})
	t.Run("BR-16_an_agent_takes_the_pictures", func(t *testing.T) {
		t.Parallel()
		v := visualTask()
		v.Visual.Evidence, v.Visual.Scenarios = contract.EvidenceAgent, []string{"the fire looks like one"}
		for name, h := range map[string]engine.Harness{"without a browser": nil, "with a browser": &page{}} {
			w := &world{gate: []engine.GateOutcome{green}, role: map[string][]func(*world, engine.RoleCall) engine.RoleOutcome{
				"implementer": {writes("one")}, "visual_qa": {ends(outcome.OK)}}}
			end := look(t, w, &journal{}, h, v, map[string]string{"browser": "evidence_by_agent"})
			if end.Code != outcome.ReadyForHuman || len(w.calls) != 2 || w.calls[1].Look == nil || !w.calls[1].Look.Acquire {
				t.Errorf("%s: ended with %s (%s) after %d calls", name, end.Code, end.Detail, len(w.calls))
			}
			if p, ok := h.(*page); ok && p.looked != 0 {
				t.Error("the browser was asked")
			}
		}
	})
	t.Run("BR-16_nobody_is_asked_to_take_them", func(t *testing.T) {
		t.Parallel()
		v := visualTask()
		v.Visual.Evidence = contract.EvidenceAgent
		w := &world{gate: []engine.GateOutcome{green}}
		end := look(t, w, &journal{}, nil, v, map[string]string{"browser": "evidence_by_agent", "look": "role_not_configured"})
		if end.Code != outcome.StageUnsupported || len(w.calls) != 0 {
			t.Errorf("ended with %s after %d calls", end.Code, len(w.calls))
		}
	})
}
