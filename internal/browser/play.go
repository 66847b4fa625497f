package browser

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"github.com/tolboy/warden/internal/scenario"
)

// play is one scenario under way.
type play struct {
	tab      *tab
	scenario scenario.Scenario
	options  Options
	row      *Scenario
	clock    *watch
	base     string // of the pictures' names
	moment   string // name of the moment that is judged and has no picture yet, or ""
	acted    bool   // the act that is under way has come to the page
	pictured *Step  // whose picture that will be; nil for the opening
}

// whole opens the page and runs the steps until one fails. Each moment is pictured
// when everything has been judged that is judged of it: the picture shows what the
// verdict is about.
func (r *play) whole(ctx context.Context) error {
	start := r.options.Address
	if path, named := r.scenario.Start(); named {
		start = r.at(path)
	}
	r.row.Address = start
	if err := r.open(ctx, start); err != nil || !r.row.OK {
		return r.last(ctx, err)
	}
	for _, s := range r.scenario.Steps {
		r.row.Steps = append(r.row.Steps, Step{Step: s.Number, Assertion: string(s.Act)})
		row := &r.row.Steps[len(r.row.Steps)-1]
		if s.Target.By != "" {
			row.Matcher = s.Target.String()
		}
		err := r.step(ctx, s, row)
		if err != nil {
			row.OK, row.Why = false, plain(err)
		}
		if left := r.tab.wentTo(); left != "" && row.OK {
			row.OK, row.Why = false, leftFor(left)
		}
		if !row.OK {
			r.row.fail(fmt.Sprintf("step %d: %s", s.Number, row.Why))
			return r.last(ctx, err)
		}
	}
	if status := r.tab.answered(); status >= 400 && !shows(r.scenario.Steps) {
		r.row.fail(fmt.Sprintf("the server answered with status %d, and the scenario asks for nothing that such a page would lack", status))
	}
	return r.last(ctx, nil)
}

// shows reports whether a step asks for something to be there. What is hidden, and
// a quiet console, is so on a page that is missing too.
func shows(steps []scenario.Step) bool {
	for _, s := range steps {
		if s.Target.By != "" && s.Act != scenario.Hidden && (s.Act != scenario.Count || s.Count > 0) {
			return true
		}
	}
	return false
}

// last pictures the moment at which it ended, where the page still answers or does
// once a script of it that has no end was stopped.
func (r *play) last(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return r.picture(ctx)
	case errors.Is(err, errCrashed):
		r.row.Picture = "none of its end: the tab crashed"
	case errors.Is(err, errSilent) && ctx.Err() == nil:
		return r.stopped(ctx, err)
	}
	return err
}

// stopped stops the script and pictures what it left. Silence stays the verdict.
func (r *play) stopped(ctx context.Context, silence error) error {
	r.row.Picture = "none of its end: the page did not answer"
	if _, err := post(ctx, r.tab.session, runtime.TerminateExecution, cdp.Empty{}); err != nil {
		return silence
	}
	ctx, cancel := context.WithTimeout(ctx, stoppedLimit)
	defer cancel()
	r.moment = cmp.Or(r.moment, r.base) + "-stopped"
	err := r.picture(ctx)
	var ours *unwritten
	switch {
	case errors.As(err, &ours):
		return err
	case err == nil:
		r.row.Picture = "of its end: taken once the script that runs without end was stopped"
	}
	return silence
}

// at is an address of the contract's origin.
func (r *play) at(path string) string { return origin(r.options.Address) + path }

func leftFor(address string) string {
	return "the page went to " + cut(address, 200) + ", which is no declared origin"
}

// open goes to an address and waits until it is quiet.
func (r *play) open(ctx context.Context, address string) error {
	r.moment, r.pictured = r.base, nil
	within, cancel := context.WithTimeout(ctx, loadLimit)
	defer cancel()
	back := r.clock.at(&r.clock.navigate)
	went, err := call(within, r.tab.session, page.Navigate, page.NavigateParams{URL: address})
	back()
	if err != nil && within.Err() != nil && ctx.Err() == nil {
		r.row.fail(fmt.Sprintf("the server did not answer within %s", loadLimit))
		r.moment = ""
		return nil
	}
	if err != nil {
		return r.tab.explain(ctx, err)
	}
	if left := r.tab.wentTo(); left != "" {
		r.row.fail(leftFor(left))
		return nil
	}
	if went.ErrorText != "" {
		why := went.ErrorText
		if r.row.Status = r.tab.answered(); r.row.Status > 0 {
			why = fmt.Sprintf("the server answered with status %d", r.row.Status)
		}
		r.row.fail("the page could not be opened: " + why)
		return nil
	}
	if err := r.tab.ask(ctx, "1", 0, nil); err != nil && !errors.Is(err, errMoved) {
		return err
	}
	if err := r.settle(ctx, loadLimit); err != nil {
		return err
	}
	if left := r.tab.wentTo(); left != "" {
		r.row.fail(leftFor(left))
	}
	r.row.Status = r.tab.answered()
	switch e := r.row.Effective; {
	case !r.row.Honoured:
		r.row.fail(fmt.Sprintf("the page was shown at %dx%d at scale %g, and not at %dx%d at scale 1%s",
			e.Width, e.Height, e.Scale, r.row.Viewport.Width, r.row.Viewport.Height, r.hint()))
	case r.row.Status >= 500:
		r.row.fail(fmt.Sprintf("the server answered with status %d", r.row.Status))
	}
	return nil
}

