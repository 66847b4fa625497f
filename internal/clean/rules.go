// Package clean says what of the past may be taken away: runs that are decided and
// done with, and what killed processes left. It never names what a person still has to
// decide on, and takes a ledger away only where a copy of it verifies.
package clean

import (
	"strings"
	"time"

	"github.com/tolboy/warden/internal/decision"
	"github.com/tolboy/warden/internal/ledger"
)

// Reason is why something stays.
type Reason string

// The reasons. No reason at all means that it may be taken away.
const (
	TooRecent   Reason = "too_recent"
	Unfinished  Reason = "unfinished"
	Waiting     Reason = "waits_for_a_person"
	NotLanded   Reason = "not_landed"
	Altered     Reason = "ledger_altered"
	Tracked     Reason = "tracked_by_git"
	Continued   Reason = "continued_by_a_kept_run"
	InUse       Reason = "in_use"
	Uncommitted Reason = "uncommitted_work"
	Locked      Reason = "locked"
	NotCopied   Reason = "not_copied"
	NotRemoved  Reason = "not_removed"
	Linked      Reason = "linked"
	Moved       Reason = "moved"
	OnABranch   Reason = "branch_remains"
)

// Rule judges one run by its history and by where its question stands: asked is false
// where nobody was asked. Its last line must be from before the moment.
type Rule func(h ledger.History, asked bool, s decision.State, before time.Time) Reason

// Run is the Rule for a run of this machine: what was accepted must have been landed.
func Run(h ledger.History, asked bool, s decision.State, before time.Time) Reason {
	return judge(h, asked, s, before, landed)
}

// OnForge is the Rule for a run that answered an issue: there people merge, or do not,
// and no ledger says so. One that answers no issue is not known.
func OnForge(h ledger.History, asked bool, s decision.State, before time.Time) Reason {
	if h.Run.Forge == nil || h.Run.Forge.Issue < 1 {
		return Altered
	}
	if isLog(h) { // it is never sealed; whether its issue is done, its runs say
		switch n := len(h.Lines); {
		case !h.Complete() || h.Torn > 0 || n == 0:
			return Altered
		case !h.Lines[n-1].At.Before(before):
			return TooRecent
		}
		return ""
	}
	return judge(h, asked, s, before, func(ledger.History) bool { return true })
}

func judge(h ledger.History, asked bool, s decision.State, before time.Time, landed func(ledger.History) bool) Reason {
	line, sealed := h.Sealed()
	var end ledger.Ending
	last := h.Run.ReservedAt
	if n := len(h.Lines); n > 0 {
		last = h.Lines[n-1].At
	}
	switch {
	case !h.Complete() || h.Torn > 0:
		return Altered
	case !sealed, line.Decode(&end) != nil, !asked && end.NextAction != "none":
		return Unfinished // or a person was not asked yet
	case asked && s.State != decision.Resolved:
		return Waiting
	case asked && s.Decision != nil && *s.Decision == decision.Accept && !landed(h):
		return NotLanded
	case !last.Before(before):
		return TooRecent
	}
	return ""
}

// landed reports whether the candidate became a commit of the operator's branch.
func landed(h ledger.History) bool {
	for _, l := range h.Lines {
		if l.Type != ledger.TypeDone {
			continue
		}
		var done ledger.Done
		if l.Decode(&done) == nil && done.OK && done.Purpose == "land_commit" {
			return true
		}
	}
	return false
}

// isLog reports whether it is what an issue was told outside of its runs.
func isLog(h ledger.History) bool {
	return h.Run.Forge != nil && h.Run.Forge.Trigger == "log" && strings.HasSuffix(h.Run.RunID, "-log")
}
