package gate

import (
	"context"
	"errors"
	"fmt"

	"github.com/tolboy/warden/internal/git"
	"github.com/tolboy/warden/internal/outcome"
)

// Resolver finds commits.
type Resolver interface {
	Resolve(ctx context.Context, dir, rev string) (string, error)
	MergeBase(ctx context.Context, dir, a, b string) (string, error)
}

// Base is what a candidate is compared with.
type Base struct {
	Ref       string `json:"base_ref"`
	Commit    string `json:"base_commit"`
	MergeBase string `json:"merge_base"`
}

// PinBase resolves the base once, for all stages of a run: the merge base of HEAD
// and the ref, so that what happened upstream since is nobody's change. A ref that
// does not resolve is a verdict that names it; an error is git not answering.
func PinBase(ctx context.Context, g Resolver, root, ref string) (Base, Verdict, error) {
	base := Base{Ref: ref}
	var err error
	if base.Commit, err = g.Resolve(ctx, root, ref); err != nil {
		return unpinned(base, err)
	}
	head, err := g.Resolve(ctx, root, "HEAD")
	if err != nil {
		return unpinned(base, err)
	}
	if base.MergeBase, err = g.MergeBase(ctx, root, head, base.Commit); err != nil {
		return unpinned(base, err)
	}
	return base, Verdict{OK: true, Code: outcome.Passed}, nil
}

func unpinned(base Base, err error) (Base, Verdict, error) {
	v := Verdict{Code: outcome.BaseRefUnresolvable, Message: fmt.Sprintf("pin the base %q: %v", base.Ref, err)}
	var unresolvable *git.UnresolvableError
	switch {
	case !errors.As(err, &unresolvable):
		return base, v, fmt.Errorf("pin the base %q: %w", base.Ref, err)
	case unresolvable.Rev == "HEAD" && unresolvable.Other == "":
		v.Message += "; the repository has no commit yet"
	case !unresolvable.Shallow:
		v.Message += "; check base_ref in .warden/project.yaml, or fetch the branch that it names"
	}
	return base, v, nil
}
