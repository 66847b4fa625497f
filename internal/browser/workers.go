package browser

import (
	"context"
	"time"

	"github.com/chromedp/cdproto/cdp"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
)

const (
	// maxWorkers bounds the workers of one page that are listened to. The others run
	// unheard, and are counted.
	maxWorkers = 50
	// hearLimit is how long the workers have, all together, to say what they still
	// have to say. One that runs a script without end never does.
	hearLimit = 2 * time.Second
)

// hearing asks that the workers of a page or of a worker wait, once they are made,
// until somebody listens. Frames are left alone.
func hearing() target.SetAutoAttachParams {
	return target.SetAutoAttachParams{AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: new(true), Filter: target.Filter{
		{Type: "worker"}, {Type: "service_worker"}, {Type: "shared_worker"}, {Exclude: true},
	}}
}

// joined listens to a worker and lets it go.
func (s *sight) joined(e *target.EventAttachedToTarget) {
	w := s.answer.wire.attach(e.SessionID, map[string]func(jsonv2.Value){
		"Runtime.consoleAPICalled":  on(s, s.spoke),
		"Runtime.exceptionThrown":   on(s, s.threw),
		"Target.attachedToTarget":   on(s, s.joined),
		"Target.detachedFromTarget": on(s, s.parted),
	})
	heard := len(s.workers) < maxWorkers
	if heard {
		s.workers[e.SessionID] = w
	} else {
		s.unheard++
	}
	go func() {
		ctx := context.Background()
		if heard {
			_, _ = post(ctx, w, runtime.Enable, cdp.Empty{})
			_, _ = post(ctx, w, target.SetAutoAttach, hearing())
		}
		_, _ = post(ctx, w, runtime.RunIfWaitingForDebugger, cdp.Empty{})
		if !heard {
			w.wire.detach(w)
		}
	}()
}

// parted forgets a worker that has ended.
func (s *sight) parted(e *target.EventDetachedFromTarget) {
	if w := s.workers[e.SessionID]; w != nil {
		delete(s.workers, e.SessionID)
		w.wire.detach(w)
	}
}

// hear waits until every worker has said what it had to say by now: it answers once
// what it runs is over. It returns how many were not heard to the end.
func (s *sight) hear(ctx context.Context) (unheard int) {
	ctx, cancel := context.WithTimeout(ctx, hearLimit)
	defer cancel()
	s.mu.Lock()
	unheard = s.unheard
	var list []*session
	for _, w := range s.workers {
		list = append(list, w)
	}
	s.mu.Unlock()
	var waits []*pending
	for _, w := range list {
		if p, err := post(ctx, w, runtime.Evaluate, runtime.EvaluateParams{Expression: "1"}); err == nil {
			waits = append(waits, p)
		}
	}
	for _, p := range waits {
		if p.wait(ctx, nil) != nil && ctx.Err() != nil {
			unheard++
		}
	}
	return unheard
}

// leave stops listening to all workers.
func (s *sight) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, w := range s.workers {
		delete(s.workers, id)
		w.wire.detach(w)
	}
}
