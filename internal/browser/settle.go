package browser

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// How long is waited for what.
const (
	loadLimit   = 20 * time.Second // until a document has loaded
	settleLimit = 5 * time.Second  // until it is quiet after that, or after an act
	knownLimit  = time.Second      // the same, for a page that has shown that it never is
	patience    = 2 * time.Second  // for a check that does not hold, and for an element that cannot be met
	waitForMost = 15 * time.Second // for wait-for

	stoppedLimit = 5 * time.Second // for a picture of a page whose script was stopped
)

// calm is what the page says when it is quiet, or why it is not.
type calm struct {
	Quiet  bool
	Kind   string // document, animation, fonts, network
	Detail string
	Ready  string
	URL    string
	Title  string
	Frames struct{ Same, Other int }
	View   struct {
		Width, Height float64
		Scale, Zoom   float64
	}
}

// settle waits until the page is quiet: its document has loaded, no request of it
// or of its workers is under way, and two frames have passed in which nothing of
// the document changed, no animation that has an end was running, and no font was
// loading. Streams have no end and are not waited for. A page that is not quiet in
// time is no error: it is judged as it is, and why is in the answer.
func (t *tab) settle(ctx context.Context, load, limit time.Duration) (calm, error) {
	deadline := time.Now().Add(load + limit)
	var last calm
	for {
		one, quiet, started := t.landedBy(ctx, deadline)
		if !quiet {
			if last.Kind == "" || last.Quiet {
				if err := t.askSettled(ctx, 0, 0, &last); err != nil {
					return last, err
				}
			}
			last.Quiet, last.Kind, last.Detail = false, "network", one
			return last, nil
		}
		err := t.askSettled(ctx, load, max(0, min(limit, time.Until(deadline))), &last)
		if errors.Is(err, errMoved) && time.Now().Before(deadline) {
			continue
		}
		if err != nil || !last.Quiet {
			return last, err
		}
		one, flying, now, _ := t.air()
		if behind, _ := t.gate.flying(); flying == 0 && behind == 0 && now == started {
			return last, nil
		}
		if !time.Now().Before(deadline) { // it asks again and again, however soon it is answered
			last.Quiet, last.Kind, last.Detail = false, "network", cmp.Or(one, "one request after another")
			return last, nil
		}
	}
}

func (t *tab) askSettled(ctx context.Context, load, limit time.Duration, out *calm) error {
	*out = calm{}
	return t.ask(ctx, fmt.Sprintf("warden.settle(%d, %d)", load.Milliseconds(), limit.Milliseconds()), load+limit, out)
}

// landedBy waits until no request is under way, and returns how many there have
// been until then, or one that still is when the time is over.
func (t *tab) landedBy(ctx context.Context, deadline time.Time) (one string, quiet bool, started int) {
	ctx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	for {
		one, flying, started, changed := t.air()
		behind, moved := t.gate.flying()
		if flying == 0 && behind == 0 {
			return "", true, started
		}
		if flying == 0 {
			one = "a worker's request"
		}
		select {
		case <-changed:
		case <-moved:
		case <-ctx.Done():
			return one, false, started
		}
	}
}

// unsettled is the reason in the report's words.
func (c calm) unsettled() string {
	if c.Quiet {
		return ""
	}
	if c.Ready != "" && c.Ready != "complete" && c.Kind != "network" {
		return "load: the document is still " + c.Ready
	}
	return strings.TrimSuffix(c.Kind+": "+c.Detail, ": ")
}
