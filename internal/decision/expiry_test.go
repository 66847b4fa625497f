package decision_test

import (
	"testing"
	"time"

	"github.com/tolboy/warden/internal/decision"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
)

// expiring asks about a run that allows an answer for one hour.
func expiring(t *testing.T, kind decision.Kind) (dir string, s decision.State) {
	t.Helper()
	dir = t.TempDir()
	run, err := ledger.Create(dir, ledger.RunHead{RunID: "r1", TaskID: "t1"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	typ, end := ledger.TypeReadyForHuman, ledger.Ending{OK: true, Code: outcome.ReadyForHuman}
	if kind != decision.Success {
		typ, end = ledger.TypeStopped, ledger.Ending{Code: outcome.GatesNotSatisfied}
	}
	if _, err := run.Append(ledger.TypeRunReserved, noon, ledger.RunReserved{Limits: ledger.Limits{GateTTLSeconds: 3600}}); err != nil {
		t.Fatal(err)
	}
	if _, err := run.Append(typ, noon, end); err != nil {
		t.Fatal(err)
	}
	if s, err = decision.Open(run, question(kind), noon); err != nil {
		t.Fatal(err)
	}
	return dir, s
}

// TestExpiry holds the limit of time of a question: what permits comes before it, or
// from somebody who knows; what refuses may come at any time.
func TestExpiry(t *testing.T) {
	t.Parallel()
	at := func(word string, when time.Duration, knows bool) decision.Answer {
		a := answer(word)
		a.AnsweredAt, a.AcknowledgeExpired = noon.Add(when), knows
		return a
	}
	for _, tt := range []struct {
		name string
		kind decision.Kind
		a    decision.Answer
		want decision.Code
		told bool // the record says that the person knew
	}{
		{"an accept in time", decision.Success, at(decision.Accept, time.Hour-time.Second, false), "", false},
		{"an accept in time, by somebody careful", decision.Success, at(decision.Accept, time.Hour-time.Second, true), "", false},
		{"an accept at that moment", decision.Success, at(decision.Accept, time.Hour, false), decision.GateExpired, false},
		{"a retry too late", decision.Failure, at(decision.Retry, 2*time.Hour, false), decision.GateExpired, false},
		{"a switch too late", decision.Failover, at(decision.Switch, 2*time.Hour, false), decision.GateExpired, false},
		{"an accept too late, by somebody who knows", decision.Success, at(decision.Accept, 2*time.Hour, true), "", true},
		{"a rejection too late", decision.Success, at(decision.Reject, 2*time.Hour, false), "", false},
		{"an abort too late", decision.Failure, at(decision.Abort, 2*time.Hour, false), "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir, s := expiring(t, tt.kind)
			if !s.ExpiresAt.Equal(noon.Add(time.Hour)) {
				t.Fatalf("it expires at %s", s.ExpiresAt)
			}
			if tt.want != "" {
				refused(t, dir, tt.a, tt.want)
				return
			}
			if _, err := record(t, dir, tt.a); err != nil {
				t.Fatal(err)
			}
			h, err := ledger.Read(dir, "r1")
			if err != nil {
				t.Fatal(err)
			}
			var d ledger.HumanDecision
			if err := h.Lines[len(h.Lines)-1].Decode(&d); err != nil || d.AcknowledgedExpired != tt.told {
				t.Errorf("recorded as %+v, %v", d, err)
			}
		})
	}
	t.Run("an answer that names no time is of now", func(t *testing.T) {
		t.Parallel()
		dir, _ := expiring(t, decision.Success)
		_, err := decision.Record(t.Context(), dir, "r1", nil, answer(decision.Accept), noon.Add(2*time.Hour))
		if decision.CodeOf(err) != decision.GateExpired {
			t.Errorf("got %v", err)
		}
	})
	t.Run("a run that sets no time", func(t *testing.T) {
		t.Parallel()
		dir, s := asked(t, decision.Success)
		if _, err := record(t, dir, at(decision.Accept, 10000*time.Hour, false)); err != nil || !s.ExpiresAt.IsZero() {
			t.Errorf("expires at %s: %v", s.ExpiresAt, err)
		}
	})
}
