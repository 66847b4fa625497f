package cli

import (
	"context"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/tolboy/warden/internal/decision"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/redact"
	"github.com/tolboy/warden/internal/usage"
)

// goldenDir names where scripts/golden has made ledgers written.
const goldenDir = "WARDEN_GOLDEN_RUNS"

// goldenCodes are the endings of runs. Those of gates and of dispatches end none.
var goldenCodes = []outcome.Code{
	outcome.ReadyForHuman, outcome.DryRun, outcome.RunPreflightFailed, outcome.PreflightOutsideScope, outcome.BaselineFailed, outcome.ReproductionPassed, outcome.ReproductionInconclusive,
	outcome.ImplementerFailed, outcome.ReviewerFailed, outcome.ArchitectFailed, outcome.FixAttemptFailed, outcome.GatesNotSatisfied,
	outcome.GatesNotSatisfiedAfterFix, outcome.BlockingFindingsRemain, outcome.ContractMutated, outcome.QuotaExhausted,
	outcome.FailoverNeedsConfirmation, outcome.TurnCeilingReached, outcome.BudgetExhausted, outcome.BudgetInsufficient,
	outcome.UnexpectedError, outcome.IndependentReviewMissing, outcome.JudgeNotReadOnly, outcome.PolicyInvalid, outcome.RateLimited,
	outcome.VendorCredentialRejected, outcome.SetupFailed, outcome.RoleTimedOut, outcome.VendorCallFailed, outcome.VendorProtocolFailed,
	outcome.PromptUndeliverable, outcome.RepairMadeNoProgress, outcome.SeverityDowngraded, outcome.Interrupted, outcome.Stopped,
	outcome.LedgerAltered, outcome.StageUnsupported, outcome.CostCapUnenforceable, outcome.QualityExhausted, outcome.EscalationUnavailable, outcome.FindingProtocolFailure, outcome.PlannerFailed, outcome.PlanRefused, outcome.PlanReviewerFailed, outcome.PlanReviewFindingsRemain, outcome.Prepared, outcome.Unconfined, outcome.CandidateUnpublishable,
	outcome.NothingChanged, outcome.ForgeRefused, outcome.VisualContractInvalid, outcome.VisualFailed, outcome.VisualRoleFailed, outcome.VisualFindingsRemain,
}

// TestWriteGoldenLedgers writes a run for every ending, and one with every type of
// event and every key of each. It checks nothing: TestGoldenLedgers does.
func TestWriteGoldenLedgers(t *testing.T) {
	t.Parallel()
	runs := os.Getenv(goldenDir)
	if runs == "" {
		return // only scripts/golden asks for it
	}
	for _, code := range goldenCodes {
		w := newGolden(t, runs, "end-"+strings.ReplaceAll(string(code), "_", "-"), code == outcome.DryRun)
		w.add(ledger.TypeRunReserved, ledger.RunReserved{Project: "golden", Goal: "Put a greeting up", Risk: "medium", DryRun: code == outcome.DryRun})
		w.end(code)
		w.close()
	}
	w := newGolden(t, runs, "every-event", false)
	for _, typ := range []string{
		ledger.TypeRunReserved, ledger.TypeStageStarted, ledger.TypeStageSkipped, ledger.TypeVendorCallStarted, ledger.TypeRoleRun,
		ledger.TypeRoleFailover, ledger.TypeMachineGate, ledger.TypeBaselineGate, ledger.TypeReproductionGate, ledger.TypeFixRound, ledger.TypeRunPrepared, ledger.TypeInterrupted,
	} {
		w.filled(typ)
	}
	w.end(outcome.ReadyForHuman)
	w.answer(decision.Accept)
	w.void()
	w.answer(decision.Reject)
	for _, typ := range []string{ledger.TypeIntent, ledger.TypeDone, ledger.TypeNote, ledger.TypeRecovered} {
		w.filled(typ)
	}
	w.close()
}

type golden struct {
	t    *testing.T
	runs string
	id   string
	run  *ledger.Run
	none *redact.Set
	at   time.Time
}

