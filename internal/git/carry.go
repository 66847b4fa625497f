package git

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
)

// Carry copies one commit, with whatever its tree has that its parents have not,
// from one git directory of Warden's own to another, and puts ref of the second
// there. The second must have the parents already; one that lacks them, or anything
// else of the commit, keeps its refs as they were. It is what a fetch between the
// two would do, without a server and its negotiation.
func (g *Git) Carry(ctx context.Context, from, to, commit, ref string) error {
	if err := g.carry(ctx, from, to, commit, ref); err != nil {
		return fmt.Errorf("carry commit %.12s: %w", commit, err)
	}
	return nil
}

func (g *Git) carry(ctx context.Context, from, to, commit, ref string) error {
	if !IsObjectID(commit) {
		return errors.New("it is no object id")
	}
	if err := CheckRef(ref); err != nil {
		return err
	}
	packs, err := filepath.Abs(filepath.Join(to, "objects", "pack"))
	if err != nil {
		return err
	}
	_, err = g.Do(ctx, Call{
		Dir: from, GitDir: from, Stdin: []byte(commit + "^!\n"),
		Args: []string{"pack-objects", "--quiet", "--revs", filepath.Join(packs, "pack")},
	})
	if err != nil {
		return err
	}
	// Nothing points to a commit that is not whole.
	if _, err := g.Do(ctx, Call{Dir: to, GitDir: to, Args: []string{"rev-list", "--objects", "--quiet", commit + "^!"}}); err != nil {
		return err
	}
	_, err = g.Do(ctx, Call{Dir: to, GitDir: to, Args: []string{"update-ref", ref, commit}})
	return err
}
