package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/tolboy/warden/internal/git"
	"github.com/tolboy/warden/internal/ledger"
)

// projects are the worktrees of the repository at dir that hold a contract.
func projects(ctx context.Context, g *git.Git, dir string) ([]string, error) {
	out, err := g.Run(ctx, dir, "worktree", "list", "--porcelain", "-z")
	if err != nil {
		return nil, err
	}
	var trees []string
	for field := range strings.SplitSeq(string(out), "\x00") {
		tree, ok := strings.CutPrefix(field, "worktree ")
		if !ok {
			continue
		}
		if _, err := os.Stat(filepath.Join(tree, ".warden", "project.yaml")); err == nil {
			trees = append(trees, tree)
		}
	}
	return trees, nil
}

// others are the projects of the other worktrees. Where git cannot say there are
// none: this only ever adds to what is said.
func (l *local) others(ctx context.Context) []string {
	g, err := git.New()
	if err != nil {
		return nil
	}
	trees, err := projects(ctx, g, l.root)
	if err != nil {
		return nil
	}
	var out []string
	for _, tree := range trees {
		if real, err := filepath.EvalSymlinks(tree); err == nil && real != l.root {
			out = append(out, real)
		}
	}
	return out
}

// holder is the other worktree that has the run, "" when none has.
func (l *local) holder(ctx context.Context, id string) string {
	if ledger.CheckRunID(id) != nil {
		return ""
	}
	for _, tree := range l.others(ctx) {
		if _, err := os.Stat(filepath.Join(tree, ".warden", "runs", id, "run.json")); err == nil {
			return tree
		}
	}
	return ""
}

// waitingElsewhere counts the questions that are open in other worktrees, and the runs
// there that have not ended: one that was cut off waits for a person too.
func (l *local) waitingElsewhere(ctx context.Context) int {
	n := 0
	for _, tree := range l.others(ctx) {
		n += len(waitingIn(tree, l.program)) + unended(filepath.Join(tree, ".warden", "runs"))
	}
	return n
}

func unended(runsDir string) int {
	ids, err := ledger.Runs(runsDir)
	if err != nil {
		return 0
	}
	n := 0
	for _, id := range ids {
		h, err := ledger.Read(runsDir, id)
		if _, sealed := h.Sealed(); err == nil && !sealed {
			n++
		}
	}
	return n
}