func newGolden(t *testing.T, runs, id string, dry bool) *golden {
	t.Helper()
	none, err := redact.New()
	if err != nil {
		t.Fatal(err)
	}
	w := &golden{t: t, runs: runs, id: id, none: none, at: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)}
	w.run, err = ledger.Create(runs, ledger.RunHead{RunID: id, TaskID: "greet", ReservedAt: w.at, WardenVersion: Version, DryRun: dry,
		BaseCommit: strings.Repeat("1", 40), StartCommit: strings.Repeat("1", 40), ContractSHA256: strings.Repeat("c", 64), Confinement: "bubblewrap"}, none)
	w.must(err)
	return w
}

func (w *golden) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatalf("%s: %v", w.id, err)
	}
}

func (w *golden) tick() time.Time {
	w.at = w.at.Add(90 * time.Second)
	return w.at
}

func (w *golden) add(typ string, data any) {
	w.t.Helper()
	_, err := w.run.Append(typ, w.tick(), data)
	w.must(err)
}

// filled adds an event with every key.
func (w *golden) filled(typ string) {
	w.t.Helper()
	data, err := ledger.Line{Type: typ, Data: []byte("{}")}.Payload()
	w.must(err)
	fill(reflect.ValueOf(data).Elem(), typ)
	w.add(typ, reflect.ValueOf(data).Elem().Interface())
}

// fill gives every field a value of its own that is not zero.
func fill(v reflect.Value, name string) {
	switch v.Interface().(type) {
	case usage.Amount:
		v.Set(reflect.ValueOf(usage.Known(float64(len(name)) + 0.25)))
		return
	case time.Time:
		v.Set(reflect.ValueOf(time.Date(2026, 11, 30, 12, len(name), 0, 0, time.UTC)))
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), name)
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				fill(v.Field(i), f.Name)
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), name)
	case reflect.String:
		v.SetString("the " + name)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(len(name)))
	case reflect.Float64:
		v.SetFloat(float64(len(name)) + 0.5)
	case reflect.Interface:
		v.Set(reflect.ValueOf(map[string]any{"of": name}))
	}
}

// end seals the run and asks what is due.
func (w *golden) end(code outcome.Code) {
	w.t.Helper()
	end := ledger.Ending{Code: code, NextAction: "human_escalation", Detail: fmt.Sprintf("the detail of %s", code), RoleRuns: 1, Usage: usage.Total{Calls: 1}}
	q := decision.Question{Kind: decision.Failure, Reason: string(code)}
	switch code {
	case outcome.ReadyForHuman:
		end.OK, end.NextAction, end.Candidate = true, "human_gate", &ledger.Candidate{Fingerprint: strings.Repeat("a", 64), Files: 1}
		q.Kind, q.Fingerprint = decision.Success, end.Candidate.Fingerprint
	case outcome.DryRun:
		end.OK, end.NextAction = true, "none"
	case outcome.FailoverNeedsConfirmation:
		end.Failover = &ledger.Failover{Role: "implementer", FromProfile: "a", FromVendor: "house-a", ToProfile: "b", ToVendor: "house-b", Cause: "quota_exhausted"}
		q.Kind = decision.Failover
	}
	if end.OK {
		w.add(ledger.TypeReadyForHuman, end)
	} else {
		w.add(ledger.TypeStopped, end)
	}
	if end.NextAction != "none" {
		_, err := decision.Open(w.run, q, w.tick())
		w.must(err)
	}
}

func (w *golden) answer(word string) {
	w.t.Helper()
	w.must(w.run.Close())
	_, err := decision.Record(context.Background(), w.runs, w.id, w.none, decision.Answer{Decision: word, Actor: ledger.Actor{Login: "ann"}, Source: decision.SourceCLI,
		Note: "greet by name", Fingerprint: strings.Repeat("a", 64), Contract: strings.Repeat("c", 64), AnsweredAt: w.tick()}, w.tick())
	w.must(err)
	w.reopen()
}

func (w *golden) void() {
	w.t.Helper()
	w.must(w.run.Close())
	_, err := decision.Void(context.Background(), w.runs, w.id, w.none, "head_moved", &ledger.Actor{ID: 5, Login: "bea"}, strings.Repeat("2", 40), w.tick())
	w.must(err)
	w.reopen()
}

func (w *golden) reopen() {
	w.t.Helper()
	var err error
	w.run, err = ledger.Open(w.runs, w.id, w.none)
	w.must(err)
}

func (w *golden) close() {
	w.t.Helper()
	w.must(summarise(w.run))
	w.must(w.run.Close())
}
