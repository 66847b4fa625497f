package cli

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/policy"
	"github.com/tolboy/warden/internal/progress"
	"github.com/tolboy/warden/internal/runner"
)

// header says what is about to run, and its bounds.
func header(id string, t contract.Task, base string, h policy.Home) progress.Header {
	var stages []string
	for _, s := range runner.Steps(h, t) {
		if s.Skip == "" {
			stages = append(stages, s.Name)
		}
	}
	return progress.Header{Run: id, Task: t.ID, Risk: t.Risk, Scope: t.Scope, Stages: stages,
		Calls: t.MaxRoleRuns, CostUSD: t.MaxCostUSD, FixRounds: t.MaxFixAttempts, Base: base}
}

// planned says what the run can come to, before its first call.
func planned(o runner.Order) string {
	f := runner.Forecast(o)
	text := fmt.Sprintf("budget: %d call(s) for a clean pass, %d at most; %d fix round(s) left; ", f.Minimum, f.Left, f.Rounds)
	if usd, known := f.Cost.Get(); known {
		text += fmt.Sprintf("$%.4f at most by what the profiles promise", usd)
	} else {
		text += "what they can cost is not known, since a profile promises no limits.max_cost_usd"
	}
	if !f.Sufficient {
		text += "; too few calls are left for a clean pass"
	}
	if f.Used > 0 {
		text += fmt.Sprintf("; %d call(s) were used before", f.Used)
	}
	return text
}

// terminal reports whether w is one.
func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
