package git

import (
	"context"
	"fmt"
	"strings"
)

// NoFilters returns settings under which git starts no filter that the repository
// at dir, its user or the system define. Writing an index can start one: git
// compares files that are as young as the index. Reading settings runs no program.
func (g *Git) NoFilters(ctx context.Context, dir string) ([]string, error) {
	s, err := g.Settings(ctx, dir)
	if err != nil {
		return nil, err
	}
	off, err := s.NoFilters()
	if err != nil {
		return nil, fmt.Errorf("%w, in %s", err, dir)
	}
	return off, nil
}

// NoFilters returns settings that switch off every filter among s.
func (s Settings) NoFilters() ([]string, error) {
	var out []string
	for _, name := range s.filters {
		if strings.ContainsAny(name, "=\n") {
			return nil, fmt.Errorf("switch off the filters: one is named %q, which no setting can override", name)
		}
		out = append(out, "filter."+name+".clean=", "filter."+name+".smudge=", "filter."+name+".process=", "filter."+name+".required=false")
	}
	return out, nil
}

// filterName is NAME of the key filter.NAME.VARIABLE. The name keeps its case.
func filterName(key string) (string, bool) {
	section, rest, _ := strings.Cut(key, ".")
	at := strings.LastIndexByte(rest, '.')
	if !strings.EqualFold(section, "filter") || at < 0 {
		return "", false
	}
	return rest[:at], true
}
