package worktree

import "github.com/tolboy/warden/internal/git"

// checkoutConfig gives a checkout the operator's line ends and file modes, and
// empties every filter: a filter is a program, and what is checked out may be a
// candidate.
func checkoutConfig(settings git.Settings) ([]string, error) {
	filters, err := settings.NoFilters()
	if err != nil {
		return nil, err
	}
	return append(append([]string{"checkout.workers=0"}, settings.Core...), filters...), nil
}
