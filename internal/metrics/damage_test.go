package metrics_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/metrics"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/usage"
)

func TestVerdicts(t *testing.T) {
	t.Parallel()
	runs := t.TempDir()
	lay(t, runs, "a-passed", start, ready)
	lay(t, runs, "b-failed", start, stopped(outcome.ImplementerFailed))
	lay(t, runs, "c-open", start, event{ledger.TypeMachineGate, ledger.GateRun{OK: true}})
	run, evidence := chain(t, ledger.RunHead{RunID: "d-dry", DryRun: true}, start, event{ledger.TypeReadyForHuman, ledger.Ending{OK: true, Code: outcome.DryRun}})
	put(t, run, runs, "d-dry", "run.json")
	put(t, evidence, runs, "d-dry", "evidence.jsonl")
	lay(t, runs, "e-reserved")
	put(t, []byte("{}"), runs, "f-gates--gates-0", "machine-gate.json") // of `warden gates`
	put(t, []byte("{}"), runs, "a-passed--gates-0", "machine-gate.json")
	put(t, nil, runs, "g-cut", "evidence.jsonl")
	put(t, []byte("*"), runs, ".gitignore")
	l := readAll(t, runs)
	same(t, "runs", []metrics.Run{{RunID: "a-passed", Verdict: metrics.Passed, Events: 2}, {RunID: "b-failed", Verdict: metrics.Failed, Events: 2}, {RunID: "c-open", Verdict: metrics.Unfinished, Events: 2}, {RunID: "d-dry", Verdict: metrics.DryRun, Events: 2},
		{RunID: "e-reserved", Verdict: metrics.NoEvidence}, {RunID: "f-gates", Verdict: metrics.NoEvidence}, {RunID: "g-cut", Verdict: metrics.NoEvidence}}, l.Runs)
	same(t, "counts", []int{7, 1, 1, 1, 1, 3}, []int{l.RunCount, l.Passed, l.Failed, l.Unfinished, l.DryRuns, l.NoEvidence})
}

