package decision_test

import (
	"strings"
	"testing"

	"github.com/tolboy/warden/internal/decision"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
)

// An accept is given under the contract that the candidate was judged by.
func TestCI07ContractMoved(t *testing.T) {
	t.Parallel()
	shown, edited := strings.Repeat("c", 64), strings.Repeat("e", 64)
	// under asks about r1, whose contract had that digest.
	under := func(t *testing.T, contract string, q decision.Kind) string {
		t.Helper()
		dir := t.TempDir()
		run, err := ledger.Create(dir, ledger.RunHead{RunID: "r1", TaskID: "t1", ContractSHA256: contract}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer run.Close()
		typ, end := ledger.TypeReadyForHuman, ledger.Ending{OK: true, Code: outcome.ReadyForHuman}
		if q != decision.Success {
			typ, end = ledger.TypeStopped, ledger.Ending{Code: outcome.GatesNotSatisfied}
		}
		if _, err := run.Append(typ, noon, end); err != nil {
			t.Fatal(err)
		}
		if _, err := decision.Open(run, question(q), noon); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	typed := func(word, contract string) decision.Answer {
		a := answer(word)
		a.Source, a.SourceID, a.Contract = decision.SourceCLI, 0, contract
		return a
	}
	t.Run("CI-07 an accept after an edit", func(t *testing.T) {
		t.Parallel()
		dir := under(t, shown, decision.Success)
		refused(t, dir, typed(decision.Accept, edited), decision.ContractChanged)
		refused(t, dir, typed(decision.Accept, ""), decision.CandidateUnverifiable)
		review := answer(decision.Accept)
		review.Contract = edited
		refused(t, dir, review, decision.ContractChanged)
		if s, err := record(t, dir, typed(decision.Accept, shown)); err != nil || s.Answer() != decision.Accept {
			t.Errorf("an accept under the contract that was restored: %v", err)
		}
	})
	t.Run("CI-07 a review names no contract", func(t *testing.T) {
		t.Parallel()
		if s, err := record(t, under(t, shown, decision.Success), answer(decision.Accept)); err != nil || s.Answer() != decision.Accept {
			t.Errorf("an accept on a forge, where the base commit pins it: %v", err)
		}
	})
	t.Run("CI-07 a run that recorded none", func(t *testing.T) {
		t.Parallel()
		refused(t, under(t, "", decision.Success), typed(decision.Accept, shown), decision.CandidateUnverifiable)
	})
	t.Run("CI-07 an edit of another text", func(t *testing.T) {
		t.Parallel()
		dir := under(t, shown, decision.ContractChange)
		refused(t, dir, typed(decision.Apply, edited), decision.ContractChanged)
		refused(t, dir, typed(decision.Apply, ""), decision.CandidateUnverifiable)
		machine := typed(decision.Apply, shown)
		machine.Source = decision.SourceAutomatic
		refused(t, dir, machine, decision.InvalidActor)
		if s, err := record(t, dir, typed(decision.Apply, shown)); err != nil || s.Answer() != decision.Apply {
			t.Errorf("the edit of the text that is there: %v", err)
		}
	})
	for kind, words := range map[decision.Kind][]string{
		decision.Success: {decision.Reject}, decision.Failure: {decision.Retry, decision.Abort}, decision.Failover: {decision.Abort, decision.Switch},
		decision.ContractChange: {decision.Abort},
	} {
		for _, word := range words {
			t.Run("CI-07 "+string(kind)+" "+word, func(t *testing.T) {
				t.Parallel()
				a := typed(word, edited)
				a.Note = "not like this"
				if s, err := record(t, under(t, shown, kind), a); err != nil || s.Answer() != word {
					t.Errorf("%s after an edit of the contract: %v", word, err)
				}
			})
		}
	}
}
