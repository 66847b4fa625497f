package ledger_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/redact"
	"github.com/tolboy/warden/internal/usage"
)

// clock gives every event of a test its own time.
type clock struct{ now time.Time }

func newClock() *clock {
	return &clock{time.Date(2026, 11, 30, 12, 0, 0, 123456789, time.UTC)}
}

func (c *clock) tick() time.Time {
	c.now = c.now.Add(1500 * time.Millisecond)
	return c.now
}

func head(id string) ledger.RunHead {
	return ledger.RunHead{
		RunID: id, TaskID: "add-button", ReservedAt: newClock().now,
		Owner:      ledger.Owner{Kind: "cli", ID: "maria", Host: "build-1", PID: 4711, Started: newClock().now},
		Forge:      &ledger.ForgeRef{Kind: "github", Repo: "octo/shop", Issue: 7, LabelEventID: 99, Actor: ledger.Actor{ID: 5, Login: "maria"}, Trigger: "label"},
		BaseCommit: "1111111111111111111111111111111111111111", StartCommit: "1111111111111111111111111111111111111111",
		Branch: "warden/issue-7-add-button", GoalSHA256: "aa", TaskSHA256: "bb", ContractSHA256: "cc", PolicySHA256: "dd",
		WardenVersion: "0.3.0", Confinement: "bubblewrap", Chain: ledger.Chain{CostUSD: usage.Known(0.5)},
	}
}

func create(t *testing.T, runsDir, id string, values ...string) *ledger.Run {
	t.Helper()
	r, err := ledger.Create(runsDir, head(id), set(t, values...))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func set(t *testing.T, values ...string) *redact.Set {
	t.Helper()
	s, err := redact.New(values...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// step is one event of a sample run, with the files that it names.
type step struct {
	typ   string
	data  any
	files map[string]string // by path without the run id
}

func candidate() *ledger.Candidate {
	return &ledger.Candidate{Commit: "2222222222222222222222222222222222222222", Fingerprint: "f00d", Files: 2}
}

// sampleSteps is a run that goes through most of what can happen.
func sampleSteps() []step {
	call := ledger.VendorCall{VendorAttempt: 1, Profile: "codex-implement", Vendor: "codex", OK: true, Code: outcome.OK,
		DurationMillis: usage.Known(1200), Usage: usage.Call{CostUSD: usage.Known(0.25)}}
	return []step{
		{typ: ledger.TypeRunReserved, data: ledger.RunReserved{Project: "shop", Goal: "Add a <b>button</b> & more", Risk: "medium", Scope: []string{"src"}, Acceptance: []string{"make test"}}},
		{typ: ledger.TypeStageStarted, data: ledger.StageStarted{Stage: "implement", Label: "implementer", Run: "role", Role: "implementer", Position: 1, Of: 3}},
		{typ: ledger.TypeVendorCallStarted, data: ledger.VendorCallStarted{CallID: "c1", Stage: "implement", Role: "implementer", Profile: "codex-implement", Vendor: "codex", RoleRuns: 1}},
		{typ: ledger.TypeRoleRun, data: ledger.RoleRun{Stage: "implement", Label: "implementer", Role: "implementer", OK: true, Code: outcome.OK, Calls: []ledger.VendorCall{call}},
			files: map[string]string{"--implementer-0/artifacts/implementer.json": `{"ok":true}`, "--implementer-0/raw/implementer.stdout.txt": "words\n", "--implementer-0/prompts/implementer.md": "do it"}},
		{typ: ledger.TypeMachineGate, data: ledger.GateRun{Stage: "gates", Label: "gates", Code: outcome.CommandFailed, Commands: []ledger.GateCommand{{Index: 1, Command: "make test", ExitCode: 2, Stdout: "out", Stderr: "err"}}},
			files: map[string]string{"--gates-0/machine-gate.json": `{"ok":false}`}},
		{typ: ledger.TypeFixRound, data: ledger.FixRound{Attempt: 1, Of: 2, Stage: "gates", Kind: "gates", Code: outcome.CommandFailed, FixWith: "implementer"},
			files: map[string]string{"/context/fix-1-gates.md": "the tests are red"}},
		{typ: ledger.TypeMachineGate, data: ledger.GateRun{Stage: "gates", Label: "gates", Attempt: 1, OK: true, Code: outcome.Passed},
			files: map[string]string{"--gates-1/machine-gate.json": `{"ok":true}`}},
		{typ: ledger.TypeReadyForHuman, data: ledger.Ending{OK: true, Code: outcome.ReadyForHuman, NextAction: "human_gate", Candidate: candidate(), RoleRuns: 1}},
		{typ: ledger.TypeIntent, data: ledger.Intent{Key: "open-pr", Purpose: "open_pull_request"}},
		{typ: ledger.TypeDone, data: ledger.Done{Key: "open-pr", Purpose: "open_pull_request", OK: true, Number: 8}},
		{typ: ledger.TypeHumanDecision, data: ledger.HumanDecision{Kind: "success", Decision: "accept", Actor: ledger.Actor{ID: 5, Login: "maria"}, Source: "review"}},
	}
}

// play writes the first n steps.
func play(t *testing.T, r *ledger.Run, steps []step) {
	t.Helper()
	c := newClock()
	for _, s := range steps {
		appendStep(t, r, c, s)
	}
}

func appendStep(t *testing.T, r *ledger.Run, c *clock, s step) ledger.Line {
	t.Helper()
	var files []ledger.File
	for _, name := range sortedKeys(s.files) {
		f, err := r.WriteFile(r.ID()+name, []byte(s.files[name]))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	line, err := r.Append(s.typ, c.tick(), s.data, files...)
	if err != nil {
		t.Fatal(err)
	}
	return line
}

func verify(t *testing.T, dir, id, against string, opt ledger.VerifyOptions) ledger.Verification {
	t.Helper()
	v, err := ledger.Verify(dir, id, against, opt)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func mustVerify(t *testing.T, dir, id, against string) ledger.Verification {
	t.Helper()
	v := verify(t, dir, id, against, ledger.VerifyOptions{})
	if !v.OK || v.First != "" || v.Anchored != (against != "") {
		t.Fatalf("does not verify: %+v", v)
	}
	return v
}

func readFile(t testing.TB, parts ...string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func writeFile(t *testing.T, data []byte, parts ...string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(parts...), data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func sortedKeys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }

// files returns everything below a directory, by name.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		out[path] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(fmt.Errorf("walk: %w", err))
	}
	return out
}
