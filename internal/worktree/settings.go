package worktree

import (
	"context"

	"github.com/tolboy/warden/internal/git"
)

// checkoutSettings gives a checkout the operator's line ends and file modes, and
// empties every filter: a filter is a program, and what is checked out may be a
// candidate.
func checkoutSettings(ctx context.Context, g *git.Git, repo string) ([]string, error) {
	settings, err := g.Settings(ctx, repo)
	if err != nil {
		return nil, err
	}
	filters, err := settings.NoFilters()
	if err != nil {
		return nil, err
	}
	return append(append([]string{"checkout.workers=0"}, settings.Core...), filters...), nil
}
