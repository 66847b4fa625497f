package metrics

import (
	"slices"

	"github.com/tolboy/warden/internal/ledger"
)

// record is the part of an event that is counted.
type record interface {
	member(c *cursor, key []byte)
}

// pick reads the data of a line into a record that is zero. It is false where the
// line is for encoding/json.
func pick(line []byte, into record) bool {
	c := cursor{b: line}
	found := false
	c.object(func(key []byte) {
		if string(key) != "data" {
			c.skip()
			return
		}
		if found || c.peek() != '{' {
			c.fail()
			return
		}
		found = true
		c.object(func(key []byte) { into.member(&c, key) })
	})
	return c.peek() == 0 && c.i == len(line) && !c.off && found
}

// take reads the data of an event as T.
func take[T any, P interface {
	*T
	record
}](e ledger.Event, use func(T)) error {
	var quick T
	if pick(e.Raw(), P(&quick)) {
		use(quick)
		return nil
	}
	var data T
	if err := e.Decode(&data); err != nil {
		return err
	}
	use(data)
	return nil
}

func (r *reserved) member(c *cursor, key []byte) {
	if string(key) == "preparation" {
		c.truth(&r.Preparation)
		return
	}
	c.skip()
}

func (r *roleRun) member(c *cursor, key []byte) {
	switch string(key) {
	case "role":
		text(c, &r.Role)
	case "ok":
		c.truth(&r.OK)
	case "code":
		text(c, &r.Code)
	case "profile":
		text(c, &r.Profile)
	case "vendor":
		text(c, &r.Vendor)
	case "runner":
		text(c, &r.Runner)
	case "model":
		text(c, &r.Model)
	case "model_reported":
		text(c, &r.ModelReported)
	case "vendor_attempts":
		if r.Calls != nil || c.peek() != '[' {
			c.fail()
			return
		}
		r.Calls = []vendorCall{}
		c.list('[', ']', func() {
			var one vendorCall
			c.object(func(key []byte) { one.member(c, key) })
			r.Calls = append(r.Calls, one)
		})
	case "failed_over_from":
		text(c, &r.FailedOverFrom)
	case "usage":
		c.object(func(key []byte) {
			if string(key) == "calls" {
				c.count(&r.Usage.Calls)
				return
			}
			r.Usage.member(c, key)
		})
	case "duration_millis":
		c.amount(&r.Duration)
	case "reused_from":
		text(c, &r.ReusedFrom)
	case "dry_run":
		c.truth(&r.DryRun)
	default:
		c.skip()
	}
}

func (v *vendorCall) member(c *cursor, key []byte) {
	switch string(key) {
	case "call_id":
		text(c, &v.CallID)
	case "profile":
		text(c, &v.Profile)
	case "vendor":
		text(c, &v.Vendor)
	case "runner":
		text(c, &v.Runner)
	case "model":
		text(c, &v.Model)
	case "model_reported":
		text(c, &v.ModelReported)
	case "code":
		text(c, &v.Code)
	case "duration_millis":
		c.amount(&v.Duration)
	case "usage":
		c.object(func(key []byte) { v.Usage.member(c, key) })
	default:
		c.skip()
	}
}

func (r *reported) member(c *cursor, key []byte) {
	names := [...]string{"cost_usd", "input_tokens", "output_tokens", "total_tokens"}
	into := [...]**float64{&r.Cost, &r.Input, &r.Output, &r.Total}
	if i := slices.Index(names[:], string(key)); i >= 0 {
		c.amount(into[i])
		return
	}
	c.skip()
}

func (s *started) member(c *cursor, key []byte) {
	switch string(key) {
	case "call_id":
		text(c, &s.CallID)
	case "role":
		text(c, &s.Role)
	case "profile":
		text(c, &s.Profile)
	case "vendor":
		text(c, &s.Vendor)
	case "model":
		text(c, &s.Model)
	default:
		c.skip()
	}
}

func (g *gateRun) member(c *cursor, key []byte) {
	switch string(key) {
	case "ok":
		c.truth(&g.OK)
	case "reused_from":
		text(c, &g.ReusedFrom)
	default:
		c.skip()
	}
}

func (e *ending) member(c *cursor, key []byte) {
	switch string(key) {
	case "ok":
		c.truth(&e.OK)
	case "reason":
		text(c, &e.Code)
	default:
		c.skip()
	}
}

func (a *answer) member(c *cursor, key []byte) {
	switch string(key) {
	case "decision":
		text(c, &a.Decision)
	case "source":
		text(c, &a.Source)
	case "wait_millis":
		c.amount(&a.Wait)
	default:
		c.skip()
	}
}
