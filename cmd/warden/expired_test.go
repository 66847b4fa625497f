package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tolboy/warden/internal/decision"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/provoked"
)

// A question whose time has passed takes an answer that permits from nobody but a
// person who says that they know; it takes one that refuses as ever.
func TestExpiredQuestion(t *testing.T) {
	t.Parallel()
	first, repo := prepared(t, build(t), "status")
	runs := filepath.Join(repo, ".warden", "runs")
	project := filepath.Join(repo, ".warden", "project.yaml")
	text, err := os.ReadFile(project)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(project, append(text, "  gate_ttl_hours: 1\n"...), 0o644); err != nil {
		t.Fatal(err)
	}
	warden := func(args ...string) (answer map[string]any, status int) {
		t.Helper()
		cmd := *first
		cmd.Args, cmd.Err = append([]string{cmd.Args[0]}, args...), nil
		var out, said bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &said
		_ = cmd.Run()
		if err := json.Unmarshal(out.Bytes(), &answer); err != nil {
			t.Fatalf("warden %v: %v\n%s%s", args, err, out.String(), said.String())
		}
		if err := provoked.Note(out.Bytes()); err != nil {
			t.Error(err)
		}
		return answer, cmd.ProcessState.ExitCode()
	}
	for _, id := range []string{"e1", "e2"} {
		expiredRun(t, runs, id)
	}
	got, status := warden("approve", "e1", "--decision", "retry")
	if status != 1 || got["code"] != "gate_expired" || !strings.Contains(fmt.Sprint(got), "--acknowledge-expired") {
		t.Errorf("a retry too late: %d %v", status, got)
	}
	if s, err := decision.Load(runs, "e1"); err != nil || s.State != decision.Pending {
		t.Errorf("it was recorded: %+v, %v", s, err)
	}
	if got, status = warden("approve", "e2", "--decision", "abort"); status != 0 {
		t.Errorf("an abort too late: %d %v", status, got)
	}
	if got, status = warden("approve", "e1", "--decision", "retry", "--acknowledge-expired"); status != 0 {
		t.Errorf("a retry by somebody who knows: %d %v", status, got)
	}
	chain, err := os.ReadFile(filepath.Join(runs, "e1", "evidence.jsonl"))
	if err != nil || !bytes.Contains(chain, []byte(`"acknowledged_expired":true`)) {
		t.Errorf("the ledger does not say that they knew: %v", err)
	}
	sealed(t, repo, "e1")

	if got, status = warden("do", "--in-place", "--scope", "sign", "--run-id", "n1", "Put a greeting into greeting.txt"); status != 0 {
		t.Fatalf("a run: %d %v", status, got)
	}
	s, err := decision.Load(runs, "n1")
	if err != nil || s.ExpiresAt.Sub(s.CreatedAt) != time.Hour {
		t.Errorf("asked at %s it expires at %s: %v", s.CreatedAt, s.ExpiresAt, err)
	}
	until := s.ExpiresAt.UTC().Format(time.RFC3339Nano)
	for _, args := range [][]string{{"status"}, {"status", "n1"}, {"status", "--worktrees"}} {
		if got, _ = warden(args...); !strings.Contains(fmt.Sprint(got), "expires_at:"+until) {
			t.Errorf("%v does not say that it expires at %s: %v", args, until, got)
		}
	}
	if got, status = warden("approve", "n1", "--decision", "accept"); status != 0 {
		t.Errorf("an accept in time: %d %v", status, got)
	}
	sealed(t, repo, "n1")
}

// expiredRun leaves a run that asked two hours ago what to do, and allowed one.
func expiredRun(t *testing.T, runs, id string) {
	t.Helper()
	if err := os.MkdirAll(runs, 0o755); err != nil {
		t.Fatal(err)
	}
	then := time.Now().Add(-2 * time.Hour)
	run, err := ledger.Create(runs, ledger.RunHead{RunID: id, TaskID: "greet", ReservedAt: then}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	for _, e := range []struct {
		typ  string
		data any
	}{
		{ledger.TypeRunReserved, ledger.RunReserved{Limits: ledger.Limits{GateTTLSeconds: 3600}}},
		{ledger.TypeStopped, ledger.Ending{Code: outcome.GatesNotSatisfied, NextAction: "human_escalation"}},
	} {
		if _, err := run.Append(e.typ, then, e.data); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := decision.Open(run, decision.Question{Kind: decision.Failure, Reason: "the checks are red"}, then); err != nil {
		t.Fatal(err)
	}
}
