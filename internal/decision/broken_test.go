package decision_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tolboy/warden/internal/decision"
	"github.com/tolboy/warden/internal/durable"
)

func holdLock(t *testing.T, dir string) func() {
	t.Helper()
	unlock, err := durable.Lock(t.Context(), filepath.Join(dir, "r1/decision.json.lock"))
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := unlock(); err != nil {
			t.Error(err)
		}
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestBrokenDecisionFile(t *testing.T) {
	t.Parallel()
	dir, _ := asked(t, decision.Success)
	raw, err := os.ReadFile(filepath.Join(dir, "r1/decision.json"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"empty":    "",
		"no JSON":  "{",
		"answered": strings.Replace(string(raw), `"state": "pending"`, `"state": "resolved"`, 1),
		"other":    strings.Replace(string(raw), "f00d", "beef", 1),
		"longer":   string(raw) + "\n",
	} {
		if text == string(raw) {
			t.Fatalf("%s: nothing was broken", name)
		}
		write(t, dir, "r1/decision.json", text)
		refused(t, dir, answer(decision.Accept), decision.MalformedDecision)
	}
	if err := os.Remove(filepath.Join(dir, "r1/decision.json")); err != nil {
		t.Fatal(err)
	}
	if _, err := record(t, dir, answer(decision.Accept)); err != nil {
		t.Errorf("a projection that is missing: %v", err)
	}
}

// TestStaleDecisionFile is what a crash between the chain and its projection
// leaves.
func TestStaleDecisionFile(t *testing.T) {
	t.Parallel()
	dir, _ := asked(t, decision.Success)
	pending, err := os.ReadFile(filepath.Join(dir, "r1/decision.json"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := record(t, dir, answer(decision.Accept)); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "r1/decision.json", string(pending))
	if s, err := decision.Load(dir, "r1"); err != nil || s.Answer() != decision.Accept {
		t.Errorf("the chain decides: %+v, %v", s, err)
	}
	refused(t, dir, answer(decision.Reject), decision.DuplicateDecision)
}

func TestAlteredLedger(t *testing.T) {
	t.Parallel()
	dir, _ := asked(t, decision.Success)
	name := filepath.Join(dir, "r1/evidence.jsonl")
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "r1/evidence.jsonl", strings.Replace(string(raw), "reviewer passed", "reviewer failed", 1))
	refused(t, dir, answer(decision.Accept), decision.MalformedDecision)
}

func TestLists(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ask(t, dir, "good", decision.Failure)
	ask(t, dir, "r1", decision.Success)
	t.Run("whole", func(t *testing.T) {
		all, err := decision.AllPending(dir)
		if err != nil || len(all) != 2 || all[0].RunID != "good" || all[1].RunID != "r1" {
			t.Errorf("%+v, %v", all, err)
		}
	})
	t.Run("answered ones are left out", func(t *testing.T) {
		if _, err := record(t, dir, answer(decision.Accept)); err != nil {
			t.Fatal(err)
		}
		all, err := decision.AllPending(dir)
		if err != nil || len(all) != 1 || all[0].RunID != "good" {
			t.Errorf("%+v, %v", all, err)
		}
	})
	write(t, dir, "r1/decision.json", "{")
	t.Run("HG-09 broken decision file in the plain list", func(t *testing.T) {
		_, err := decision.AllPending(dir)
		if decision.CodeOf(err) != decision.MalformedDecision || !strings.Contains(err.Error(), "r1/decision.json") {
			t.Errorf("got %v, want a refusal that names the file", err)
		}
	})
	t.Run("HG-08 broken decision file in the tolerant list", func(t *testing.T) {
		entries, err := decision.List(dir)
		if err != nil || len(entries) != 2 || entries[0].Problem != "" || !strings.Contains(entries[1].Problem, "r1/decision.json") {
			t.Errorf("%+v, %v", entries, err)
		}
	})
}
