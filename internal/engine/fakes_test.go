package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tolboy/warden/internal/budget"
	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/engine"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/usage"
	"github.com/tolboy/warden/internal/workflow"
)

// journal keeps what the engine wrote, and fails from a given line on.
type journal struct {
	kinds  []string
	data   []any
	files  map[string]string
	failAt int
}

var errDisk = errors.New("no space left on device")

func (j *journal) Append(kind string, at time.Time, data any, _ ...ledger.File) (ledger.Line, error) {
	if j.failAt > 0 && len(j.kinds)+1 >= j.failAt {
		return ledger.Line{}, errDisk
	}
	if _, err := json.Marshal(data); err != nil {
		return ledger.Line{}, err
	}
	j.kinds, j.data = append(j.kinds, kind), append(j.data, data)
	return ledger.Line{Seq: len(j.kinds), At: at, Type: kind}, nil
}

func (j *journal) WriteFile(path string, data []byte) (ledger.File, error) {
	if j.files == nil {
		j.files = map[string]string{}
	}
	j.files[path] = string(data)
	return ledger.File{Path: path, Bytes: int64(len(data))}, nil
}

// world is a tree, its judges and its writers, all in memory.
type world struct {
	tree     engine.Tree
	role     map[string][]func(*world, engine.RoleCall) engine.RoleOutcome // turns by role
	gate     []engine.GateOutcome
	refuse   *engine.Refusal
	calls    []engine.RoleCall
	gates    int
	crossed  []string
	stopAt   string
	checking func(time.Duration)     // called while the gates run
	atMost   float64                 // what a call costs at most
	dry      map[string]outcome.Code // how the dry dispatch of a role ends, if not well
}

func (w *world) Look(context.Context) (engine.Tree, error) { return w.tree, nil }

func (w *world) Preflight(context.Context, []workflow.Step) *engine.Refusal { return w.refuse }

func (w *world) Dispatch(_ context.Context, call engine.RoleCall) (engine.RoleOutcome, error) {
	if call.DryRun {
		if code := w.dry[call.Role]; code != "" {
			return engine.RoleOutcome{RoleRun: ledger.RoleRun{Code: code, Detail: "as scripted for " + call.Role}}, nil
		}
		return engine.RoleOutcome{RoleRun: ledger.RoleRun{OK: true, Code: outcome.OK}}, nil
	}
	if refusal := call.Charge(ledger.VendorCallStarted{Profile: call.Role, Vendor: call.Role, MaxCostUSD: w.atMost}); refusal != nil {
		return engine.RoleOutcome{RoleRun: ledger.RoleRun{Code: refusal.Code, Detail: refusal.Detail}, After: w.tree}, nil
	}
	w.calls = append(w.calls, call)
	turns := w.role[call.Role]
	if len(turns) == 0 {
		return engine.RoleOutcome{}, fmt.Errorf("no turn left for %s", call.Role)
	}
	out := turns[0](w, call)
	if len(turns) > 1 {
		w.role[call.Role] = turns[1:]
	}
	call.Settle(usage.Call{CostUSD: usage.Known(0.01)})
	out.Vendor, out.After = call.Role, w.tree
	out.ReadOnly = call.Role == "reviewer"
	out.Calls = []ledger.VendorCall{{Vendor: call.Role}}
	return out, nil
}

func (w *world) Run(_ context.Context, _ string, checks engine.Checks, limit time.Duration) (engine.GateOutcome, error) {
	if w.checking != nil {
		w.checking(limit)
	}
	out := w.gate[min(w.gates, len(w.gate)-1)]
	w.gates++
	out.After = w.tree
	return out, nil
}

func (w *world) Cross(_ context.Context, next string, _ time.Duration) *engine.Refusal {
	w.crossed = append(w.crossed, next)
	if next == w.stopAt {
		return &engine.Refusal{Code: outcome.Stopped, Detail: "a person said stop"}
	}
	return nil
}

func (w *world) Charged(context.Context) *engine.Refusal { return nil }

// writes is a turn of the implementer that moves the tree.
func writes(tree string) func(*world, engine.RoleCall) engine.RoleOutcome {
	return func(w *world, _ engine.RoleCall) engine.RoleOutcome {
		w.tree.Source, w.tree.Changed = tree, []string{"greeting.txt"}
		return engine.RoleOutcome{RoleRun: ledger.RoleRun{OK: true, Code: outcome.OK}}
	}
}

// objects is a turn of the reviewer with blocking findings of these ids.
func objects(ids ...string) func(*world, engine.RoleCall) engine.RoleOutcome {
	return func(*world, engine.RoleCall) engine.RoleOutcome {
		run := ledger.RoleRun{OK: true, Code: outcome.OK, Verdict: "fail", Summary: "not yet"}
		for _, id := range ids {
			run.Findings = append(run.Findings, outcome.Finding{ID: id, Severity: outcome.P1, Path: "greeting.txt", Message: "wrong"})
		}
		return engine.RoleOutcome{RoleRun: run}
	}
}

func ends(code outcome.Code) func(*world, engine.RoleCall) engine.RoleOutcome {
	return func(*world, engine.RoleCall) engine.RoleOutcome {
		return engine.RoleOutcome{RoleRun: ledger.RoleRun{OK: code == outcome.OK, Code: code, Detail: "as scripted"}}
	}
}

var (
	green = engine.GateOutcome{GateRun: ledger.GateRun{OK: true, Code: outcome.Passed}}
	red   = engine.GateOutcome{GateRun: ledger.GateRun{Code: outcome.CommandFailed, Message: "check.sh: exit status 1"}, Failure: "check.sh says no"}
)

func steps(t *testing.T) []workflow.Step {
	t.Helper()
	return workflow.Resolve(workflow.BuiltIn(), workflow.Facts{Risk: "medium", ReviewRequired: true, Configured: func(string) bool { return true }})
}

func task() contract.Task {
	return contract.Task{ID: "t1", Goal: "say hello", Risk: "medium", Scope: []string{"greeting.txt"}, Acceptance: []string{"sh check.sh"}, MaxFixAttempts: 2, MaxRoleRuns: 6, Timeout: time.Minute}
}

func drive(t *testing.T, w *world, j *journal, spec engine.Spec) (ledger.Ending, error) {
	t.Helper()
	e := &engine.Engine{Journal: j, Eyes: w, Roles: w, Gates: w, Boundary: w, Now: func() time.Time { return time.Unix(1, 0) }}
	spec.RunID, spec.Steps = "r1", steps(t)
	if spec.Task.ID == "" {
		spec.Task = task()
	}
	if spec.Limits.Calls == 0 {
		spec.Limits = budget.Limits{Calls: spec.Task.MaxRoleRuns, Reserve: budget.Full}
	}
	return e.Run(t.Context(), spec)
}

func has(kinds []string, kind string) bool { return slices.Contains(kinds, kind) }

func contains(s, part string) bool { return strings.Contains(s, part) }
