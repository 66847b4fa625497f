package browser

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/chromedp/cdproto/input"

	"github.com/tolboy/warden/internal/scenario"
)

// digest is the state of the page that a person could tell from another.
type digest struct {
	DOM, State uint32
	Scroll     string
	URL        string
	Document   float64
	recorded   [3]int // dialogs, popups and offered files so far
}

func (t *tab) digest(ctx context.Context) (digest, error) {
	var d digest
	err := t.ask(ctx, "warden.digest()", 0, &d)
	t.mu.Lock()
	defer t.mu.Unlock()
	d.recorded = [3]int{len(t.dialogs), len(t.popups), len(t.offers)}
	return d, err
}

// since names what is not as it was in old.
func (d digest) since(old digest) []string {
	var out []string
	for _, c := range []struct {
		name    string
		changed bool
	}{
		{"page", d.Document != old.Document},
		{"document", d.DOM != old.DOM},
		{"state", d.State != old.State},
		{"address", d.URL != old.URL},
		{"scroll", d.Scroll != old.Scroll},
		{"dialog", d.recorded[0] > old.recorded[0]},
		{"popup", d.recorded[1] > old.recorded[1]},
		{"download", d.recorded[2] > old.recorded[2]},
	} {
		if c.changed {
			out = append(out, c.name)
		}
	}
	return out
}

// point rests the mouse on the element, and returns it with the state of the page
// before that. Where nothing can be pointed at, the row says why and found is not OK.
func (r *play) point(ctx context.Context, s scenario.Step, row *Step) (found, digest, error) {
	f, err := r.tab.inquire(ctx, "aim", s, patience)
	row.take(f)
	if r.acted = f.OK; err != nil || !f.OK {
		return f, digest{}, err
	}
	before, err := r.tab.digest(ctx)
	if err != nil {
		return f, before, err
	}
	return f, before, r.mouse(ctx, input.DispatchMouseEventTypeMouseMoved, f)
}

// changed tells what is not as it was before.
func (r *play) changed(ctx context.Context, row *Step, before digest) error {
	now, err := r.tab.digest(ctx)
	if err != nil {
		return err
	}
	row.Changed = now.since(before)
	row.DOMChanged = now.DOM != before.DOM || now.Document != before.Document
	return nil
}

// hover rests the pointer on the element, and tells what came of it: nothing need,
// since what only looks otherwise is no change of the document.
func (r *play) hover(ctx context.Context, s scenario.Step, row *Step) error {
	f, before, err := r.point(ctx, s, row)
	if err != nil || !f.OK {
		return err
	}
	if err := r.settle(ctx, 0); err != nil {
		return err
	}
	return r.changed(ctx, row, before)
}

// click presses the element with the mouse, proves that the press came to it, and
// that something came of it.
func (r *play) click(ctx context.Context, s scenario.Step, row *Step) error {
	f, before, err := r.point(ctx, s, row)
	if err != nil || !f.OK {
		return err
	}
	row.ClickedAt = &[2]int{int(math.Round(f.X)), int(math.Round(f.Y))}
	row.Hit, row.OK = f.Hit, false
	var still []byte
	if f.Canvas { // what is drawn on a canvas changes nothing else
		if err := r.settle(ctx, 0); err != nil {
			return err
		}
		if still, err = r.tab.capture(ctx); err != nil {
			return err
		}
	}
	if err := r.mouse(ctx, input.DispatchMouseEventTypeMousePressed, f); err != nil {
		return err
	}
	var struck found
	if err := r.tab.ask(ctx, "warden.struck()", 0, &struck); err != nil {
		return err
	}
	if err := r.mouse(ctx, input.DispatchMouseEventTypeMouseReleased, f); err != nil {
		return err
	}
	row.Hit = struck.Hit
	if !struck.OK {
		row.Why = "the press came to " + struck.Hit + " and not to it"
		return nil
	}
	return r.consequence(ctx, row, before, still)
}

// consequence waits until the page is quiet and for what came of an act, since an
// act of which nothing comes failed.
func (r *play) consequence(ctx context.Context, row *Step, before digest, still []byte) error {
	for deadline := time.Now().Add(patience); ; {
		if err := r.settle(ctx, 0); err != nil {
			return err
		}
		if err := r.changed(ctx, row, before); err != nil {
			return err
		}
		if len(row.Changed) == 0 && still != nil {
			picture, err := r.tab.capture(ctx)
			if err != nil {
				return err
			}
			if string(picture) != string(still) {
				row.Changed = []string{"pixels"}
			}
		}
		if row.OK = len(row.Changed) > 0; row.OK {
			if what := r.row.Unsettled; slices.Equal(row.Changed, []string{"document"}) && what != "" {
				row.Why = "the page changes by itself too (" + what + "), so this may not be what came of it"
			}
			return nil
		}
		if !time.Now().Before(deadline) {
			row.Why = fmt.Sprintf("nothing changed within %s of the click", patience)
			return nil
		}
		if err := r.tab.ask(ctx, "warden.changedBy(250)", time.Second, nil); err != nil {
			return err
		}
	}
}

func (r *play) mouse(ctx context.Context, kind input.DispatchMouseEventType, f found) error {
	p := input.DispatchMouseEventParams{Type: kind, X: f.X, Y: f.Y}
	if kind != input.DispatchMouseEventTypeMouseMoved {
		p.Button, p.ClickCount = input.MouseButtonLeft, 1
		if kind == input.DispatchMouseEventTypeMousePressed {
			p.Buttons = 1
		}
	}
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	_, err := call(ctx, r.tab.session, input.DispatchMouseEvent, p)
	return r.tab.explain(ctx, err)
}

// take copies what the page's side said into the row.
func (s *Step) take(f found) {
	s.OK, s.Why, s.Element, s.Visible, s.Count, s.Hit = f.OK, f.Why, f.Element, f.Visible, f.Count, f.Hit
	s.Unsearched = f.Unsearched
	if s.Hit != "" && f.OK && f.X == 0 && f.Y == 0 {
		s.Hit = ""
	}
}
