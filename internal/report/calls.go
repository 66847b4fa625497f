package report

import (
	"cmp"
	"slices"

	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/usage"
)

// unknown stands for a vendor or model that was not recorded.
const unknown = "<unknown>"

// calls are the vendor calls of a run by vendor and model.
type calls struct {
	byModel map[[2]string]*Vendor
	all     usage.Total
	failed  int
}

func (b *builder) count(vendor, model string, c ledger.VendorCall) {
	b.calls.add(cmp.Or(vendor, unknown), cmp.Or(model, unknown), c)
}

func (s *calls) add(vendor, model string, c ledger.VendorCall) {
	key := [2]string{vendor, model}
	if s.byModel == nil {
		s.byModel = map[[2]string]*Vendor{}
	}
	v := s.byModel[key]
	if v == nil {
		v = &Vendor{Vendor: vendor, Model: model}
		s.byModel[key] = v
	}
	s.all = s.all.Add(c.Usage)
	v.Calls++
	if !c.OK {
		v.Failed++
		s.failed++
	}
	v.CostUSD = plus(v.CostUSD, c.Usage.CostUSD, &v.CostUnknown)
	v.DurationMillis = plus(v.DurationMillis, c.DurationMillis, &v.DurationUnknown)
	v.Input = plus(v.Input, c.Usage.Input, nil)
	v.Output = plus(v.Output, c.Usage.Output, nil)
	v.Total = plus(v.Total, tokens(c.Usage), &v.TokensUnknown)
}

// tokens is the total of a call: as reported, or the sum of its known parts.
func tokens(c usage.Call) usage.Amount {
	if _, known := c.Total.Get(); known {
		return c.Total
	}
	in, inKnown := c.Input.Get()
	out, outKnown := c.Output.Get()
	if inKnown && outKnown {
		return usage.Known(in + out)
	}
	return usage.Amount{}
}

// plus adds an amount to a sum. A sum to which nobody contributed stays unknown.
func plus(sum, more usage.Amount, silent *int) usage.Amount {
	m, known := more.Get()
	if !known {
		if silent != nil {
			*silent++
		}
		return sum
	}
	s, _ := sum.Get()
	return usage.Known(s + m)
}

// rows returns one row a model, by vendor and model.
func (s *calls) rows() []Vendor {
	rows := []Vendor{}
	for _, v := range s.byModel {
		rows = append(rows, *v)
	}
	slices.SortFunc(rows, func(a, b Vendor) int {
		return cmp.Or(cmp.Compare(a.Vendor, b.Vendor), cmp.Compare(a.Model, b.Model))
	})
	return rows
}

func (s *calls) total(t *Totals) {
	t.RoleRuns, t.FailedRoleRuns = s.all.Calls, s.failed
	t.CostUSD, t.UnpricedCalls = s.all.CostUSD, s.all.Unpriced
	t.CostCeilingBinding = s.all.Unpriced == 0
}
