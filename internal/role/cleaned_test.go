package role

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/vendor"
)

// TestAnswersHoldNoSecret: what a dispatch hands on, to a next prompt or to a
// terminal, is as clean as what it writes.
func TestAnswersHoldNoSecret(t *testing.T) {
	t.Parallel()
	said := "it is " + canary
	for name, a := range map[string]act{
		"accepted": answered(`{"status":"completed","summary":"` + said + `","files_changed":["` + canary + `"]}`),
		"blocked":  answered(`{"status":"blocked","summary":"` + said + `","files_changed":[]}`),
		"spent":    spent(said),
		"failed": {result: vendor.Result{Code: outcome.RoleCommandFailed, Detail: said, Model: said, SessionID: said, StopReason: said,
			StdoutTail: said, StderrTail: said, ExitCode: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.script("wa", a)
			got := f.dispatch(t)
			if told := fmt.Sprintf("%+v %s", got, got.Artifact); strings.Contains(told, canary) {
				t.Errorf("handed on: %s", told)
			}
			if report := f.read(t, got.ReportFile.Path); strings.Contains(report, canary) || !strings.Contains(report, "[redacted]") {
				t.Errorf("the report: %s", report)
			}
		})
	}
}

// mangling takes out more than it should: what is left is no JSON.
type mangling struct{ files }

func (mangling) Redact(data []byte) ([]byte, int) { return data[:len(data)/2], 1 }

var _ Evidence = mangling{}

func TestAnswerThatCannotBeCleaned(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Evidence = mangling{files{f.runs}}
	f.script("wa", answered(`{"status":"completed","summary":"x","files_changed":[]}`))
	got := f.dispatch(t)
	wantCode(t, got, outcome.RoleArtifactUnparseable)
	if got.Artifact != nil {
		t.Errorf("an answer is handed on: %s", got.Artifact)
	}
}

var _ Evidence = (*ledger.Run)(nil)
