package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/plain"
	"github.com/tolboy/warden/internal/workflow"
)

// Bounds of what one next step quotes of a contract and of a reader.
const (
	maxQuoted      = 300
	maxSuggestions = 5
)

// resolution says what a person does about findings that no repair can close,
// with what is needed for it: where the contract is, what it demands now, and
// what the reader would put in its place. It is "" when there are none.
func resolution(task contract.Task, findings []outcome.Finding) string {
	theirs := outcome.ForPeople(findings)
	if len(theirs) == 0 {
		return ""
	}
	var steps []string
	if len(outcome.Mendable(findings)) > 0 {
		steps = append(steps, "read the findings that are the writer's")
	}
	var asked []string
	for _, f := range theirs {
		if step := remedy(task, f.Category); !slices.Contains(steps, step) {
			steps = append(steps, step)
		}
		if words := plain.Line(suggestion(f), maxQuoted); !slices.Contains(asked, words) {
			asked = append(asked, words)
		}
	}
	more := ""
	if len(asked) > maxSuggestions {
		more = fmt.Sprintf("; and %d more", len(asked)-maxSuggestions)
		asked = asked[:maxSuggestions]
	}
	return fmt.Sprintf("%s; suggested: %s%s; then start again: an edit of the contract ends every verdict given under it",
		strings.Join(steps, ", and "), strings.Join(asked, "; "), more)
}

// suggestion is what a finding proposes; one that proposes nothing says what it
// expected.
func suggestion(f outcome.Finding) string {
	for _, s := range []string{f.Suggestion, f.Expected} {
		if strings.TrimSpace(s) != "" {
			return s
		}
	}
	return f.Message
}

// remedy is what a person does about a category of findings.
func remedy(task contract.Task, category string) string {
	switch category {
	case outcome.ContractGap:
		where := ".warden/project.yaml"
		if task.Path != "" {
			where = ".warden/" + task.Path
		}
		return fmt.Sprintf("correct the contract in %s, whose acceptance is now: %s", plain.Line(where, maxQuoted), plain.Line(strings.Join(task.Acceptance, " && "), maxQuoted))
	case outcome.EvidenceGap:
		return "give the reader the evidence that was missing"
	case outcome.AccessRequired:
		return "give the access that was missing"
	case outcome.ToolingFailure:
		return "mend the tool that failed"
	case outcome.PlanSpent, outcome.ProviderUnavailable:
		return "wait for the provider, or name another one"
	}
	return "decide what the readers disagree about"
}

// strayed says who left what no scope covers, and what can be done about it. What
// a setup command does comes back in every worktree, so that undoing it is no help.
func strayed(all, bySetup []string) (detail, advice string) {
	var details, steps []string
	found := slices.DeleteFunc(slices.Clone(all), func(v string) bool { return slices.Contains(bySetup, v) })
	if len(found) > 0 {
		details = append(details, "changed before the run began: "+strings.Join(found, ", "))
		steps = append(steps, "commit, stash or revert what was changed before the run, or widen the scope: "+strings.Join(found, ", "))
	}
	if len(bySetup) > 0 {
		details = append(details, "changed by a setup command: "+strings.Join(bySetup, ", "))
		steps = append(steps, "commit to the base what the setup commands make, choose commands that leave it alone, or widen the scope: "+strings.Join(bySetup, ", "))
	}
	return strings.Join(details, "; "), strings.Join(steps, "; ")
}

// recheckSpent is what helps a recheck that goes on with the count of the runs before,
// under their terms: nothing that is raised in the contract now is read by it.
const recheckSpent = "the runs that this recheck continues have used up the limit, and it reads their contract; take the label off and put it on again, which starts a new count on the present base"

// recheck reports whether what a person pushed is judged, and nobody writes.
func (r *run) recheck() bool {
	return slices.ContainsFunc(r.Steps, func(s workflow.Step) bool { return s.Skip == "recheck" })
}
