package browser

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/chromedp/cdproto"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// maxMessage bounds one message of the browser, in bytes. The largest is a picture:
// 32 million pixels that do not compress are 100 MB, and a third more in base64.
const maxMessage = 192 << 20

var (
	errGone    = errors.New("the browser has ended")
	errCrashed = errors.New("the tab has crashed")
)

// wire is the connection to one browser. Events are handled on the goroutine that
// reads, in the order in which they came and before the next message is read: what
// an answer to a command follows from has been seen when the answer is.
//
// It is not chromedp's own Browser and Target: those keep a copy of the document
// and queues without a limit, which a hostile page can grow at will.
type wire struct {
	transport chromedp.Transport

	mu       sync.Mutex
	last     int64
	waiting  map[int64]*pending
	sessions map[target.SessionID]*session
	root     *session
	ended    chan struct{}
}

// pending is a command whose answer has not come.
type pending struct {
	session *session
	answer  chan answer // one place, so that the reader never waits
}

type answer struct {
	result jsonv2.Value
	err    error
}

// newWire speaks with a browser that reads from w and writes to r. The caller
// closes it.
func newWire(r io.ReadCloser, w io.WriteCloser) *wire {
	c := &wire{
		transport: chromedp.NewPipeConn(&bounded{ReadCloser: r, max: maxMessage}, w),
		waiting:   map[int64]*pending{},
		sessions:  map[target.SessionID]*session{},
		ended:     make(chan struct{}),
	}
	c.root = &session{wire: c}
	return c
}

func (c *wire) close() { _ = c.transport.Close() } // both ends are pipes: nothing is lost

// read handles what the browser says until it ends.
func (c *wire) read(ctx context.Context) {
	defer close(c.ended)
	for {
		var m cdproto.Message
		if err := c.transport.Read(ctx, &m); err != nil {
			c.fail(nil, fmt.Errorf("%w: %w", errGone, err))
			return
		}
		c.handle(&m)
	}
}

func (c *wire) handle(m *cdproto.Message) {
	if m.ID != 0 {
		c.mu.Lock()
		p := c.waiting[m.ID]
		delete(c.waiting, m.ID)
		c.mu.Unlock()
		if p != nil {
			a := answer{result: m.Result}
			if m.Error != nil {
				a.err = m.Error
			}
			p.answer <- a
		}
		return
	}
	c.mu.Lock()
	s := c.root
	if m.SessionID != "" {
		s = c.sessions[m.SessionID]
	}
	c.mu.Unlock()
	if s == nil {
		return // of a target that nobody asked for, or that is closed
	}
	if m.Method == "Inspector.targetCrashed" {
		c.fail(s, errCrashed)
	}
	if h := s.on[string(m.Method)]; h != nil {
		h(m.Params)
	}
}

// fail answers every waiting command of s, or of all sessions, with err, and the
// later ones of s too.
func (c *wire) fail(s *session, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s == nil {
		c.root.dead = err
		for _, o := range c.sessions {
			o.dead = err
		}
	} else {
		s.dead = err
	}
	for id, p := range c.waiting {
		if s == nil || p.session == s {
			delete(c.waiting, id)
			p.answer <- answer{err: err}
		}
	}
}

// attach makes the session known. Events before it are lost, so it is called before
// the session's first command.
func (c *wire) attach(id target.SessionID, on map[string]func(jsonv2.Value)) *session {
	s := &session{wire: c, id: id, on: on}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sessions[id] = s
	select {
	case <-c.ended:
		s.dead = errGone
	default:
	}
	return s
}

func (c *wire) detach(s *session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.sessions, s.id)
}

// bounded ends a stream of messages, each closed by a zero byte, where one of them
// is longer than max bytes.
type bounded struct {
	io.ReadCloser
	max, seen int
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if i := bytes.LastIndexByte(p[:n], 0); i >= 0 {
		b.seen = n - 1 - i
	} else {
		b.seen += n
	}
	if b.seen > b.max {
		return 0, fmt.Errorf("read the browser's messages: one is longer than %d bytes", b.max)
	}
	return n, err
}
