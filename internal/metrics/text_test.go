package metrics_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/metrics"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/plain"
)

var update = flag.Bool("update", false, "write the golden files again")

func safe(s string) string { return plain.Line(plain.Terminal(s), 60) }

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		put(t, []byte(got), path)
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	runs := t.TempDir()
	golden(t, "empty.txt", metrics.Text(readAll(t, runs), safe))
	asked := event{ledger.TypeDecisionPending, ledger.DecisionPending{Kind: "success"}}
	accept := event{ledger.TypeHumanDecision, ledger.HumanDecision{Decision: "accept", Source: "cli", WaitMillis: 61000}}
	lay(t, runs, "r1", start, dispatch("implementer", priced("a", 0.4121, 18400, 2100, 96140)), dispatch("reviewer", silent("b")), ready, asked, accept)
	lay(t, runs, "r2", start, event{ledger.TypeMachineGate, ledger.GateRun{Code: outcome.CommandFailed}}, stopped(outcome.GatesNotSatisfied), asked)
	golden(t, "whole.txt", metrics.Text(readAll(t, runs), safe))
	lay(t, runs, "r3", start, event{"telepathy", struct{}{}}, ready)
	lay(t, runs, "r4", start, ready)
	spoil(t, "shop", "shed", runs, "r4", "evidence.jsonl")
	golden(t, "damaged.txt", metrics.Text(readAll(t, runs), safe))
}

// TestTextOfStrangers holds that no name of a vendor, and none of a directory,
// reaches a terminal with its powers.
func TestTextOfStrangers(t *testing.T) {
	t.Parallel()
	const evil = "x\x1b[31m\x1b]0;owned\x07\u202e\n::error::y"
	runs := t.TempDir()
	c := priced("a", 1, 1, 1, 1)
	c.Vendor, c.ModelReported, c.Profile, c.Runner, c.Code = evil, evil, evil, evil, evil
	lay(t, runs, "r1", start, dispatch(evil, c), ready, event{ledger.TypeHumanDecision, ledger.HumanDecision{Decision: evil, Source: "cli"}})
	put(t, nil, runs, "two\x1b[31m\nwords", "x")
	text := metrics.Text(readAll(t, runs), safe)
	if strings.ContainsAny(text, "\x1b\x07\u202e") || strings.Contains(text, "\n::error") || !strings.Contains(text, "::error::y") {
		t.Errorf("text:\n%q", text)
	}
}
