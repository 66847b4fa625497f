package browser

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/page"
)

// TestConsoleIsBounded has a page that does not stop writing, and an extension that
// writes beside it.
func TestConsoleIsBounded(t *testing.T) {
	s := newSight("f", nil)
	on := s.handlers()["Runtime.consoleAPICalled"]
	for i := range 3 * maxConsole {
		on(jsonv2.Value(fmt.Sprintf(`{"type":"error","args":[{"type":"string","value":%q}],"stackTrace":{"callFrames":[{"url":"http://a/x.js","lineNumber":%d}]}}`, strings.Repeat("ж", 1000), i)))
	}
	on(jsonv2.Value(`{"type":"error","args":[{"type":"string","value":"x"}],"stackTrace":{"callFrames":[{"url":"chrome-extension://abc/x.js","lineNumber":1}]}}`))
	on(jsonv2.Value(`{"type":"error","args":[{"type":"string","value":"Unchecked: The message port closed before a response was received."}]}`))
	on(jsonv2.Value(`{"type":"warning","args":[{"type":"string","value":"x"}]}`))
	if len(s.console) != maxConsole || s.more != 2*maxConsole || s.ignored != 2 {
		t.Errorf("%d kept, %d more, %d ignored", len(s.console), s.more, s.ignored)
	}
	if e := s.console[1]; len([]rune(e.Text)) != maxConsoleText || e.Source != "http://a/x.js:2" {
		t.Errorf("%d characters, source %q", len([]rune(e.Text)), e.Source)
	}
}

// TestGateAnswersForNoServer holds that a refusal of the gate is not taken for the
// server's answer.
func TestGateAnswersForNoServer(t *testing.T) {
	s := newSight("f", nil)
	on := s.handlers()["Network.responseReceived"]
	on(jsonv2.Value(`{"requestId":"1","type":"Document","frameId":"f","response":{"status":403,"headers":{"Warden-Refused":"1"}}}`))
	if got := s.answered(); got != 0 {
		t.Errorf("status %d", got)
	}
	on(jsonv2.Value(`{"requestId":"1","type":"Document","frameId":"g","response":{"status":404,"headers":{}}}`))
	if got := s.answered(); got != 0 {
		t.Errorf("status %d of another frame", got)
	}
	on(jsonv2.Value(`{"requestId":"1","type":"Document","frameId":"f","response":{"status":201,"headers":{}}}`))
	if got := s.answered(); got != 201 {
		t.Errorf("status %d", got)
	}
}

func TestPicturesAreNotWrittenOver(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.png")
	if err := writeNew(path, []byte("first")); err != nil {
		t.Fatal(err)
	}
	if err := writeNew(path, []byte("second")); err == nil {
		t.Error("a picture was written over")
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "first" {
		t.Errorf("%q, %v", got, err)
	}
}

// TestEmptyReport holds that nothing seen is nothing shown.
func TestEmptyReport(t *testing.T) {
	if (Report{}).OK() || (Report{Scenarios: []Scenario{{OK: true}, {}}}).OK() || !(Report{Scenarios: []Scenario{{OK: true}}}).OK() {
		t.Error("a report is green without every scenario being so")
	}
}

// TestWireEnds holds that whatever waits for a browser is told of its end, and that
// nothing waits for it later.
func TestWireEnds(t *testing.T) {
	r, w := io.Pipe()
	c := newWire(r, closers{Writer: io.Discard})
	s := c.attach("s", nil)
	p, err := post(t.Context(), s, page.Enable, page.EnableParams{})
	if err != nil {
		t.Fatal(err)
	}
	go c.read(t.Context())
	w.Close()
	if err := p.wait(t.Context(), nil); !errors.Is(err, errGone) {
		t.Errorf("a command that waited: %v", err)
	}
	<-c.ended
	if _, err := post(t.Context(), s, page.Enable, page.EnableParams{}); !errors.Is(err, errGone) {
		t.Errorf("a later command: %v", err)
	}
	if late := c.attach("t", nil); !errors.Is(late.ended(), errGone) {
		t.Errorf("a later session: %v", late.ended())
	}
}
