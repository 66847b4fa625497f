package git

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// NoFilters returns settings under which git starts no filter that the repository
// at dir, its user or the system define. Writing an index can start one: git
// compares files that are as young as the index. Reading settings runs no program.
func (g *Git) NoFilters(ctx context.Context, dir string) ([]string, error) {
	defined, err := g.OperatorSettings(ctx, dir, `^filter\.`)
	if err != nil {
		return nil, err
	}
	var names []string
	for key := range defined {
		rest := strings.TrimPrefix(key, "filter.")
		at := strings.LastIndexByte(rest, '.')
		if at < 0 {
			continue
		}
		name := rest[:at]
		if strings.ContainsAny(name, "=\n") {
			return nil, fmt.Errorf("switch off the filters of %s: one is named %q, which no setting can override", dir, name)
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var out []string
	for _, name := range names {
		out = append(out, "filter."+name+".clean=", "filter."+name+".smudge=", "filter."+name+".process=", "filter."+name+".required=false")
	}
	return out, nil
}