func TestDamage(t *testing.T) {
	t.Parallel()
	good := []event{start, calling("a", "implementer"), dispatch("implementer", priced("a", 1.5, 1, 1, 10)), ready}
	for _, tt := range []struct {
		name, code, first string
		harm              func(t *testing.T, runs string)
	}{
		{"LR-08 a line was altered", ledger.CodeAltered, "line 4", func(t *testing.T, runs string) {
			spoil(t, `"cost_usd":1.5`, `"cost_usd":0.5`, runs, "bad", "evidence.jsonl")
		}},
		{"LR-08 the last line was altered", ledger.CodeAltered, "line 4", func(t *testing.T, runs string) {
			spoil(t, `"reason":"ready_for_human"`, `"reason":7`, runs, "bad", "evidence.jsonl")
		}},
		{"a line was taken away", ledger.CodeAltered, "line 2", func(t *testing.T, runs string) {
			lines := strings.SplitAfter(content(t, runs, "bad", "evidence.jsonl"), "\n")
			put(t, []byte(lines[0]+lines[2]+lines[3]), runs, "bad", "evidence.jsonl")
		}},
		{"the head was altered", ledger.CodeAltered, "run.json", func(t *testing.T, runs string) {
			spoil(t, `"task_id":"t"`, `"task_id":"u"`, runs, "bad", "run.json")
		}},
		{"the head is of another run", ledger.CodeAltered, "run.json", func(t *testing.T, runs string) {
			spoil(t, `"run_id":"bad"`, `"run_id":"bed"`, runs, "bad", "run.json")
		}},
		{"the head is missing", ledger.CodeAltered, "run.json", func(t *testing.T, runs string) { remove(t, runs, "bad", "run.json") }},
		{"the chain is missing", ledger.CodeAltered, "evidence.jsonl", func(t *testing.T, runs string) { remove(t, runs, "bad", "evidence.jsonl") }},
		{"LR-06 a run was copied beside itself", ledger.CodeAltered, "run.json", func(t *testing.T, runs string) {
			for _, name := range []string{"run.json", "evidence.jsonl"} {
				put(t, []byte(content(t, runs, "good", name)), runs, "bad", name)
			}
		}},
		{"a call was made after the work had ended", ledger.CodeAltered, "line 4", func(t *testing.T, runs string) {
			lay(t, runs, "bad", start, good[1], ready, good[2], good[2])
		}},
		{"the last line was cut off", ledger.CodeTorn, "line 5", func(t *testing.T, runs string) {
			put(t, []byte(content(t, runs, "bad", "evidence.jsonl")+`{"seq":5,"prev`), runs, "bad", "evidence.jsonl")
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			runs := t.TempDir()
			lay(t, runs, "bad", good...)
			lay(t, runs, "good", start, dispatch("implementer", priced("b", 0.25, 1, 1, 10)), ready)
			tt.harm(t, runs)
			l := readAll(t, runs)
			if len(l.Unverified) != 1 || l.Unverified[0].RunID != "bad" || l.Unverified[0].Code != tt.code || !strings.HasPrefix(l.Unverified[0].First, tt.first) {
				t.Errorf("unverified: %+v", l.Unverified)
			}
			// Verify has no ledger to look at where run.json is gone.
			v, err := ledger.Verify(runs, "bad", "", ledger.VerifyOptions{})
			if err == nil && (v.Code != tt.code || v.First != l.Unverified[0].First) {
				t.Errorf("verify says %s %q, the ledger %+v", v.Code, v.First, l.Unverified[0])
			}
			same(t, "cost", metrics.Sum{Known: 1, AtLeast: usage.Known(0.25)}, l.Metrics.Telemetry.CostUSD)
			if l.RunCount != 2 || l.Complete || l.Metrics.Iterations.FixRoundsUnknown != 1 || l.Runs[0].Verdict != metrics.Damaged {
				t.Errorf("read %+v", l)
			}
			if p := l.Metrics.Telemetry.Duration.P95; p != (usage.Amount{}) {
				t.Errorf("p95 is %v with a ledger missing", p)
			}
		})
	}
}

func remove(t *testing.T, parts ...string) {
	t.Helper()
	if err := os.Remove(filepath.Join(parts...)); err != nil {
		t.Fatal(err)
	}
}

func TestNewerEvents(t *testing.T) {
	t.Parallel()
	t.Run("LR-08 an event of a newer version takes the exact sums away", func(t *testing.T) {
		t.Parallel()
		runs := t.TempDir()
		lay(t, runs, "r1", start, dispatch("implementer", priced("a", 1.5, 1, 1, 10)), event{"telepathy", map[string]int{"cost_usd": 9}}, ready)
		l := readAll(t, runs)
		same(t, "not understood", []metrics.Newer{{RunID: "r1", Events: 1}}, l.NotUnderstood)
		same(t, "cost", metrics.Sum{Known: 1, AtLeast: usage.Known(1.5)}, l.Metrics.Telemetry.CostUSD)
		if l.Complete || l.Passed != 1 || len(l.Unverified) != 0 {
			t.Errorf("read %+v", l)
		}
	})
}

func TestNamesThatAreNoRuns(t *testing.T) {
	t.Parallel()
	runs := t.TempDir()
	lay(t, runs, "elsewhere", start, ready)
	if err := os.Symlink("elsewhere", filepath.Join(runs, "linked")); err != nil {
		t.Fatal(err)
	}
	put(t, nil, runs, "two words", "x")
	l := readAll(t, runs)
	if len(l.Unverified) != 2 || l.Unverified[0].Code != ledger.CodeAltered || l.Unverified[1].Code != metrics.CodeUnsafe || l.RunCount != 3 {
		t.Errorf("unverified: %+v", l.Unverified)
	}
}

func TestMissingDirectory(t *testing.T) {
	t.Parallel()
	l := readAll(t, filepath.Join(t.TempDir(), "none"))
	if l.RunCount != 0 || !l.Complete || l.Runs == nil || l.Unverified == nil {
		t.Errorf("read %+v", l)
	}
}
