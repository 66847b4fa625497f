package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// sweep removes the private git directory and the home of a run. Run ids are unique
// in a project and these directories serve all of them: one that was made over
// another repository stays.
func (a *app) sweep(ctx context.Context, l *local, id string) error {
	state, err := a.stateRoot()
	if err != nil {
		return err
	}
	judge, home := filepath.Join(state, "judge", id+".git"), filepath.Join(state, "home", id)
	if !there(judge) && !there(home) {
		return nil
	}
	m, err := a.machine(ctx, l.root)
	if err != nil {
		return err
	}
	if there(judge) {
		common, err := m.Git.CommonDir(ctx, l.root)
		if err != nil {
			return err
		}
		lends, err := os.ReadFile(filepath.Join(judge, "objects", "info", "alternates"))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("read whose private git directory it is: %w", err)
		}
		if err == nil && !lentBy(string(lends), common) {
			return nil
		}
	}
	return m.Discard(id)
}

func there(name string) bool { _, err := os.Lstat(name); return err == nil }

// lentBy reports whether the objects of a repository are among the alternates.
func lentBy(alternates, common string) bool {
	want, err := filepath.EvalSymlinks(filepath.Join(common, "objects"))
	if err != nil {
		return false
	}
	return slices.Contains(strings.Split(strings.TrimSpace(alternates), "\n"), want)
}
