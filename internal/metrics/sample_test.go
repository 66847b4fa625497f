package metrics_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/metrics"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/usage"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 123456789, time.UTC)

// event is one event of a made run. data is a payload struct, or JSON as an older
// or newer version would have written it.
type event struct {
	typ  string
	data any
}

// chain writes events as the ledger writes them, without syncing each line.
func chain(t testing.TB, head ledger.RunHead, events ...event) (run, evidence []byte) {
	t.Helper()
	head.SchemaVersion = ledger.SchemaVersion
	run = encode(t, head)
	before := digest(run)
	var all bytes.Buffer
	for i, e := range events {
		line := encode(t, ledger.Line{Seq: i + 1, Prev: before, At: noon.Add(time.Duration(i) * time.Second), Type: e.typ, Data: encode(t, e.data)})
		before = digest(line)
		all.Write(append(line, '\n'))
	}
	return run, all.Bytes()
}

// lay puts a run into a runs directory.
func lay(t testing.TB, runs, id string, events ...event) {
	t.Helper()
	run, evidence := chain(t, ledger.RunHead{RunID: id, TaskID: "t", ReservedAt: noon}, events...)
	put(t, run, runs, id, "run.json")
	put(t, evidence, runs, id, "evidence.jsonl")
}

func put(t testing.TB, data []byte, parts ...string) {
	t.Helper()
	name := filepath.Join(parts...)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// spoil replaces text in a file of a run, which must hold it.
func spoil(t testing.TB, from, to string, parts ...string) {
	t.Helper()
	data := content(t, parts...)
	changed := strings.Replace(data, from, to, 1)
	if changed == data {
		t.Fatalf("%s does not hold %q", filepath.Join(parts...), from)
	}
	put(t, []byte(changed), parts...)
}

func content(t testing.TB, parts ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func encode(t testing.TB, v any) []byte {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// fold folds one run of the events.
func fold(t testing.TB, events ...event) metrics.Metrics {
	t.Helper()
	runs := t.TempDir()
	lay(t, runs, "r1", events...)
	l := readAll(t, runs)
	if !l.Complete {
		t.Fatalf("the ledger does not verify: %+v", l.Unverified)
	}
	return l.Metrics
}

func readAll(t testing.TB, runs string) metrics.Ledger {
	t.Helper()
	l, err := metrics.Read(runs)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

var (
	start = event{ledger.TypeRunReserved, ledger.RunReserved{Project: "shop", Goal: "Fix the button", Risk: "medium"}}
	ready = event{ledger.TypeReadyForHuman, ledger.Ending{OK: true, Code: outcome.ReadyForHuman, NextAction: "human_gate"}}
)

func stopped(code outcome.Code) event {
	return event{ledger.TypeStopped, ledger.Ending{Code: code, NextAction: "human_escalation"}}
}

func calling(id, role string) event {
	return event{ledger.TypeVendorCallStarted, ledger.VendorCallStarted{CallID: id, Role: role, Profile: "codex-implement", Vendor: "codex", Model: "gpt-5"}}
}

// priced is a call that told everything.
func priced(id string, cost, in, out, ms float64) ledger.VendorCall {
	return ledger.VendorCall{CallID: id, VendorAttempt: 1, Profile: "codex-implement", Vendor: "codex", Runner: "direct", Model: "gpt-5", OK: true, Code: outcome.OK,
		DurationMillis: usage.Known(ms), Usage: usage.Call{CostUSD: usage.Known(cost), Input: usage.Known(in), Output: usage.Known(out)}}
}

// silent is a call that told nothing.
func silent(id string) ledger.VendorCall {
	return ledger.VendorCall{CallID: id, VendorAttempt: 1, Profile: "grok-review", Vendor: "grok", Runner: "direct", OK: true, Code: outcome.OK}
}

func dispatch(role string, calls ...ledger.VendorCall) event {
	return event{ledger.TypeRoleRun, ledger.RoleRun{Stage: role, Label: role, Role: role, OK: true, Code: outcome.OK, Calls: calls}}
}

// ordinary is a run as long as real ones are.
func ordinary(id string) []event {
	told := strings.Repeat("what the vendor said of it, in a line as long as such lines are; ", 18)
	write, read := priced(id+"#1", 0.25, 1000, 200, 90000), priced(id+"#2", 0.125, 3000, 100, 40000)
	write.StdoutTail, read.StdoutTail, write.Argv = told, told, []string{"codex", "exec", "--json", "<prompt>"}
	read.Profile, read.Vendor = "grok-review", "grok"
	events := []event{start, calling(id+"#1", "implementer"), dispatch("implementer", write),
		{ledger.TypeMachineGate, ledger.GateRun{Stage: "gates", Label: "gates", OK: true, Code: outcome.Passed, Commands: []ledger.GateCommand{{Index: 1, Command: "make test", Stdout: told[:400]}}}},
		calling(id+"#2", "reviewer"), dispatch("reviewer", read), ready,
		{ledger.TypeDecisionPending, ledger.DecisionPending{Kind: "success", Options: []string{"accept", "reject"}}},
	}
	for i := range 12 {
		key := fmt.Sprintf("check:%s:%d", id, i)
		events = append(events, event{ledger.TypeIntent, ledger.Intent{Key: key, Purpose: "check", Detail: told[:60]}}, event{ledger.TypeDone, ledger.Done{Key: key, Purpose: "check", OK: true, URL: told[:100]}})
	}
	return append(events, event{ledger.TypeHumanDecision, ledger.HumanDecision{Kind: "success", Decision: "accept", Source: "review", WaitMillis: 60000}})
}
