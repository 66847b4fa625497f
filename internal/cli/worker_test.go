package cli

import (
	"os"
	"testing"
	"time"

	"github.com/tolboy/warden/internal/ledger"
)

func TestWorking(t *testing.T) {
	t.Parallel()
	a := &app{environ: []string{"USER=ann"}}
	a.now = time.Now
	at := ledger.Place{Machine: "m", Boot: "b", Space: "s"}
	mine := a.worker()
	mine.Place = &at
	yes, no := true, false
	for name, c := range map[string]struct {
		change func(*ledger.Owner, *ledger.Place)
		want   *bool
	}{
		"this process":                  {func(*ledger.Owner, *ledger.Place) {}, &yes},
		"a number that is free":         {func(o *ledger.Owner, _ *ledger.Place) { o.PID = 1 << 30 }, &no},
		"a number used again":           {func(o *ledger.Owner, _ *ledger.Place) { o.Birth = "1" }, &no},
		"before the machine was booted": {func(_ *ledger.Owner, p *ledger.Place) { p.Boot = "earlier" }, &no},
		"another machine":               {func(o *ledger.Owner, p *ledger.Place) { p.Machine, o.PID = "other", 1<<30 }, nil},
		"another container":             {func(o *ledger.Owner, p *ledger.Place) { p.Space, o.PID = "other", 1<<30 }, nil},
		"a job":                         {func(o *ledger.Owner, _ *ledger.Place) { o.Kind, o.PID = "action", 1<<30 }, nil},
		"an older version, elsewhere":   {func(o *ledger.Owner, _ *ledger.Place) { o.Place, o.Host, o.PID = nil, "other", 1<<30 }, nil},
		"an older version, gone":        {func(o *ledger.Owner, _ *ledger.Place) { o.Place, o.PID = nil, 1<<30 }, &no},
	} {
		o, place := mine, at
		o.Place = &place
		c.change(&o, &place)
		if name == "a number used again" && birth(os.Getpid()) == "" {
			continue // nothing here tells that
		}
		got := working(o, &at)
		if (got == nil) != (c.want == nil) || got != nil && *got != *c.want {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}
