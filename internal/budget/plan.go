package budget

import (
	"slices"

	"github.com/tolboy/warden/internal/usage"
	"github.com/tolboy/warden/internal/workflow"
)

// Branch is what a repair of one stage costs, in vendor calls.
type Branch struct {
	Stage      string `json:"stage"`
	Repair     int    `json:"calls_needed_to_repair"`
	BeJudged   int    `json:"calls_to_repair_and_be_judged"`
	Finish     int    `json:"calls_to_repair_and_finish"`
	Required   int    `json:"calls_required_here"`
	EveryRound int    `json:"calls_with_every_round_here"` // a pass of the chain in which each round is for this stage
	Reachable  bool   `json:"reachable_under_cap"`
	Affordable bool   `json:"repair_allowed_under_cap"`
}

func (b Branch) required(r Reserve) int {
	if r == Partial {
		return b.BeJudged
	}
	return b.Finish
}

// Price is what one call of a profile that may be asked can cost at most.
type Price struct {
	Role    string       `json:"role"`
	Profile string       `json:"profile"`
	AtMost  usage.Amount `json:"max_cost_usd"` // null when the profile promises nothing
}

// AtMost reads the promise of a profile; one that is not above zero is none.
func AtMost(usd float64) usage.Amount {
	if usd <= 0 {
		return usage.Amount{}
	}
	return usage.Known(usd)
}

// Terms are what a forecast is made of, beside the chain and the limits.
type Terms struct {
	Rounds int // fix rounds that are left
	Prior  Spent
	Prices []Price
}

// Forecast is the arithmetic of a run before its first call.
type Forecast struct {
	Cap        int      `json:"requested_cap"`
	Minimum    int      `json:"minimum_success_calls"`
	Paying     []string `json:"paying_stages"`
	Sufficient bool     `json:"sufficient_for_success"`
	Reserve    Reserve  `json:"repair_reserve"`
	Branches   []Branch `json:"recovery_branches"`

	Used     int          `json:"calls_used_before"`
	Left     int          `json:"worst_case_calls"` // retries and substitutes included, there can be no more
	Rounds   int          `json:"rounds_left"`
	CostCap  string       `json:"cost_cap"`        // "none", "threshold" or "strict"
	Cost     usage.Amount `json:"worst_case_usd"`  // null when a profile promises nothing
	Charged  usage.Amount `json:"cost_usd_before"` // as reported
	Unpriced int          `json:"unpriced_calls_before"`
	Prices   []Price      `json:"prices"`
	Elapsed  int64        `json:"elapsed_seconds_before"`
	Deadline int64        `json:"max_elapsed_seconds,omitempty"`
}

// Plan computes the forecast of a chain.
func Plan(steps []workflow.Step, l Limits, t Terms) Forecast {
	f := Forecast{Cap: l.Calls, Reserve: l.Reserve, Paying: []string{}, Branches: []Branch{},
		Used: t.Prior.Calls, Left: max(l.Calls-t.Prior.Calls, 0), Rounds: t.Rounds,
		Charged: t.Prior.Total.CostUSD, Unpriced: t.Prior.Total.Unpriced, Prices: append([]Price{}, t.Prices...),
		Elapsed: int64(t.Prior.Elapsed.Seconds()), Deadline: int64(l.Elapsed.Seconds())}
	for _, s := range steps {
		if pays(s) {
			f.Paying = append(f.Paying, s.Name)
		}
	}
	f.Minimum = len(f.Paying)
	f.Sufficient = f.Left >= f.Minimum
	for i, s := range steps {
		if s.Skip != "" || (s.OnFail != workflow.RouteFix && s.OnFindings != workflow.RouteFix) {
			continue
		}
		b := Repair(steps, i)
		b.Required = b.required(l.Reserve)
		b.EveryRound = f.Minimum + t.Rounds*b.Repair
		b.Reachable = f.Left >= f.Minimum-after(steps, i)+b.Finish
		b.Affordable = f.Left >= f.Minimum-after(steps, i)+b.Required
		f.Branches = append(f.Branches, b)
	}
	f.CostCap, f.Cost = worstCost(l, t, f.Left)
	return f
}

// worstCost is what the calls that are left can cost at most, as far as anybody
// promises anything. A ceiling that is no strict one bounds nothing: the call that
// passes it has been made.
func worstCost(l Limits, t Terms, calls int) (string, usage.Amount) {
	dearest, known := 0.0, len(t.Prices) > 0
	for _, p := range t.Prices {
		bound, promised := p.AtMost.Get()
		dearest, known = max(dearest, bound), known && promised
	}
	kind, strict := "none", l.CostUSD > 0 && l.Strict
	switch {
	case strict:
		kind = "strict"
	case l.CostUSD > 0:
		kind = "threshold"
	}
	if !known {
		return kind, usage.Amount{}
	}
	worst := float64(calls) * dearest
	if strict {
		charged, _ := t.Prior.Total.CostUSD.Get()
		worst = min(worst, max(l.CostUSD-charged-t.Prior.Promised, 0))
	}
	return kind, usage.Known(worst)
}

// Unpromised are the profiles that may be asked and promise no price, so that a
// strict cap cannot be held.
func Unpromised(prices []Price) []string {
	var out []string
	for _, p := range prices {
		if _, promised := p.AtMost.Get(); !promised && !slices.Contains(out, p.Profile) {
			out = append(out, p.Profile)
		}
	}
	return out
}
