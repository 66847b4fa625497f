package browser

import (
	"bytes"
	"io"
	"testing"

	"github.com/chromedp/cdproto/target"
)

// closers makes a pair of a reader and a writer of one.
type closers struct {
	io.Reader
	io.Writer
}

func (closers) Close() error { return nil }

// FuzzMessages feeds the driver what a browser might say. Whatever it is, it panics
// nowhere, and what is kept stays within its bounds.
func FuzzMessages(f *testing.F) {
	for _, seed := range []string{
		`{"sessionId":"s","method":"Runtime.consoleAPICalled","params":{"type":"error","args":[{"type":"string","value":"x"},null,{"type":"object","description":"Error\n at"}],"stackTrace":{"callFrames":[{"url":"http://a/","lineNumber":3}]}}}`,
		`{"sessionId":"s","method":"Runtime.exceptionThrown","params":{"exceptionDetails":{"text":"Uncaught","lineNumber":1,"exception":{"type":"object","description":"Error: x\n  at y"}}}}`,
		`{"sessionId":"s","method":"Network.requestWillBeSent","params":{"requestId":"1","type":"Document","frameId":"f","request":{"url":"http://evil/"}}}`,
		`{"sessionId":"s","method":"Network.responseReceived","params":{"requestId":"1","type":"Document","frameId":"f","response":{"status":200,"headers":{"Warden-Refused":"1"}}}}`,
		`{"sessionId":"s","method":"Runtime.executionContextCreated","params":{"context":{"id":1,"name":"warden","uniqueId":"u","auxData":{"frameId":"f"}}}}`,
		`{"sessionId":"s","method":"Inspector.targetCrashed"}`,
		`{"method":"Target.targetCreated","params":{"targetInfo":{"type":"page","browserContextId":"c","targetId":"t"}}}`,
		`{"method":"Browser.downloadWillBegin","params":{"frameId":"f","suggestedFilename":"a"}}`,
		`{"id":1,"result":{}}`, `{"id":1,"error":{"code":1,"message":"x"}}`, `null`, `[]`, `{"id":-1}`,
	} {
		f.Add([]byte(seed + "\x00" + seed + "\x00"))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c := newWire(closers{Reader: bytes.NewReader(data)}, closers{Writer: io.Discard})
		p := &process{wire: c}
		c.root.on = p.handlers()
		s := newSight("f", origins{"127.0.0.1:80": "127.0.0.1:80"})
		s.answer = c.attach(target.SessionID("s"), s.handlers())
		c.read(t.Context())
		s.mu.Lock()
		defer s.mu.Unlock()
		if len(s.console) > maxConsole || len(s.refused) > maxRecords || len(s.dialogs) > maxRecords || len(s.flying) > maxFlying {
			t.Errorf("%d errors, %d refusals, %d dialogs, %d requests are kept", len(s.console), len(s.refused), len(s.dialogs), len(s.flying))
		}
		for _, e := range s.console {
			if len([]rune(e.Text)) > maxConsoleText {
				t.Errorf("an error of %d characters is kept", len([]rune(e.Text)))
			}
		}
		if s.answer.dead == nil {
			t.Error("the wire has ended, and its session goes on")
		}
	})
}

// TestLongMessage holds that a message without an end does not fill the memory.
func TestLongMessage(t *testing.T) {
	b := &bounded{ReadCloser: closers{Reader: bytes.NewReader(append(bytes.Repeat([]byte("x"), 90), 0, 'y'))}, max: 100}
	if got, err := io.ReadAll(b); err != nil || len(got) != 92 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	b = &bounded{ReadCloser: closers{Reader: bytes.NewReader(bytes.Repeat([]byte("x"), 200))}, max: 100}
	if _, err := io.ReadAll(b); err == nil {
		t.Error("a message longer than the bound is read")
	}
}

func TestPNGSize(t *testing.T) {
	head := "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x01\x00\x00\x00\x00\x10"
	if w, h := pngSize([]byte(head)); w != 256 || h != 16 {
		t.Errorf("%dx%d", w, h)
	}
	for _, bad := range []string{"", head[:20], "GIF89a" + head} {
		if w, h := pngSize([]byte(bad)); w != 0 || h != 0 {
			t.Errorf("%q is taken for %dx%d", bad, w, h)
		}
	}
}
