package browser

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"

	"github.com/tolboy/warden/internal/proc"
)

// TestTabCrash has a tab that crashes after an act.
func TestTabCrash(t *testing.T) {
	var crashing atomic.Pointer[session]
	address := site(t, map[string]http.HandlerFunc{"/page": html(`<button id=b onclick="fetch('/crash')">Go</button>`), "/crash": func(_ http.ResponseWriter, r *http.Request) {
		if _, err := post(r.Context(), crashing.Load(), page.Crash, cdp.Empty{}); err != nil {
			t.Error(err)
		}
		<-r.Context().Done()
	}})
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	shut, err := newGate(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer shut.close()
	o := Options{Browser: theBrowser(t), Address: address, Dir: t.TempDir()}
	p, err := start(ctx, o.Browser, shut.address, o.unboxed(), proc.Run)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = p.close() }()
	allowed, err := resolve(ctx, []string{address})
	if err != nil {
		t.Fatal(err)
	}
	s := parse(t, "open=/page -> css=#b click")[0]
	tb, err := openTab(ctx, p, allowed, s.Viewport)
	if err != nil {
		t.Fatal(err)
	}
	defer tb.close(ctx)
	crashing.Store(tb.session)
	row := Scenario{OK: true, Viewport: Size{Width: s.Viewport.Width, Height: s.Viewport.Height, Scale: 1}}
	r := &play{tab: tb, scenario: s, options: o, row: &row, clock: &watch{}, base: "01"}
	if err := r.whole(ctx); !errors.Is(err, errCrashed) || row.Picture != "none of its end: the tab crashed" {
		t.Errorf("a crash ends with %v, %+v", err, row)
	}
}

// TestWorkersConsole has workers of each kind that complain, one in another's, and
// one that never ends.
func TestWorkersConsole(t *testing.T) {
	script := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/javascript")
			_, _ = w.Write([]byte(body))
		}
	}
	address := site(t, map[string]http.HandlerFunc{
		"/worker":   html(`<p>Up</p><script>new Worker('/w.js').onmessage=e=>document.body.append(e.data)</script>`),
		"/w.js":     script("console.error('from a worker');\nnew Worker('/n.js').onmessage=e=>postMessage('Told')"),
		"/n.js":     script("console.error('from a nested one');\npostMessage(1)"),
		"/service":  html(`<p>Up</p><script>navigator.serviceWorker.register('/s.js').then(()=>navigator.serviceWorker.ready).then(()=>document.body.append('Told'))</script>`),
		"/s.js":     script("\nconsole.error('from a service worker')"),
		"/for-ever": html(`<p>Up</p><script>new Worker('/e.js')</script>`),
		"/e.js":     script("for(;;);"),
	})
	r := judged(t, address, []verdict{
		{"open=/worker -> text=Told visible -> no-console-errors", "2 errors in the console, the first: from a worker"},
		{"open=/service -> text=Told visible -> no-console-errors", "1 errors in the console, the first: from a service worker"},
		{"open=/for-ever -> text=Up visible", ""},
	})
	for i, want := range []string{"/w.js:1", "/s.js:2"} {
		if c := r.Scenarios[i].Console; len(c) == 0 || !strings.HasSuffix(c[0].Source, want) || r.Scenarios[i].Unheard != 0 {
			t.Errorf("scenario %d: %+v, %d not read, want the source %s", i+1, c, r.Scenarios[i].Unheard, want)
		}
	}
	if n := r.Scenarios[2].Unheard; n != 1 {
		t.Errorf("%d workers not read, want the one that never ends", n)
	}
}
