package metrics

import (
	"slices"

	"github.com/tolboy/warden/internal/usage"
)

// Sum is a quantity over many calls. Total is null where no call reported it, and
// where a ledger is missing from it: then AtLeast says what is known.
type Sum struct {
	Known   int          `json:"known_count"`
	Unknown int          `json:"unknown_count"`
	Total   usage.Amount `json:"total"`
	AtLeast usage.Amount `json:"at_least,omitzero"`
}

// Spread is a Sum with what is usual and what is long, by nearest rank: a value
// that occurred, never one between two.
type Spread struct {
	Sum
	P50 usage.Amount `json:"p50"`
	P95 usage.Amount `json:"p95"`
}

// values gathers the reports of one quantity. A nil report is unknown.
type values struct {
	known   []float64
	unknown int
}

// add takes a report in. One that can be no amount would spoil every sum, and counts
// as none.
func (v *values) add(report *float64) {
	if report == nil || usage.Reported(*report) == (usage.Amount{}) {
		v.unknown++
		return
	}
	v.known = append(v.known, *report)
}

func (v *values) sum(complete bool) Sum {
	s := Sum{Known: len(v.known), Unknown: v.unknown}
	if len(v.known) == 0 {
		return s
	}
	total := 0.0
	for _, one := range v.known {
		total += one
	}
	if complete {
		s.Total = usage.Known(total)
	} else {
		s.AtLeast = usage.Known(total)
	}
	return s
}

func (v *values) spread(complete bool) Spread {
	s := Spread{Sum: v.sum(complete)}
	if len(v.known) == 0 || !complete {
		return s
	}
	sorted := slices.Sorted(slices.Values(v.known))
	s.P50, s.P95 = usage.Known(rank(sorted, 50)), usage.Known(rank(sorted, 95))
	return s
}

// rank is the smallest value that percent of all are not above.
func rank(sorted []float64, percent int) float64 {
	return sorted[max(1, (len(sorted)*percent+99)/100)-1]
}
