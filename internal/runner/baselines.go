package runner

import (
	"context"
	"fmt"

	"github.com/tolboy/warden/internal/git"
	"github.com/tolboy/warden/internal/scenario"
	"github.com/tolboy/warden/internal/visual"
)

// baselines are the pictures of the base commit that the task's scenarios have; nil
// when the task compares nothing. What the tree holds is not asked: it is the
// candidate's.
func (m *Machine) baselines(ctx context.Context, l Look) (*visual.Baselines, error) {
	v := l.Task.Visual
	if !v.Baseline {
		return nil, nil
	}
	var list []scenario.Scenario
	for _, text := range v.Scenarios {
		s, _ := scenario.Parse(text) // one that does not read was refused before
		list = append(list, s)
	}
	b := &visual.Baselines{Name: func(i, step int) string { return v.BaselineFile(list[i], step) }, Files: map[string][]byte{}, Tolerance: v.Tolerance}
	wanted := map[string]bool{}
	for i, s := range list {
		for step := range len(s.Steps) + 1 {
			wanted[".warden/"+b.Name(i, step)] = true
		}
	}
	all, err := m.Git.ListTree(ctx, l.Source, l.Base, ".warden/baselines")
	if err != nil {
		return nil, fmt.Errorf("list the baselines of %s: %w", l.Base, err)
	}
	var entries []git.TreeEntry
	for _, e := range all {
		if wanted[e.Path] && e.Regular() && e.Size <= visual.MaxPicture {
			entries = append(entries, e)
		}
	}
	blobs, err := m.Git.Blobs(ctx, l.Source, entries)
	if err != nil {
		return nil, fmt.Errorf("read the baselines of %s: %w", l.Base, err)
	}
	for i, e := range entries {
		b.Files[e.Path[len(".warden/"):]] = blobs[i]
	}
	return b, nil
}
