package engine

import (
	"context"
	"strings"

	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
)

// untouched proves what must hold before anyone is asked to change the project: its
// baseline is green, and what should show the fault is red.
func (r *run) untouched(ctx context.Context) (outcome.Code, string, error) {
	if len(r.Task.Baseline) > 0 {
		if code, detail, err := r.before(ctx, ChecksBaseline, r.Task.Baseline); code != "" || err != nil {
			return code, detail, err
		}
	}
	if len(r.Task.Reproduce) == 0 {
		return "", "", nil
	}
	if len(r.start.Changed) > 0 {
		// An earlier candidate may have mended the fault already, so that green would
		// prove nothing against the checks.
		text := "the tree holds changes already (" + strings.Join(r.start.Changed, ", ") + "), so that the commands of reproduce were not run"
		r.notice(Notice{Kind: NoticeNote, Text: text})
		return "", "", r.append(ledger.TypeNote, ledger.Note{About: "reproduction", Text: text})
	}
	return r.before(ctx, ChecksReproduce, r.Task.Reproduce)
}

// before runs checks on the tree as it is found, and says why the run ends if they
// are not as they must be.
func (r *run) before(ctx context.Context, checks Checks, commands []string) (outcome.Code, string, error) {
	name, event, failed := "baseline", ledger.TypeBaselineGate, outcome.BaselineFailed
	if checks == ChecksReproduce {
		name, event, failed = "reproduction", ledger.TypeReproductionGate, outcome.ReproductionInconclusive
	}
	r.notice(Notice{Kind: NoticeStage, Stage: name, Text: name + ": " + strings.Join(commands, ", ")})
	out, err := r.Gates.Run(ctx, r.evidence(name, 0), checks, r.left())
	if err != nil {
		return failed, err.Error(), nil
	}
	out.Label = name
	if err := r.gateRan(event, out); err != nil {
		return "", "", err
	}
	r.notice(Notice{Kind: NoticeResult, Stage: name, OK: out.OK, Code: out.Code, Text: out.Message, Duration: out.Duration})
	switch {
	case out.OK:
		return "", "", nil
	case out.Code == outcome.ContractMutated, out.Code == outcome.ReproductionPassed:
		return out.Code, out.Message, nil
	case r.overdue(out.Code):
		r.end.BudgetLimitHit = r.stopped.Limit
		return r.stopped.Code, r.stopped.Text, nil
	}
	return failed, out.Message, nil
}
