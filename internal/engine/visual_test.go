package engine_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/tolboy/warden/internal/engine"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/workflow"
)

// looks is a harness that says one thing after the other, the last one for ever.
type looks struct {
	says  []ledger.VisualRun
	err   error
	after engine.Tree
	asked []string
	blind *ledger.VisualRun // what is known before anybody is paid; nil is nothing
	fails error             // to tell that
}

func (l *looks) Ready(context.Context, string) (engine.VisualOutcome, error) {
	if l.blind == nil {
		return engine.VisualOutcome{VisualRun: shown}, l.fails
	}
	return engine.VisualOutcome{VisualRun: *l.blind}, l.fails
}

func (l *looks) Run(_ context.Context, evidence string, _ time.Duration) (engine.VisualOutcome, error) {
	l.asked = append(l.asked, evidence)
	say := l.says[min(len(l.asked), len(l.says))-1]
	return engine.VisualOutcome{VisualRun: say, Failure: "the page lacks a button", After: l.after}, l.err
}

func unseen(code outcome.Code) ledger.VisualRun {
	return ledger.VisualRun{Code: code, Message: string(code)}
}

var shown = ledger.VisualRun{OK: true, Code: outcome.Passed}

// seen drives the built-in chain with a browser stage.
func seen(t *testing.T, w *world, h *looks) (ledger.Ending, *journal) {
	t.Helper()
	spec := engine.Spec{RunID: "r1", Task: task(), Steps: workflow.Resolve(workflow.BuiltIn(), workflow.Facts{
		Risk: "medium", VisualQARequired: true, Configured: func(role string) bool { return role == workflow.Implementer },
	})}
	spec.Task.Visual.Required, spec.Task.Visual.Scenarios = true, []string{"no-console-errors"}
	spec.Limits.Calls = 9
	j := &journal{}
	e := &engine.Engine{Journal: j, Eyes: w, Roles: w, Gates: w, Harness: h, Now: func() time.Time { return time.Unix(1, 0) }}
	end, err := e.Run(context.Background(), spec)
	if err != nil {
		t.Fatal(err)
	}
	return end, j
}

// TestBrowserStage routes what a browser saw: a page goes back to the writer, and
// what says nothing of the page never does.
func TestBrowserStage(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		says   []ledger.VisualRun
		err    error
		ends   outcome.Code
		rounds int
		looks  int
	}{
		{"green", []ledger.VisualRun{shown}, nil, outcome.ReadyForHuman, 0, 1},
		{"red is mended", []ledger.VisualRun{unseen(outcome.VisualFailed), shown}, nil, outcome.ReadyForHuman, 1, 2},
		{"red remains", []ledger.VisualRun{unseen(outcome.VisualFailed)}, nil, outcome.VisualFailed, 2, 3},
		{"BR-21 no browser", []ledger.VisualRun{unseen(outcome.VisualUnavailable)}, nil, outcome.VisualUnavailable, 0, 1},
		{"BR-01 a stranger on the port", []ledger.VisualRun{unseen(outcome.VisualPortOccupied)}, nil, outcome.VisualPortOccupied, 0, 1},
		{"no picture", []ledger.VisualRun{unseen(outcome.VisualNoEvidence)}, nil, outcome.VisualNoEvidence, 0, 1},
		{"no sandbox", []ledger.VisualRun{unseen(outcome.Unconfined)}, nil, outcome.Unconfined, 0, 1},
		{"a fault of ours", []ledger.VisualRun{shown}, errors.New("no place for a picture"), outcome.VisualUnavailable, 0, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w, h := &world{role: turns{workflow.Implementer: {writes("a"), writes("b"), writes("c")}}, gate: []engine.GateOutcome{green}}, &looks{says: tt.says, err: tt.err}
			end, j := seen(t, w, h)
			if end.Code != tt.ends || end.AttemptsUsed != tt.rounds || len(h.asked) != tt.looks {
				t.Errorf("ended with %s (%s) after %d rounds and %d looks", end.Code, end.Detail, end.AttemptsUsed, len(h.asked))
			}
			if !has(j.kinds, ledger.TypeVisualRun) {
				t.Error("the look is not in the ledger")
			}
			if got := labels(j); !slices.Equal(got, []string{"visual_harness"}) {
				t.Errorf("the lines of the browser are labelled %q", got)
			}
			if tt.rounds > 0 && !slices.Contains(keys(j.files), "r1/context/fix-1-browser.md") {
				t.Errorf("the writer was told in %v", keys(j.files))
			}
		})
	}
}

