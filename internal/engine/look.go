package engine

import (
	"slices"

	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/workflow"
)

// Look is what a role that judges pictures is shown.
type Look struct {
	Pictures []ledger.File // the first of every scenario, then the others
	Report   ledger.File   // what the browser measured; without a path where there is none
	Acquire  bool          // the role takes the pictures itself
}

// shown gives a role that looks what the browser stage that it sees has left, or leave
// to take its own pictures; nil for every other role.
func (r *run) shown(step workflow.Step) *Look {
	switch {
	case step.Role != workflow.VisualQA:
		return nil
	case r.Task.Visual.Evidence == contract.EvidenceAgent:
		return &Look{Acquire: true}
	}
	seen := r.seen[step.Sees]
	look := &Look{}
	named := map[string]ledger.File{}
	for _, f := range seen.Files {
		named[f.Path] = f
		if f.Path == seen.Report {
			look.Report = f
		}
	}
	for _, path := range inTurn(seen.Scenarios) {
		if f, ok := named[path]; ok {
			look.Pictures = append(look.Pictures, f)
		}
	}
	return look
}

// inTurn lists the pictures of scenarios once each, so that those at the front show as
// much of the page as possible.
func inTurn(scenarios []ledger.VisualScenario) []string {
	var out []string
	add := func(paths ...string) {
		for _, p := range paths {
			if !slices.Contains(out, p) {
				out = append(out, p)
			}
		}
	}
	for _, s := range scenarios {
		add(s.Pictures[:min(1, len(s.Pictures))]...)
	}
	for _, s := range scenarios {
		add(s.Differences...)
	}
	for _, s := range scenarios {
		add(s.Pictures...)
	}
	return out
}
