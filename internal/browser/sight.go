package browser

import (
	"context"
	"encoding/json"
	"net/url"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// Bounds of what is remembered of one page. More is counted or dropped.
const (
	maxConsole     = 50
	maxConsoleText = 400
	maxRecords     = 20 // dialogs, popups, downloads and refused addresses, of each
	maxFlying      = 5000
)

// sight is what the events of one page have told. Its handlers run on the goroutine
// that reads the wire; everything else takes the lock.
type sight struct {
	frame   cdp.FrameID // the main frame
	allowed origins
	answer  *session

	mu      sync.Mutex
	changed chan struct{} // closed at every change of what is waited for
	world   string        // the unique id of our world in the main frame's document
	worldID runtime.ExecutionContextID
	frames  map[cdp.FrameID]bool
	flying  map[network.RequestID]request
	started int // requests so far

	status  int
	left    string // where the page went that it may not go
	console []ConsoleError
	more    int
	ignored int
	refused []string
	dialogs []string
	popups  []string
	offers  []string

	workers map[target.SessionID]*session
	unheard int // workers beyond those
}

// request is one that is under way.
type request struct {
	address string
	loader  cdp.LoaderID
}

func newSight(frame cdp.FrameID, allowed origins) *sight {
	return &sight{frame: frame, allowed: allowed, changed: make(chan struct{}), frames: map[cdp.FrameID]bool{frame: true}, flying: map[network.RequestID]request{},
		workers: map[target.SessionID]*session{}}
}

// on makes a handler of events of one type, under the lock. What does not parse is
// dropped: the answers to commands are what is relied upon.
func on[E any](s *sight, do func(*E)) func(jsonv2.Value) {
	return func(raw jsonv2.Value) {
		var e E
		if jsonv2.Unmarshal(raw, &e, chromedp.DefaultUnmarshalOptions) != nil {
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		do(&e)
	}
}

// tell wakes who waits; the lock is held.
func (s *sight) tell() {
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *sight) handlers() map[string]func(jsonv2.Value) {
	return map[string]func(jsonv2.Value){
		"Runtime.executionContextCreated":   on(s, s.created),
		"Runtime.executionContextDestroyed": on(s, s.destroyed),
		"Runtime.executionContextsCleared":  on(s, func(*cdp.Empty) { s.world = "" }),
		"Inspector.targetCrashed":           on(s, func(*cdp.Empty) { s.tell() }),
		"Runtime.consoleAPICalled":          on(s, s.spoke),
		"Runtime.exceptionThrown":           on(s, s.threw),
		"Network.requestWillBeSent":         on(s, s.requested),
		"Network.responseReceived":          on(s, s.responded),
		"Network.loadingFinished":           on(s, func(e *network.EventLoadingFinished) { s.landed(e.RequestID) }),
		"Network.loadingFailed":             on(s, func(e *network.EventLoadingFailed) { s.landed(e.RequestID) }),
		"Page.frameAttached":                on(s, func(e *page.EventFrameAttached) { s.attached(e.FrameID) }),
		"Page.frameNavigated":               on(s, s.navigated),
		"Page.javascriptDialogOpening":      on(s, s.asked),
		"Target.attachedToTarget":           on(s, s.joined),
		"Target.detachedFromTarget":         on(s, s.parted),
		"Page.windowOpen":                   on(s, func(e *page.EventWindowOpen) { keep(&s.popups, e.URL) }),
	}
}

func keep(list *[]string, what string) {
	if len(*list) < maxRecords {
		*list = append(*list, cut(what, 200))
	}
}

func (s *sight) created(e *runtime.EventExecutionContextCreated) {
	var of struct {
		FrameID cdp.FrameID `json:"frameId"`
	}
	if e.Context == nil || e.Context.Name != world || json.Unmarshal(e.Context.AuxData, &of) != nil || of.FrameID != s.frame {
		return
	}
	s.world, s.worldID = e.Context.UniqueID, e.Context.ID
	s.tell()
}

func (s *sight) destroyed(e *runtime.EventExecutionContextDestroyed) {
	if e.ExecutionContextUniqueID == s.world {
		s.world = ""
	}
}

// worldOf returns our world in the page's document, and waits for it.
func (s *sight) worldOf(ctx context.Context) (string, error) {
	for {
		s.mu.Lock()
		id, changed := s.world, s.changed
		s.mu.Unlock()
		if id != "" {
			return id, nil
		}
		if err := s.answer.ended(); err != nil {
			return "", err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return "", errSilent
		}
	}
}

func (s *sight) attached(id cdp.FrameID) {
	if len(s.frames) < maxFlying {
		s.frames[id] = true
	}
}

// streams are requests that need have no end.
func streams(t network.ResourceType) bool {
	switch t {
	case network.ResourceTypeEventSource, network.ResourceTypeWebSocket, network.ResourceTypePing, network.ResourceTypeMedia,
		network.ResourceTypePrefetch, network.ResourceTypeCSPViolationReport:
		return true
	}
	return false
}

func (s *sight) requested(e *network.EventRequestWillBeSent) {
	if e.Request == nil {
		return
	}
	s.started++
	if u, err := url.Parse(e.Request.URL); err == nil && (u.Scheme == "http" || u.Scheme == "https") && !s.allowed.has(u) {
		keepOnce(&s.refused, e.Request.URL)
		if e.Type == network.ResourceTypeDocument && e.FrameID == s.frame && s.left == "" {
			s.left = e.Request.URL
		}
	}
	if !streams(e.Type) && len(s.flying) < maxFlying {
		s.flying[e.RequestID] = request{address: cut(e.Request.URL, 200), loader: e.LoaderID}
	}
	s.tell()
}

func keepOnce(list *[]string, what string) {
	what = cut(what, 200)
	for _, have := range *list {
		if have == what {
			return
		}
	}
	keep(list, what)
}

func (s *sight) responded(e *network.EventResponseReceived) {
	if e.Response == nil {
		return
	}
	if e.Type == network.ResourceTypeDocument && e.FrameID == s.frame {
		s.status = int(e.Response.Status)
		if e.Response.Headers[refusal] != nil {
			s.status = 0 // the gate's own answer, not the server's
		}
	}
	if e.Response.MimeType == "text/event-stream" || e.Response.MimeType == "multipart/x-mixed-replace" {
		s.landed(e.RequestID)
	}
}

func (s *sight) landed(id network.RequestID) {
	delete(s.flying, id)
	s.tell()
}

// navigated forgets what the document before was loading.
func (s *sight) navigated(e *page.EventFrameNavigated) {
	if e.Frame == nil || e.Frame.ID != s.frame {
		return
	}
	for id, r := range s.flying {
		if r.loader != e.Frame.LoaderID {
			delete(s.flying, id)
		}
	}
	s.tell()
}

// asked dismisses a dialog: while it stands, no script of the page goes on.
func (s *sight) asked(e *page.EventJavascriptDialogOpening) {
	keep(&s.dialogs, string(e.Type)+": "+e.Message)
	leave := e.Type == page.DialogTypeBeforeunload // to stay would hold the page for ever
	go post(context.Background(), s.answer, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: leave})
}

// air returns a request that is under way, how many there are and have been, and a
// channel that is closed when that changes.
func (s *sight) air() (one string, flying, started int, changed <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.flying {
		if one == "" || r.address < one {
			one = r.address
		}
	}
	return one, len(s.flying), s.started, s.changed
}
