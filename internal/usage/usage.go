// Package usage counts what vendor calls cost. A vendor that reported nothing
// is unknown, and unknown is never zero: sums carry how many calls did not say.
package usage

import (
	"encoding/json"
	"math"
)

// Most is the largest amount of anything that a vendor can report: dollars, tokens or
// turns. A larger one is a fault of the vendor, and not an amount.
const Most = 1e15

// Amount is a quantity that a vendor may not have reported. The zero value is
// unknown. It encodes as a JSON number, or null when unknown.
type Amount struct {
	value float64
	known bool
}

// Known returns an amount. One that has no finite number, as a sum of what an altered
// ledger says may have none, is the largest that there is.
func Known(v float64) Amount {
	if math.IsInf(v, 1) {
		v = math.MaxFloat64
	}
	return Amount{value: v, known: true}
}

// Reported returns what a vendor says, or unknown where that is no amount: less than
// zero, more than Most, or no number.
func Reported(v float64) Amount {
	if !(v >= 0 && v <= Most) {
		return Amount{}
	}
	return Known(v)
}

// Get returns the amount and whether it was reported.
func (a Amount) Get() (float64, bool) { return a.value, a.known }

// MarshalJSON implements json.Marshaler.
func (a Amount) MarshalJSON() ([]byte, error) {
	if !a.known {
		return []byte("null"), nil
	}
	return json.Marshal(a.value)
}

// UnmarshalJSON implements json.Unmarshaler; null is unknown.
func (a *Amount) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*a = Amount{}
		return nil
	}
	a.known = true
	return json.Unmarshal(b, &a.value)
}

// Call is what one vendor call reported of itself.
type Call struct {
	CostUSD Amount `json:"cost_usd"`
	Input   Amount `json:"input_tokens"`
	Output  Amount `json:"output_tokens"`
	Total   Amount `json:"total_tokens"`
	Turns   Amount `json:"num_turns"`
}

// Total is a sum of calls that remembers how many of them were silent.
type Total struct {
	Calls    int    `json:"calls"`
	CostUSD  Amount `json:"cost_usd"`
	Unpriced int    `json:"unpriced_calls"`
	Input    Amount `json:"input_tokens"`
	Output   Amount `json:"output_tokens"`
	Untold   int    `json:"tokens_unknown_calls"`
}

// Add returns the total with one more call. A sum to which nobody contributed
// stays unknown.
func (t Total) Add(c Call) Total {
	t.Calls++
	t.CostUSD, t.Unpriced = plus(t.CostUSD, c.CostUSD, t.Unpriced)
	t.Input, t.Untold = plus(t.Input, c.Input, t.Untold)
	t.Output, _ = plus(t.Output, c.Output, 0)
	return t
}

func plus(sum, more Amount, silent int) (Amount, int) {
	if !more.known {
		return sum, silent + 1
	}
	return Known(sum.value + more.value), silent
}
