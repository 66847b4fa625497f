package ledger

import (
	"fmt"
	"slices"
)

// anchor looks for the hash that was kept elsewhere, and says how far it reaches.
func (v *Verification) anchor(c *chain, against string) {
	at := slices.IndexFunc(c.lines, func(l Line) bool { return l.SHA256 == against })
	switch sealed := c.sealed(); {
	case at < 0:
		c.fail(len(c.lines)+1, "head", fmt.Sprintf("no line has the given hash; the chain ends at line %d", len(c.lines)))
	case at < sealed:
		c.fail(len(c.lines)+1, "head", fmt.Sprintf("the given hash is that of line %d, before the work ended at line %d", at+1, sealed+1))
	default:
		v.Anchored, v.AnchoredLines, v.UnanchoredLines = true, at+1, len(c.lines)-at-1
	}
}

// decided returns the index of the last line that says what a person decided, or
// that it no longer holds, or -1.
func (c *chain) decided() int {
	for i, l := range slices.Backward(c.lines) {
		if l.Type == TypeHumanDecision || l.Type == TypeDecisionVoid {
			return i
		}
	}
	return -1
}

// coversDecision reports whether the first n lines hold the last decision. Where
// there is none, nothing is covered: an anchor from before a decision cannot tell
// one that was never made from one that was dropped.
func (c *chain) coversDecision(n int) bool {
	at := c.decided()
	return at >= 0 && at < n
}

// DecisionHead returns the hash of the last line in which a person decided, or in
// which that ceased to hold, or "". It is what to keep as an anchor of a decision:
// the sealed head lies before it.
func (h History) DecisionHead() string {
	c := chain{lines: h.Lines}
	if at := c.decided(); at >= 0 {
		return h.Lines[at].SHA256
	}
	return ""
}