// TestNobodyIsPaidForABlindRun stops where no page could be seen, with the look in the
// ledger, before anybody is asked.
func TestNobodyIsPaidForABlindRun(t *testing.T) {
	t.Parallel()
	none := unseen(outcome.VisualUnavailable)
	for name, h := range map[string]*looks{
		"BR-21 no browser":  {says: []ledger.VisualRun{shown}, blind: &none},
		"it cannot be told": {says: []ledger.VisualRun{shown}, fails: errors.New("no place for a report")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := &world{role: turns{workflow.Implementer: {writes("a")}}, gate: []engine.GateOutcome{green}}
			end, j := seen(t, w, h)
			if end.Code != outcome.VisualUnavailable || end.Detail == "" || end.Stage != "browser" {
				t.Errorf("ended with %s at %q: %s", end.Code, end.Stage, end.Detail)
			}
			if len(w.calls)+w.gates+len(h.asked) > 0 || end.RoleRuns > 0 {
				t.Errorf("%d roles, %d gates and %d looks were asked first", len(w.calls), w.gates, len(h.asked))
			}
			if got := labels(j); !slices.Equal(got, []string{"visual_harness"}) || has(j.kinds, ledger.TypeStageStarted) {
				t.Errorf("the look is written as %q in %v", got, j.kinds)
			}
		})
	}
}

// TestBrowserSeesAnotherContract stops where the preview changed the contract.
func TestBrowserSeesAnotherContract(t *testing.T) {
	t.Parallel()
	w := &world{role: turns{workflow.Implementer: {writes("a")}}, gate: []engine.GateOutcome{green}}
	end, _ := seen(t, w, &looks{says: []ledger.VisualRun{shown}, after: engine.Tree{Source: "a", Contract: []string{"baselines/x.png modified"}}})
	if end.Code != outcome.ContractMutated || len(end.ContractFiles) != 1 {
		t.Errorf("ended with %s, %v", end.Code, end.ContractFiles)
	}
}

// TestNobodyLooks refuses a task that requires a look which no stage takes.
func TestNobodyLooks(t *testing.T) {
	t.Parallel()
	w := &world{role: turns{}}
	for name, h := range map[string]*looks{"without a harness": nil, "BR-16 without a stage": {says: []ledger.VisualRun{shown}}} {
		t.Run(name, func(t *testing.T) {
			spec := engine.Spec{RunID: "r1", Task: task(), Steps: steps(t)}
			spec.Task.Visual.Required, spec.Task.Visual.Scenarios = true, []string{"no-console-errors"}
			e := &engine.Engine{Journal: &journal{}, Eyes: w, Roles: w, Gates: w, Now: func() time.Time { return time.Unix(1, 0) }}
			if h != nil {
				e.Harness = h
			}
			end, err := e.Run(context.Background(), spec)
			if err != nil || end.Code != outcome.StageUnsupported || end.RoleRuns != 0 {
				t.Errorf("ended with %s after %d calls: %v", end.Code, end.RoleRuns, err)
			}
		})
	}
}

// labels are those that the lines of a browser stage carry, each once.
func labels(j *journal) []string {
	var out []string
	for _, d := range j.data {
		label := ""
		switch p := d.(type) {
		case ledger.StageStarted:
			if p.Run == string(workflow.RunBrowser) {
				label = p.Label
			}
		case ledger.VisualRun:
			label = p.Label
		}
		if label != "" && !slices.Contains(out, label) {
			out = append(out, label)
		}
	}
	return out
}
