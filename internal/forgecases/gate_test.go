package forgecases

import (
	"bytes"
	"maps"
	"net/http"
	"net/http/httptest"
	"sync"
)

// gate stands between the program and the forge. It counts the requests, and
// kills the program at one of them; after that it lets nothing through, as when
// the machine died, until it is opened again.
type gate struct {
	tamper func(path string, body []byte) []byte

	mu     sync.Mutex
	count  int
	at     int  // the request to kill at, 0 for none
	answer bool // whether the forge still does what that request asks
	kill   func()
	shut   bool
	struck string // the request that was killed at
}

func (g *gate) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		strike, answer, shut := g.pass(r)
		if shut {
			panic(http.ErrAbortHandler)
		}
		if strike && !answer {
			g.strike()
			panic(http.ErrAbortHandler)
		}
		if !strike && g.tamper == nil {
			next.ServeHTTP(w, r)
			return
		}
		rec := httptest.NewRecorder()
		next.ServeHTTP(rec, r)
		if strike {
			g.strike()
			panic(http.ErrAbortHandler)
		}
		body := rec.Body.Bytes()
		if changed := g.tamper(r.URL.Path, body); !bytes.Equal(changed, body) {
			body = changed
			rec.Header().Del("Content-Length")
		}
		maps.Copy(w.Header(), rec.Header())
		w.WriteHeader(rec.Code)
		_, _ = w.Write(body) // a client that hung up is the only one there is to tell
	})
}

func (g *gate) pass(r *http.Request) (strike, answer, shut bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.shut {
		return false, false, true
	}
	g.count++
	if g.at != 0 && g.count == g.at {
		g.struck = r.Method + " " + r.URL.Path
		g.shut = true
		return true, g.answer, false
	}
	return false, false, false
}

func (g *gate) strike() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.kill()
}

// arm kills at the n-th request from now.
func (g *gate) arm(n int, answer bool, kill func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.count, g.at, g.answer, g.kill, g.struck = 0, n, answer, kill, ""
}

// disarm opens the gate again and tells what was killed at, "" for nothing.
func (g *gate) disarm() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.at, g.shut = 0, false
	return g.struck
}

// close lets nothing through any more.
func (g *gate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shut = true
}

// counted is how many requests came since the last arm.
func (g *gate) counted() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.count
}
