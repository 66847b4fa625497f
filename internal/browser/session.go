package browser

import (
	"context"
	"errors"
	"fmt"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// session is one conversation on the wire: with a tab, or with the browser itself.
// It is safe for concurrent use.
type session struct {
	wire *wire
	id   target.SessionID
	// on handles events by their name, on the goroutine that reads: a handler must
	// be quick and must not wait for an answer.
	on   map[string]func(jsonv2.Value)
	dead error // guarded by the wire's lock
}

// ended is why the session takes no more commands, or nil.
func (s *session) ended() error {
	s.wire.mu.Lock()
	defer s.wire.mu.Unlock()
	return s.dead
}

// post sends a command and returns without waiting. Commands of one session are
// answered in their order, so only the last of several need be waited for, where
// none of them can fail by what the page does.
func post[P, R any](ctx context.Context, s *session, c cdp.Command[P, R], params P) (*pending, error) {
	return s.post(ctx, c.Method, params)
}

// call sends a command and waits for its answer, at the longest until ctx ends.
func call[P, R any](ctx context.Context, s *session, c cdp.Command[P, R], params P) (R, error) {
	var out R
	p, err := s.post(ctx, c.Method, params)
	if err == nil {
		err = p.wait(ctx, &out)
	}
	if err != nil {
		return out, fmt.Errorf("%s: %w", c.Method, err)
	}
	return out, nil
}

func (s *session) post(ctx context.Context, method string, params any) (*pending, error) {
	body, err := jsonv2.Marshal(params, chromedp.DefaultMarshalOptions)
	if err != nil {
		return nil, err
	}
	c := s.wire
	c.mu.Lock()
	if s.dead != nil {
		c.mu.Unlock()
		return nil, s.dead
	}
	c.last++
	m := &cdproto.Message{ID: c.last, SessionID: s.id, Method: cdproto.MethodType(method), Params: body}
	p := &pending{session: s, answer: make(chan answer, 1)}
	c.waiting[m.ID] = p
	c.mu.Unlock()
	if err := c.transport.Write(ctx, m); err != nil {
		c.mu.Lock()
		delete(c.waiting, m.ID)
		c.mu.Unlock()
		return nil, errors.Join(errGone, err)
	}
	return p, nil
}

// wait fills out with the answer, which may be nil where none is wanted.
func (p *pending) wait(ctx context.Context, out any) error {
	select {
	case a := <-p.answer:
		if a.err != nil || out == nil {
			return a.err
		}
		return jsonv2.Unmarshal(a.result, out, chromedp.DefaultUnmarshalOptions)
	case <-ctx.Done():
		return ctx.Err()
	}
}
