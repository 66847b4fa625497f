package cli

import (
	"context"

	"github.com/tolboy/warden/internal/vendor"
)

// orcaAnswers refuses isolation by Orca where Orca is not there, before a tree is
// made for it.
func (a *app) orcaAnswers(ctx context.Context, repo string) error {
	if err := vendor.New().Orca(ctx, a.environ, repo, "status"); err != nil {
		return orcaFailed(err, "start Orca, or use --isolation git")
	}
	return nil
}

// orcaKnows refuses a tree that Orca does not show. It was cut as any other, so that
// nothing of the repository ran and it holds the commit that was asked for.
func (a *app) orcaKnows(ctx context.Context, p place) error {
	if err := vendor.New().Orca(ctx, a.environ, p.repo, "worktree", "show", "--worktree", "path:"+p.tree.Dir); err != nil {
		return orcaFailed(err, "add the repository to Orca: orca repo add --path "+quoted(p.repo))
	}
	return nil
}

func orcaFailed(err error, hint string) error {
	return &refused{Code: "isolation_orca_failed", Message: err.Error(), Hint: hint}
}
