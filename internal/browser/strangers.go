package browser

import (
	"context"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// handlers take in what the browser says of all its pages: windows that nobody
// asked for, and files that are offered.
func (p *process) handlers() map[string]func(jsonv2.Value) {
	return map[string]func(jsonv2.Value){
		"Target.targetCreated": func(raw jsonv2.Value) {
			var e target.EventTargetCreated
			if jsonv2.Unmarshal(raw, &e, chromedp.DefaultUnmarshalOptions) == nil && e.TargetInfo != nil {
				p.opened(e.TargetInfo)
			}
		},
		"Browser.downloadWillBegin": func(raw jsonv2.Value) {
			var e browser.EventDownloadWillBegin
			if jsonv2.Unmarshal(raw, &e, chromedp.DefaultUnmarshalOptions) == nil {
				p.offered(&e)
			}
		},
	}
}

// watch makes a tab known by its context: whatever else opens in it is a stranger.
func (p *process) watch(t *tab) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tabs[t.context] = t
}

func (p *process) unwatch(t *tab) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.tabs, t.context)
}

// opened closes a window that a page opened.
func (p *process) opened(info *target.Info) {
	p.mu.Lock()
	t := p.tabs[info.BrowserContextID]
	p.mu.Unlock()
	if t == nil || info.Type != "page" || info.TargetID == t.target {
		return
	}
	t.mu.Lock()
	keepOnce(&t.popups, info.URL)
	t.mu.Unlock()
	go post(context.Background(), p.wire.root, target.CloseTarget, target.CloseTargetParams{TargetID: info.TargetID})
}

// offered notes a file that a page offered and did not get rid of.
func (p *process) offered(e *browser.EventDownloadWillBegin) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, t := range p.tabs {
		t.mu.Lock()
		if t.frames[cdp.FrameID(e.FrameID)] {
			keep(&t.offers, e.SuggestedFilename)
		}
		t.mu.Unlock()
	}
}
