package report

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tolboy/warden/internal/usage"
)

// money shows dollars with four decimals, or ? for an amount nobody reported.
func money(a usage.Amount) string {
	v, known := a.Get()
	if !known {
		return "?"
	}
	return strconv.FormatFloat(v, 'f', 4, 64)
}

// partial shows a sum of dollars, marked where some calls did not say.
func partial(a usage.Amount, silent int) string {
	if _, known := a.Get(); known && silent > 0 {
		return money(a) + "+?"
	}
	return money(a)
}

// whole shows a count, or ?.
func whole(a usage.Amount) string {
	v, known := a.Get()
	if !known {
		return "?"
	}
	return strconv.FormatFloat(v, 'f', 0, 64)
}

func pair(in, out usage.Amount) string { return whole(in) + "/" + whole(out) }

// verdict shows whether something passed, or ? where it did not finish.
func verdict(ok *bool) string {
	switch {
	case ok == nil:
		return "?"
	case *ok:
		return "ok"
	}
	return "no"
}

// who names the vendor and model of a row.
func who(vendor, model string) string {
	switch {
	case vendor == "" && model == "":
		return none
	case model == "" || model == unknown:
		return vendor
	}
	return vendor + "/" + model
}

// spent says in one sentence what the run cost, and what that does not cover.
func (t Totals) spent() string {
	s := fmt.Sprintf("%d vendor %s, %s", t.RoleRuns, plural(t.RoleRuns, "call"), dollars(t.CostUSD))
	if t.UnpricedCalls > 0 {
		s += fmt.Sprintf("; %d of them reported no price", t.UnpricedCalls)
		if t.MaxCostUSD > 0 {
			s += ", so the $ ceiling did not measure them"
		}
	}
	return s
}

func dollars(a usage.Amount) string {
	if m := money(a); m != "?" {
		return "$" + m
	}
	return "cost ?"
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

// oneLine keeps what may be shown on a terminal or in a cell: no line breaks, no
// control characters, nothing that turns text around.
func oneLine(s string) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case r < ' ', r >= 0x7f && r < 0xa0, r >= 0x200b && r <= 0x200f, r >= 0x2028 && r <= 0x202e, r >= 0x2060 && r <= 0x206f, r == 0xfeff:
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))), " ")
}
