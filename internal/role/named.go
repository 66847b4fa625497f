package role

import (
	"fmt"
	"strings"

	"github.com/tolboy/warden/internal/contract"
)

// set is a name of the contract with what it stands for.
type set struct {
	name  string
	items []string
}

func checkSets(p contract.Project) []set {
	var out []set
	for _, s := range p.CheckSets {
		out = append(out, set{s.Name, s.Commands})
	}
	return out
}

func scopeSets(p contract.Project) []set {
	var out []set
	for _, s := range p.Scopes {
		out = append(out, set{s.Name, s.Paths})
	}
	return out
}

// named lists what a plan may name, one on a line.
func named(sets []set) string {
	if len(sets) == 0 {
		return "(none)"
	}
	lines := make([]string, 0, len(sets))
	for _, s := range sets {
		shown := make([]string, 0, len(s.items))
		for _, item := range s.items {
			shown = append(shown, inline(item))
		}
		if len(shown) == 0 {
			shown = []string{"(nothing yet)"}
		}
		lines = append(lines, fmt.Sprintf("- %s: %s", inline(s.name), strings.Join(shown, ", ")))
	}
	return strings.Join(lines, "\n")
}