// hint says what commonly makes a telephone show a page at another size.
func (r *play) hint() string {
	if r.row.Viewport.Mobile {
		return " (a page without a viewport meta tag, or wider than the viewport, is zoomed out on a telephone)"
	}
	return ""
}

// settle waits until the page is quiet, and notes what it is then: size, title,
// frames, and why it is not quiet if it is not. load is how long its document may
// take.
func (r *play) settle(ctx context.Context, load time.Duration) error {
	defer r.clock.at(&r.clock.settle)()
	limit := settleLimit
	if r.row.Unsettled != "" {
		limit = knownLimit
	}
	c, err := r.tab.settle(ctx, load, limit)
	if err != nil {
		return err
	}
	if r.row.Unsettled == "" {
		r.row.Unsettled = c.unsettled()
	}
	r.row.Page, r.row.Frames, r.row.Closed = c.Title, c.Frames.Same, c.Frames.Other
	if r.row.Effective == nil {
		v := r.row.Viewport
		r.row.Effective = &Size{Width: round(c.View.Width), Height: round(c.View.Height), Scale: c.View.Scale * c.View.Zoom, Mobile: v.Mobile}
		r.row.Honoured = *r.row.Effective == v
	}
	return nil
}

func round(f float64) int { return int(math.Round(f)) }

// step does one step and fills its row.
func (r *play) step(ctx context.Context, s scenario.Step, row *Step) error {
	start := time.Now()
	switch s.Act {
	case scenario.QuietConsole:
		row.OK = true // judged at the end, of the whole
		return nil
	case scenario.Visible, scenario.Hidden, scenario.TextEquals, scenario.Count, scenario.URL:
		f, err := r.tab.inquire(ctx, "check", s, patience)
		row.take(f)
		return err
	case scenario.Open:
		row.OK = true
		if s.Number == 1 {
			return nil // the scenario began there
		}
	}
	// What is judged of the moment before has been judged.
	if err := r.picture(ctx); err != nil {
		return err
	}
	r.acted = false
	err := r.act(ctx, s, row)
	if s.Act == scenario.Wait || s.Act == scenario.WaitFor {
		row.Waited = seconds(start)
	}
	if r.acted {
		r.moment, r.pictured = fmt.Sprintf("%s-after-%s-%d", r.base, s.Act, s.Number), row
	}
	return err
}

func (r *play) act(ctx context.Context, s scenario.Step, row *Step) error {
	switch s.Act {
	case scenario.Open:
		r.acted = true
		err := r.open(ctx, r.at(s.Value))
		row.OK, row.Why = r.row.OK, r.row.Why
		return err
	case scenario.Click:
		return r.click(ctx, s, row)
	case scenario.Hover:
		return r.hover(ctx, s, row)
	case scenario.Fill:
		return r.fill(ctx, s, row)
	case scenario.Press:
		return r.press(ctx, s, row)
	case scenario.Select:
		return r.choose(ctx, s, row)
	case scenario.Wait:
		row.OK, r.acted = true, true
		return hold(ctx, s.Hold)
	case scenario.WaitFor:
		r.acted = true
		f, err := r.tab.inquire(ctx, "check", s, waitForMost)
		row.take(f)
		if err != nil || !f.OK {
			return err
		}
		return r.settle(ctx, 0)
	}
	row.OK, row.Why = false, fmt.Sprintf("nobody knows how to do %q", s.Act)
	return nil
}

// hold lets the time pass that a scenario asked for. Nothing else waits for time.
func hold(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// gather copies what the events told, and judges the console.
func (r *play) gather(ctx context.Context) {
	s := r.tab.sight
	r.row.Unheard = s.hear(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range r.tab.gate.refusals() {
		keepOnce(&s.refused, a)
	}
	r.row.Console = append(r.row.Console, s.console...)
	r.row.ConsoleMore, r.row.Ignored = s.more, s.ignored
	r.row.Refused, r.row.Dialogs, r.row.Popups, r.row.Downloads = s.refused, s.dialogs, s.popups, s.offers
	r.row.ConsoleChecked = r.scenario.QuietConsole()
	if !r.row.ConsoleChecked || len(s.console) == 0 {
		return
	}
	why := fmt.Sprintf("%d errors in the console, the first: %s", len(s.console)+s.more, s.console[0].Text)
	if at := s.console[0].Source; at != "" {
		why += " (" + at + ")"
	}
	for i, st := range r.row.Steps {
		if st.Assertion == string(scenario.QuietConsole) {
			r.row.Steps[i].OK, r.row.Steps[i].Why = false, why
		}
	}
	r.row.fail(why)
}

// wentTo is the address to which the page went and may not go, or "".
func (s *sight) wentTo() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.left
}

// answered is the status of the last document's answer, 0 when there was none.
func (s *sight) answered() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.status
}

// explain tells what a page does from what we cannot do.
func (t *tab) explain(ctx context.Context, err error) error {
	switch {
	case err == nil, errors.Is(err, errCrashed), errors.Is(err, errGone):
		return err
	case ctx.Err() != nil:
		return errSilent
	}
	return errors.Join(errMoved, err)
}

// quoted is text as the page's side takes it.
func quoted(text string) string {
	out, _ := json.Marshal(text) // a string always can be
	return string(out)
}
