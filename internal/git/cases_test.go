package git

import "testing"

// TestCases runs the defect cases under their literal ids.
func TestCases(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"EN-05 line ends of the checkout", caseEN05LineEndsOfTheCheckout},
		{"GF-01 read only proof sees achange in adirty file", caseGF01ReadOnlyProofSeesAChangeInADirtyFile},
		{"GF-02 committing does not move the fingerprint", caseGF02CommittingDoesNotMoveTheFingerprint},
		{"GF-04 deletion mode rename and restoring", caseGF04DeletionModeRenameAndRestoring},
		{"GF-04 restoring what head changed", caseGF04RestoringWhatHeadChanged},
		{"GF-05 own records do not move the fingerprint", caseGF05OwnRecordsDoNotMoveTheFingerprint},
		{"GF-05 records that the tree asks to show", caseGF05RecordsThatTheTreeAsksToShow},
		{"GF-08 changes count from the merge base", caseGF08ChangesCountFromTheMergeBase},
		{"GF-12 unresolvable base", caseGF12UnresolvableBase},
		{"GF-13 aliased path", caseGF13AliasedPath},
	} {
		t.Run(c.name, c.run)
	}
}
