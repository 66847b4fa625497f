package browser

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"github.com/tolboy/warden/internal/scenario"
)

// pageScript is what asks the page on its own ground; see js/page.js.
//
//go:embed js/page.js
var pageScript string

// world is the name of the world in which it runs.
const world = "warden"

// callLimit is how long a page may take to answer what it can answer at once. One
// that does not runs a script without end.
const callLimit = 15 * time.Second

// tab is the page of one scenario, in a browser context of its own: no cookie,
// cache, worker or connection of another scenario is in it.
type tab struct {
	browser *process
	gate    *gate
	context cdp.BrowserContextID
	target  target.ID
	session *session
	*sight
}

// openLimit is how long the browser may take to open a blank page. On a busy machine
// that is much longer than usual, and no page has had a say in it.
const openLimit = time.Minute

// openTab makes a context, a page of the size in it, and readies the page, which
// stays blank. What cannot be done is an error: no page has had a say yet.
func openTab(ctx context.Context, p *process, allowed origins, v scenario.Viewport) (*tab, error) {
	ctx, cancel := context.WithTimeout(ctx, openLimit)
	defer cancel()
	g, err := newGate(allowed)
	if err != nil {
		return nil, err
	}
	t := &tab{browser: p, gate: g}
	if err := t.open(ctx, v); err != nil {
		t.close(ctx)
		return nil, fmt.Errorf("open a page in the browser: %w", err)
	}
	return t, nil
}

func (t *tab) open(ctx context.Context, v scenario.Viewport) error {
	root := t.browser.wire.root
	c, err := call(ctx, root, target.CreateBrowserContext, target.CreateBrowserContextParams{
		ProxyServer: t.gate.address, ProxyBypassList: "<-loopback>",
	})
	if err != nil {
		return err
	}
	t.context = c.BrowserContextID
	if _, err := post(ctx, root, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
		Behavior: browser.SetDownloadBehaviorBehaviorDeny, BrowserContextID: t.context, EventsEnabled: new(true),
	}); err != nil {
		return err
	}
	made, err := call(ctx, root, target.CreateTarget, target.CreateTargetParams{
		URL: "about:blank", BrowserContextID: t.context, NewWindow: new(true), Width: int64(v.Width), Height: int64(v.Height),
	})
	if err != nil {
		return err
	}
	t.target = made.TargetID
	at, err := call(ctx, root, target.AttachToTarget, target.AttachToTargetParams{TargetID: t.target, Flatten: new(true)})
	if err != nil {
		return err
	}
	t.sight = newSight(cdp.FrameID(t.target), t.gate.allowed)
	t.session = t.browser.wire.attach(at.SessionID, t.sight.handlers())
	t.sight.answer = t.session
	t.browser.watch(t)
	return t.ready(ctx, v)
}

// ready sets the page up with one wait for all: a session answers in order.
func (t *tab) ready(ctx context.Context, v scenario.Viewport) error {
	s := t.session
	var last *pending
	var errs []error
	and := func(p *pending, err error) {
		last = p
		errs = append(errs, err)
	}
	and(post(ctx, s, page.Enable, page.EnableParams{}))
	and(post(ctx, s, inspector.Enable, cdp.Empty{})) // tells of a crash
	and(post(ctx, s, network.Enable, network.EnableParams{MaxTotalBufferSize: new(int64(0)), MaxResourceBufferSize: new(int64(0))}))
	and(post(ctx, s, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: pageScript, WorldName: world}))
	and(post(ctx, s, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: "window.print = function print() {};"}))
	and(post(ctx, s, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: int64(v.Width), Height: int64(v.Height), DeviceScaleFactor: 1, Mobile: v.Mobile,
		ScreenWidth: int64(v.Width), ScreenHeight: int64(v.Height),
	}))
	if v.Mobile {
		and(post(ctx, s, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: true, MaxTouchPoints: 1}))
	}
	and(post(ctx, s, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}))
	and(post(ctx, s, target.SetAutoAttach, hearing()))
	and(post(ctx, s, runtime.Enable, cdp.Empty{}))
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return last.wait(ctx, nil)
}

// close gives the context back. A page that does not answer is left to the end of
// the browser.
func (t *tab) close(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	if t.session != nil {
		t.browser.wire.detach(t.session)
		t.leave()
	}
	if t.context != "" {
		t.browser.unwatch(t)
		// The answer is not waited for: the browser's end is the end of all of it.
		_, _ = post(ctx, t.browser.wire.root, target.DisposeBrowserContext, target.DisposeBrowserContextParams{BrowserContextID: t.context})
	}
	t.gate.close()
}

// errSilent says that a page did not answer in time.
var errSilent = errors.New("the page does not answer: a script of it runs without end")

// errMoved says that the document that was asked is gone.
var errMoved = errors.New("the page went on to another document")

// ask evaluates an expression in our world of the page's document and decodes its
// value, which may be a promise, into out. limit is how long the expression may
// take by itself.
func (t *tab) ask(ctx context.Context, expr string, limit time.Duration, out any) error {
	ctx, cancel := context.WithTimeout(ctx, limit+callLimit)
	defer cancel()
	id, err := t.worldOf(ctx)
	if err != nil {
		return err
	}
	return t.evaluated(ctx, out, func() (*runtime.RemoteObject, *runtime.ExceptionDetails, error) {
		r, err := call(ctx, t.session, runtime.Evaluate, runtime.EvaluateParams{
			Expression: expr, UniqueContextID: id, AwaitPromise: new(true), ReturnByValue: new(true),
		})
		return r.Result, r.ExceptionDetails, err
	})
}

// evaluated reads what an evaluation came to.
func (t *tab) evaluated(ctx context.Context, out any, do func() (*runtime.RemoteObject, *runtime.ExceptionDetails, error)) error {
	value, thrown, err := do()
	switch {
	case errors.Is(err, errCrashed), errors.Is(err, errGone):
		return err
	case err != nil && ctx.Err() != nil:
		return errSilent
	case err != nil:
		return errors.Join(errMoved, err)
	case thrown != nil:
		return &thrownError{text: said(thrown)}
	case out == nil:
		return nil
	}
	return json.Unmarshal(value.Value, out)
}

// thrownError is what the page's own side of the driver could not do, as with a
// selector that does not parse.
type thrownError struct{ text string }

func (e *thrownError) Error() string { return e.text }

// said is the first line of an exception.
func said(d *runtime.ExceptionDetails) string {
	text := d.Text
	if d.Exception != nil && d.Exception.Description != "" {
		text = d.Exception.Description
	} else if d.Exception != nil && len(d.Exception.Value) > 0 {
		text += " " + string(d.Exception.Value)
	}
	for i := range text {
		if text[i] == '\n' {
			text = text[:i]
			break
		}
	}
	return cut(text, maxConsoleText)
}
