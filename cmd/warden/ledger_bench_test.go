package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/usage"
)

// BenchmarkLedger times `warden ledger` as a whole process over 1,000 and over 10,000
// runs: without an index, as the first time, and with one. The targets are a second for
// the 10,000, and ten times the time of the 1,000.
func BenchmarkLedger(b *testing.B) {
	program := filepath.Join(b.TempDir(), "warden")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		b.Fatalf("build: %v\n%s", err, out)
	}
	few, many := history(b, 1000), history(b, 10000)
	type spent struct{ wall, cpu time.Duration }
	var first, again [2]spent
	for b.Loop() {
		for i, dir := range []string{few, many} {
			state := b.TempDir()
			for _, s := range []*spent{&first[i], &again[i]} {
				wall, cpu := sums(b, program, dir, state, []int{1000, 10000}[i])
				s.wall, s.cpu = s.wall+wall, s.cpu+cpu
			}
		}
	}
	n := float64(b.N)
	b.ReportMetric(first[1].wall.Seconds()/n, "s/10000-first")
	b.ReportMetric(first[1].cpu.Seconds()/n, "cpu-s/10000-first")
	b.ReportMetric(again[1].wall.Seconds()/n, "s/10000-again")
	b.ReportMetric(again[1].cpu.Seconds()/n, "cpu-s/10000-again")
	b.ReportMetric(float64(first[1].cpu)/float64(first[0].cpu)/10, "x-per-run-first")
	b.ReportMetric(float64(again[1].cpu)/float64(again[0].cpu)/10, "x-per-run-again")
}

// sums runs the program once over n runs and checks what it says.
func sums(b *testing.B, program, dir, state string, n int) (wall, cpu time.Duration) {
	b.Helper()
	cmd := exec.Command(program, "ledger", "--project", dir)
	cmd.Env = append(os.Environ(), "WARDEN_STATE_DIR="+state)
	began := time.Now()
	out, err := cmd.Output()
	wall = time.Since(began)
	var told struct {
		Passed   int
		Complete bool
		Metrics  struct {
			RoleRuns struct{ Total int } `json:"role_runs"`
		}
	}
	if err != nil || json.Unmarshal(out, &told) != nil || told.Passed != n || !told.Complete || told.Metrics.RoleRuns.Total != 2*n {
		b.Fatalf("of %d runs it says %+v: %v", n, told, err)
	}
	return wall, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

// history is a project with n runs, each as long as real ones are, and of its own chain.
func history(b *testing.B, n int) string {
	b.Helper()
	dir := b.TempDir()
	runs := filepath.Join(dir, ".warden", "runs")
	if err := os.MkdirAll(runs, 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".warden", "project.yaml"), nil, 0o644); err != nil {
		b.Fatal(err)
	}
	size := 0
	for i := range n {
		size += oneRun(b, runs, fmt.Sprintf("issue-%d-1", i))
	}
	b.Logf("%d runs of %d bytes", n, size/n)
	return dir
}

// oneRun writes one run without syncing each line, and returns the size of its chain.
func oneRun(b *testing.B, runs, id string) int {
	b.Helper()
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	told := strings.Repeat("what the vendor said of it, in a line as long as such lines are; ", 18)
	call := func(k, vendor string) ledger.VendorCall {
		return ledger.VendorCall{CallID: id + k, VendorAttempt: 1, Profile: vendor, Vendor: vendor, Runner: "direct", Model: vendor + "-1", OK: true, Code: outcome.OK, StdoutTail: told,
			DurationMillis: usage.Known(4000), Usage: usage.Call{CostUSD: usage.Known(0.25), Input: usage.Known(1000), Output: usage.Known(200)}}
	}
	type event struct {
		typ  string
		data any
	}
	events := []event{{ledger.TypeRunReserved, ledger.RunReserved{Project: "shop", Goal: "Fix the button", Risk: "medium"}}}
	for i, role := range []string{"implementer", "reviewer"} {
		c := call(fmt.Sprint("#", i), []string{"codex", "grok"}[i])
		events = append(events, event{ledger.TypeVendorCallStarted, ledger.VendorCallStarted{CallID: c.CallID, Role: role, Profile: c.Profile, Vendor: c.Vendor}},
			event{ledger.TypeRoleRun, ledger.RoleRun{Stage: role, Label: role, Role: role, OK: true, Code: outcome.OK, Calls: []ledger.VendorCall{c}}})
	}
	events = append(events, event{ledger.TypeMachineGate, ledger.GateRun{Stage: "gates", OK: true, Code: outcome.Passed, Commands: []ledger.GateCommand{{Index: 1, Command: "make test", Stdout: told[:400]}}}},
		event{ledger.TypeReadyForHuman, ledger.Ending{OK: true, Code: outcome.ReadyForHuman, NextAction: "human_gate"}})
	for i := range 12 {
		key := fmt.Sprintf("check:%s:%d", id, i)
		events = append(events, event{ledger.TypeIntent, ledger.Intent{Key: key, Purpose: "check", Detail: told[:60]}}, event{ledger.TypeDone, ledger.Done{Key: key, Purpose: "check", OK: true, URL: told[:100]}})
	}
	events = append(events, event{ledger.TypeHumanDecision, ledger.HumanDecision{Kind: "success", Decision: "accept", Source: "review", WaitMillis: 60000}})
	encode := func(v any) []byte {
		raw, err := json.Marshal(v)
		if err != nil {
			b.Fatal(err)
		}
		return raw
	}
	hash := func(raw []byte) string { sum := sha256.Sum256(raw); return hex.EncodeToString(sum[:]) }
	head := encode(ledger.RunHead{SchemaVersion: ledger.SchemaVersion, RunID: id, TaskID: "t", ReservedAt: at})
	before := hash(head)
	var all bytes.Buffer
	for i, e := range events {
		line := encode(ledger.Line{Seq: i + 1, Prev: before, At: at.Add(time.Duration(i) * time.Second), Type: e.typ, Data: encode(e.data)})
		before = hash(line)
		all.Write(append(line, '\n'))
	}
	dir := filepath.Join(runs, id)
	for name, data := range map[string][]byte{"run.json": head, "evidence.jsonl": all.Bytes()} {
		if err := errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, name), data, 0o644)); err != nil {
			b.Fatal(err)
		}
	}
	return all.Len()
}
