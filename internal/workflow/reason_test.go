package workflow_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/workflow"
)

// TestInfrastructure holds, for every code that names a fault of somebody else
// than the writer, the reason it ends a run with and that no fix round is bought
// for it: as a role's end, and as the end of gates, whose route is a fix.
func TestInfrastructure(t *testing.T) {
	t.Parallel()
	rows := []struct {
		code  outcome.Code
		role  outcome.Code // reason when the reader ends with it
		gates outcome.Code // reason when the gates do
	}{
		{outcome.RoleQuotaExhausted, outcome.QuotaExhausted, ""},
		{outcome.RoleFailoverDeclined, outcome.QuotaExhausted, ""},
		{outcome.RoleFailoverNeedsConfirm, outcome.FailoverNeedsConfirmation, ""},
		{outcome.RoleTurnsExhausted, outcome.TurnCeilingReached, ""},
		{outcome.RoleTimeout, outcome.RoleTimedOut, ""},
		{outcome.RoleCommandFailed, outcome.VendorCallFailed, ""},
		{outcome.RoleCredentialRejected, outcome.VendorCredentialRejected, ""},
		{outcome.RoleArtifactUnparseable, outcome.VendorProtocolFailed, ""},
		{outcome.RoleArtifactIncomplete, outcome.VendorProtocolFailed, ""},
		{outcome.RoleArtifactSchema, outcome.VendorProtocolFailed, ""},
		{outcome.RolePromptUndeliverable, outcome.PromptUndeliverable, ""},
		{outcome.QualityExhausted, outcome.QualityExhausted, ""},
		{outcome.EscalationUnavailable, outcome.EscalationUnavailable, ""},
		{outcome.RoleOrcaUnavailable, outcome.OrcaWorkerNotStarted, ""},
		{outcome.RoleOrcaNoCoordinator, outcome.OrcaWorkerNotStarted, ""},
		{outcome.RoleOrcaNoWorktree, outcome.OrcaWorkerNotStarted, ""},
		{outcome.RoleOrcaStartFailed, outcome.OrcaWorkerNotStarted, ""},
		{outcome.RoleOrcaLifecycle, outcome.VendorCallFailed, ""},
		{outcome.RoleHumanInput, outcome.VendorCallFailed, ""},
		{outcome.RoleOrcaReported, outcome.ReviewerFailed, outcome.GatesNotSatisfied},
		{outcome.RoleLocalUnreachable, outcome.VendorCallFailed, ""},
		{outcome.RoleLocalHTTPError, outcome.VendorCallFailed, ""},
		{outcome.RoleLocalUnreadable, outcome.VendorProtocolFailed, ""},
		{outcome.RoleLocalKeyMissing, outcome.VendorCredentialRejected, ""},
		{outcome.RoleRateLimited, outcome.RateLimited, ""},
		{outcome.RoleUnresolved, outcome.ReviewerFailed, outcome.GatesNotSatisfied},
		{outcome.AuthorityDenied, outcome.ReviewerFailed, outcome.GatesNotSatisfied},
		{outcome.BudgetExhausted, outcome.BudgetExhausted, ""},
		{outcome.ContractMutated, outcome.ContractMutated, ""},
		{outcome.LedgerAltered, outcome.LedgerAltered, ""},
		{outcome.Interrupted, outcome.Interrupted, ""},
		{outcome.Stopped, outcome.Stopped, ""},
		{outcome.PreflightOutsideScope, outcome.PreflightOutsideScope, ""},
		{outcome.BaseRefUnresolvable, outcome.BaseRefUnresolvable, ""},
		{outcome.GateInterrupted, outcome.GateInterrupted, ""},
		{outcome.GateInternalError, outcome.GateInternalError, ""},
		{outcome.Unconfined, outcome.Unconfined, ""},
		{outcome.VisualUnavailable, outcome.VisualUnavailable, ""},
		{outcome.VisualPortOccupied, outcome.VisualPortOccupied, ""},
		{outcome.VisualNoEvidence, outcome.VisualNoEvidence, ""},
	}
	listed := map[outcome.Code]bool{}
	for _, row := range rows {
		listed[row.code] = true
		if row.gates == "" {
			row.gates = row.role
		}
		t.Run("PR-01 "+string(row.code), func(t *testing.T) {
			t.Parallel()
			if !workflow.Infrastructure(row.code) {
				t.Errorf("%s buys a fix round", row.code)
			}
			failed := workflow.Event{Code: row.code, Tree: "t"}
			got, _ := play(everywhere(), pass, pass, failed)
			if want := "finish:false:" + string(row.role); got[len(got)-1] != want {
				t.Errorf("a reader's end gave %v, want %s", got, want)
			}
			got, _ = play(everywhere(), pass, failed)
			if want := "finish:false:" + string(row.gates); got[len(got)-1] != want {
				t.Errorf("the gates' end gave %v, want %s", got, want)
			}
		})
	}
	for _, code := range declared(t) {
		if workflow.Infrastructure(code) && !listed[code] {
			t.Errorf("%s buys no fix round, and no row says so", code)
		}
	}
	if workflow.Infrastructure(outcome.CommandFailed) {
		t.Error("a failed check buys no fix round: the rows show nothing")
	}
}

// everywhere is the built-in chain with every failure routed to a fix.
func everywhere() workflow.State {
	s := start(2, true)
	for i := range s.Steps {
		s.Steps[i].OnFail = workflow.RouteFix
	}
	return s
}

// declared are the codes that package outcome has, read from its source.
func declared(t *testing.T) []outcome.Code {
	t.Helper()
	files, err := filepath.Glob("../outcome/*.go")
	if err != nil {
		t.Fatal(err)
	}
	var out []outcome.Code
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^\s+\w+\s+Code = "(\w+)"$`).FindAllSubmatch(data, -1) {
			out = append(out, outcome.Code(m[1]))
		}
	}
	if len(out) < 60 {
		t.Fatalf("%d codes were found in package outcome", len(out))
	}
	return out
}
