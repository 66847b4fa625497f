package decision

import (
	"time"

	"github.com/tolboy/warden/internal/ledger"
)

// expiry is when a question that is put at a moment expires by what the run reserved,
// or zero.
func expiry(h ledger.History, at time.Time) time.Time {
	for _, l := range h.Lines {
		var r ledger.RunReserved
		if l.Type != ledger.TypeRunReserved || l.Decode(&r) != nil {
			continue
		}
		if ttl := r.Limits.GateTTLSeconds; ttl > 0 {
			return at.Add(time.Duration(ttl) * time.Second).UTC()
		}
	}
	return time.Time{}
}

// Expired reports whether an answer came too late. What refuses never does: it permits
// nothing.
func (s State) Expired(word string, answered time.Time) bool {
	return !s.ExpiresAt.IsZero() && Permits(word) && !answered.Before(s.ExpiresAt)
}
