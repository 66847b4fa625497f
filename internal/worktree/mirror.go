package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/tolboy/warden/internal/git"
)

// MirrorSpec says what a bare mirror is made of.
type MirrorSpec struct {
	Dir          string   // ends in ".git"
	ObjectFormat string   // "" means sha1
	Refspecs     []string // "+refs/heads/*:refs/remotes/origin/*"; must not reach refs/warden

	// Fetch brings the refspecs into gitDir. It holds the address and the
	// credential, neither of which is written into the mirror.
	Fetch func(ctx context.Context, gitDir string, refspecs ...string) error
}

// Mirror makes the bare repository at Dir, or takes the one that is there, and
// fetches into it. Worktrees are cut from it, so its settings name no remote and
// hold no credential, and the ledgers of runs are not in it. The contract is checked
// out from it as the commit has it, since the run is held to those bytes, whatever line
// ends the machine or the project wants elsewhere. It returns Dir with links resolved.
// Two calls for one directory must not overlap.
func Mirror(ctx context.Context, g *git.Git, s MirrorSpec) (string, error) {
	if !strings.HasSuffix(s.Dir, ".git") {
		return "", fmt.Errorf("make mirror %s: the name must end in .git", s.Dir)
	}
	if len(s.Refspecs) == 0 || s.Fetch == nil {
		return "", fmt.Errorf("make mirror %s: nothing to fetch", s.Dir)
	}
	for _, spec := range s.Refspecs {
		if err := checkRefspec(spec); err != nil {
			return "", fmt.Errorf("make mirror %s: %w", s.Dir, err)
		}
	}
	if err := os.MkdirAll(filepath.Dir(s.Dir), 0o700); err != nil {
		return "", fmt.Errorf("make mirror: %w", err)
	}
	if err := git.MakeDir(git.DirSpec{Dir: s.Dir, Bare: true, ObjectFormat: s.ObjectFormat, Verbatim: ".warden"}); err != nil {
		return "", fmt.Errorf("make mirror %s: %w", s.Dir, err)
	}
	dir, err := realPath(s.Dir)
	if err != nil {
		return "", fmt.Errorf("make mirror: %w", err)
	}
	if err := s.Fetch(ctx, dir, s.Refspecs...); err != nil {
		return "", fmt.Errorf("fill mirror %s: %w", dir, err)
	}
	return dir, nil
}

// checkRefspec refuses what would bring Warden's own refs near an agent, or
// write over the branches that worktrees are on.
func checkRefspec(spec string) error {
	from, to, ok := strings.Cut(strings.TrimPrefix(spec, "+"), ":")
	if !ok || to == "" {
		return fmt.Errorf("refspec %q names no place for what it fetches", spec)
	}
	for _, ref := range []string{from, to} {
		fixed, _, pattern := strings.Cut(ref, "*")
		switch {
		case strings.HasPrefix(ref, "refs/warden"), pattern && strings.HasPrefix("refs/warden/", fixed):
			return fmt.Errorf("refspec %q reaches refs/warden", spec)
		}
	}
	if !strings.HasPrefix(to, "refs/") {
		return fmt.Errorf("refspec %q: its place does not begin with refs/", spec)
	}
	if err := errors.Join(checkPattern(from), checkPattern(to)); err != nil {
		return fmt.Errorf("refspec %q: %w", spec, err)
	}
	return nil
}

func checkPattern(ref string) error {
	if git.IsObjectID(ref) {
		return nil
	}
	return git.CheckBranch(strings.Replace(ref, "*", "x", 1))
}
