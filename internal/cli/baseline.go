package cli

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"

	"github.com/tolboy/warden/internal/durable"
	"github.com/tolboy/warden/internal/scenario"
	"github.com/tolboy/warden/internal/visual"
)

// writeBaselines puts the pictures of a look that passed where a person can commit
// them, and returns their paths in the project.
func (k *look) writeBaselines(r visual.Report) ([]string, error) {
	dir, err := durable.MakeDir(filepath.Join(k.root, ".warden"))
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	if err := dir.Mkdir("baselines"); err != nil {
		return nil, err
	}
	var out []string
	for _, p := range r.Pictures {
		if p.Difference {
			continue
		}
		s, faults := scenario.Parse(k.task.Visual.Scenarios[p.Scenario-1])
		if len(faults) > 0 {
			return nil, faults
		}
		name := k.task.Visual.BaselineFile(s, p.Step)
		if err := dir.Replace(name, k.pictures[p.Path]); err != nil {
			return nil, fmt.Errorf("write a baseline: %w", err)
		}
		out = append(out, path.Join(".warden", name))
	}
	slices.Sort(out)
	return out, nil
}
