package cli

import (
	"fmt"

	"github.com/tolboy/warden/internal/ledger"
)

// verdictOf says in a sentence what a verification shows, and what it does not; program
// is how a person starts this one.
func verdictOf(v ledger.Verification, program string) string {
	if !v.OK {
		return fmt.Sprintf("%s: %s", v.Code, v.First)
	}
	sum := fmt.Sprintf("%s %s: %d lines, %d files", v.Code, v.RunID, v.Lines, v.Files)
	switch {
	case v.Code == ledger.CodeUnsealed:
		return sum + "; its work has not ended: it is running, or was cut off, and " + program + " status says which"
	case v.Code == ledger.CodeVerifiedToAnchor:
		return sum + fmt.Sprintf("; the anchor covers the first %d lines and no decision behind them: "+
			"compare the head of the decision to cover that too", v.AnchoredLines)
	case !v.Anchored:
		return sum + "; the parts fit each other, and nothing was compared with a head kept elsewhere (--against)"
	case v.UnanchoredLines > 0:
		return sum + fmt.Sprintf("; the anchor covers the first %d lines, the last decision among them", v.AnchoredLines)
	}
	return sum + "; the anchor covers all of them"
}
