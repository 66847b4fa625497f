package browser

import (
	"io"
	"net"
	"net/http"
	"strings"
)

// pass sends a request on and its answer back.
func (g *gate) pass(w http.ResponseWriter, r *http.Request) {
	done := g.begin()
	defer func() { done() }()
	out := r.Clone(r.Context())
	out.RequestURI = ""
	for _, h := range hopHeaders(out.Header) {
		out.Header.Del(h)
	}
	resp, err := g.transport.RoundTrip(out)
	if err != nil {
		w.Header().Set(refusal, "unreached")
		http.Error(w, "Warden: the server did not answer: "+cut(err.Error(), 200), http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	for _, h := range hopHeaders(resp.Header) {
		resp.Header.Del(h)
	}
	head := w.Header()
	for k, v := range resp.Header {
		head[k] = v
	}
	head.Del(refusal) // nobody but the gate says that
	stream := strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream")
	if stream {
		done() // it has no end to wait for
		done = func() {}
	}
	w.WriteHeader(resp.StatusCode)
	copyOut(w, resp.Body)
}

// copyOut copies as it comes, so that a server that answers piecemeal is seen to.
func copyOut(w http.ResponseWriter, body io.Reader) {
	flush := http.NewResponseController(w)
	buf := make([]byte, 32<<10)
	for {
		n, err := body.Read(buf)
		if n > 0 {
			if _, err := w.Write(buf[:n]); err != nil {
				return
			}
			if err := flush.Flush(); err != nil {
				return
			}
		}
		if err == io.EOF {
			return
		}
		if err != nil {
			panic(http.ErrAbortHandler) // the browser must see that the answer broke off
		}
	}
}

// hopHeaders are the headers that are between two neighbours only.
func hopHeaders(h http.Header) []string {
	out := []string{"Connection", "Proxy-Connection", "Keep-Alive", "Proxy-Authorization", "Proxy-Authenticate", "Te", "Trailer", "Transfer-Encoding", "Upgrade"}
	for _, v := range h.Values("Connection") {
		for name := range strings.SplitSeq(v, ",") {
			out = append(out, strings.TrimSpace(name))
		}
	}
	return out
}

// begin counts a request; the function that it returns ends it, once.
func (g *gate) begin() (done func()) {
	g.count(1)
	return func() { g.count(-1) }
}

func (g *gate) count(by int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.inFlight += by
	close(g.changed)
	g.changed = make(chan struct{})
}

// flying returns how many requests are under way, and a channel that is closed when
// that changes.
func (g *gate) flying() (int, <-chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.inFlight, g.changed
}

// tunnel joins the browser with an allowed address, for https and web sockets. How
// many requests are in it cannot be seen.
func (g *gate) tunnel(w http.ResponseWriter, r *http.Request) {
	if _, ok := g.allowed[strings.ToLower(r.Host)]; !ok {
		g.refuse(w, "//"+r.Host)
		return
	}
	up, err := g.dial(r.Context(), r.Host)
	if err != nil {
		w.Header().Set(refusal, "unreached")
		http.Error(w, "Warden: the server did not answer", http.StatusBadGateway)
		return
	}
	down, buf, err := http.NewResponseController(w).Hijack()
	if err != nil {
		up.Close()
		return
	}
	if !g.hold(up, down) {
		return
	}
	defer g.drop(up, down)
	if _, err := io.WriteString(down, "HTTP/1.1 200 OK\r\n\r\n"); err != nil {
		return
	}
	over := make(chan struct{}, 2)
	go func() {
		_, _ = io.Copy(up, buf) // either end may break off at any time
		over <- struct{}{}
	}()
	go func() {
		_, _ = io.Copy(down, up)
		over <- struct{}{}
	}()
	<-over
}

// maxTunnels bounds how many connections one scenario may hold open.
const maxTunnels = 200

func (g *gate) hold(conns ...net.Conn) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.tunnels) >= 2*maxTunnels {
		for _, c := range conns {
			c.Close()
		}
		return false
	}
	for _, c := range conns {
		g.tunnels[c] = true
	}
	return true
}

func (g *gate) drop(conns ...net.Conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, c := range conns {
		c.Close()
		delete(g.tunnels, c)
	}
}
