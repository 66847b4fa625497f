package ledger

import (
	"fmt"
	"slices"
	"time"

	"github.com/tolboy/warden/internal/usage"
)

// MaxChain bounds how many runs continue each other.
const MaxChain = 1000

// Past is what a run takes over from the run that it continues, and from those
// that this one continues.
type Past struct {
	Runs    []History // newest first
	counted int
	Chain   Chain // spent since the last rejection, which starts a new count
}

// Counted are the runs since the last rejection, newest first.
func (p Past) Counted() []History { return p.Runs[:p.counted] }

// ReadPast reads the run of the id and every run before it. It takes no sum from
// the head of a run: each run is added up again from its own lines.
func ReadPast(read func(id string) (History, error), id string) (Past, error) {
	var p Past
	counting := true
	for range MaxChain {
		h, err := read(id)
		if err != nil {
			return p, fmt.Errorf("read run %q, which is continued: %w", id, err)
		}
		p.Runs = append(p.Runs, h)
		decided, err := LastDecision(h)
		if err != nil {
			return p, err
		}
		counting = counting && (decided == nil || decided.Decision != "reject")
		if counting {
			spent, err := h.Spent()
			if err != nil {
				return p, err
			}
			p.Chain = p.Chain.plus(spent)
			p.counted++
		}
		if id = h.Run.Continues; id == "" {
			return p, nil
		}
	}
	return p, fmt.Errorf("read the runs that are continued: more than %d", MaxChain)
}

// Reserved is the first event of a run: its task and its plan. A run that ended
// before it was written has an empty one.
func Reserved(h History) (RunReserved, error) {
	var r RunReserved
	for _, l := range h.Lines {
		if l.Type == TypeRunReserved {
			return r, l.Decode(&r)
		}
	}
	return r, nil
}

// LastDecision is the last answer that a person gave, or nil.
func LastDecision(h History) (*HumanDecision, error) {
	for _, l := range slices.Backward(h.Lines) {
		if l.Type == TypeHumanDecision {
			d := new(HumanDecision)
			return d, l.Decode(d)
		}
	}
	return nil, nil
}

// plus adds two sums up.
func (c Chain) plus(d Chain) Chain {
	c.Runs, c.RoleRuns, c.FixAttempts = c.Runs+d.Runs, c.RoleRuns+d.RoleRuns, c.FixAttempts+d.FixAttempts
	c.Unpriced, c.Unbounded = c.Unpriced+d.Unpriced, c.Unbounded+d.Unbounded
	c.ElapsedMillis, c.PromisedUSD = c.ElapsedMillis+d.ElapsedMillis, c.PromisedUSD+d.PromisedUSD
	if more, known := d.CostUSD.Get(); known {
		sum, _ := c.CostUSD.Get()
		c.CostUSD = usage.Known(sum + more)
	}
	return c
}

// Spent is what the run used up by itself. A call of which nothing was written down
// is in it, with a cost that is not known.
func (h History) Spent() (Chain, error) {
	c := Chain{Runs: 1}
	end, open, err := unfinished(h)
	if err != nil {
		return c, fmt.Errorf("add up run %q: %w", h.Run.RunID, err)
	}
	sealed, ended := h.Sealed()
	if ended {
		if err := sealed.Decode(&end); err != nil {
			return c, fmt.Errorf("add up run %q: %w", h.Run.RunID, err)
		}
		open = nil // they are in its sum
	}
	c.RoleRuns, c.FixAttempts = end.RoleRuns, end.AttemptsUsed
	c.CostUSD, c.Unpriced = end.Usage.CostUSD, end.Usage.Unpriced+len(open)
	if err := h.promised(&c); err != nil {
		return c, fmt.Errorf("add up run %q: %w", h.Run.RunID, err)
	}
	elapsed, err := h.elapsed(end, sealed, ended)
	c.ElapsedMillis = elapsed.Milliseconds()
	return c, err
}

// promised adds what the calls that named no price can have cost at most.
func (h History) promised(c *Chain) error {
	bound, silent := map[string]float64{}, c.Unpriced
	for _, l := range h.Lines {
		p, err := l.Payload()
		if err != nil {
			return err
		}
		switch v := p.(type) {
		case *VendorCallStarted:
			bound[v.CallID] = v.MaxCostUSD
		case *RoleRun:
			for _, call := range v.Calls {
				if _, priced := call.Usage.CostUSD.Get(); priced {
					delete(bound, call.CallID)
				}
			}
		}
	}
	for _, usd := range bound {
		if usd > 0 {
			c.PromisedUSD += usd
			silent--
		}
	}
	c.Unbounded = max(silent, 0)
	return nil
}

// elapsed is the time of work. A run that was cut off worked until its last line,
// and what it had begun then counts for as long as it was allowed to take, if not
// for the whole time until somebody noticed.
func (h History) elapsed(end Ending, sealed Line, ended bool) (time.Duration, error) {
	if ended && end.DurationMillis > 0 {
		return max(sealed.At.Sub(h.Run.ReservedAt), 0), nil
	}
	var last time.Time
	var limit time.Duration
	var gates time.Duration
	for _, l := range h.Lines {
		if l.Type == TypeInterrupted || Seals(l.Type) || l.SHA256 == sealed.SHA256 && ended {
			break
		}
		p, err := l.Payload()
		if err != nil {
			return 0, fmt.Errorf("add up run %q: %w", h.Run.RunID, err)
		}
		last, limit = l.At, 0
		switch v := p.(type) {
		case *RunReserved:
			gates = time.Duration(v.Limits.TimeoutSeconds) * time.Second
			limit = gates // of the baseline
		case *StageStarted:
			limit = gates
		case *VendorCallStarted:
			limit = time.Duration(v.LimitSeconds) * time.Second
		}
	}
	if last.IsZero() {
		return 0, nil
	}
	if ended {
		limit = min(limit, max(sealed.At.Sub(last), 0))
	}
	return max(last.Sub(h.Run.ReservedAt), 0) + limit, nil
}
