package gate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/git"
)

// protected are paths that rule what runs, who decides, and what done means.
// A scope reaches them only by naming them, or something in them.
func protected() []string {
	return []string{
		".github/workflows", ".github/actions", ".github/warden", ".gitlab/warden", ".gitlab-ci.yml",
		"CODEOWNERS", ".github/CODEOWNERS", ".gitlab/CODEOWNERS", "docs/CODEOWNERS",
	}
}

const workflows = ".github/workflows"

// Outside returns what the tree changes although the task does not cover it, in
// the order of paths. Changes under .warden are not among them: the contract is
// compared by itself, and a contract that was never committed is no change of
// the candidate's.
func Outside(task contract.Task, tree git.Snapshot) []Violation {
	var out []Violation
	for _, path := range tree.SourcePaths() {
		if why := outside(task, path); why != "" {
			out = append(out, Violation{Path: path, Why: why})
		}
	}
	for _, refusal := range tree.Refused {
		out = append(out, Violation{Path: refusal.Path, Why: refusal.Why})
	}
	slices.SortStableFunc(out, func(a, b Violation) int { return strings.Compare(a.Path, b.Path) })
	return slices.CompactFunc(out, func(a, b Violation) bool { return a == b })
}

func outside(task contract.Task, path string) string {
	if !task.InScope(path) {
		return "outside the scope"
	}
	for _, p := range protected() {
		if within(path, p) && !slices.ContainsFunc(task.Scope, func(s string) bool { return within(s, p) }) {
			return p + " is protected: a scope has to name it"
		}
	}
	return ""
}

// Unpublishable returns the paths that a forge does not take from a token such as
// ours, whatever the scope says, in their order.
func Unpublishable(paths []string) []string {
	var out []string
	for _, p := range paths {
		if within(p, workflows) {
			out = append(out, p)
		}
	}
	return out
}

// within reports whether path is dir or lies in it. Case is ignored, since a file
// system may ignore it where the candidate is checked out.
func within(path, dir string) bool {
	path, dir = strings.ToLower(path), strings.ToLower(dir)
	return path == dir || strings.HasPrefix(path, dir+"/")
}

// moved returns the source paths whose state differs between two trees.
func moved(before, after git.Snapshot) []string {
	states := func(s git.Snapshot) map[string]git.Change {
		m := map[string]git.Change{}
		for _, c := range s.Changes {
			m[c.Path] = c
		}
		return m
	}
	old, now := states(before), states(after)
	var out []string
	for _, p := range slices.Concat(before.SourcePaths(), after.SourcePaths()) {
		if old[p] != now[p] {
			out = append(out, p)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func describe(violations []Violation) []string {
	out := make([]string, len(violations))
	for i, v := range violations {
		out[i] = fmt.Sprintf("%s (%s)", v.Path, v.Why)
	}
	return out
}

// list joins texts for a sentence and says how many it left out.
func list(items []string) string {
	const most = 20
	if len(items) <= most {
		return strings.Join(items, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(items[:most], ", "), len(items)-most)
}
