package cli

import (
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
