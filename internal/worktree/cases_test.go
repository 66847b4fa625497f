package worktree

import "testing"

// TestCases runs the defect cases under their literal ids.
func TestCases(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"GF-13 worktree under an aliased path", caseGF13WorktreeUnderAnAliasedPath},
		{"IS-01 nothing of the repository runs", caseIS01NothingOfTheRepositoryRuns},
		{"IS-01 operators checkout is not touched", caseIS01OperatorsCheckoutIsNotTouched},
		{"IS-02 isolation cannot be made", caseIS02IsolationCannotBeMade},
		{"IS-04 same task asked twice", caseIS04SameTaskAskedTwice},
	} {
		t.Run(c.name, c.run)
	}
}
