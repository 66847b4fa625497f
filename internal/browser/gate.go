package browser

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"
)

// gate is the only way from one scenario's pages to the network: an HTTP proxy on
// the loopback of this process that lets the declared origins pass. Every request
// of a page comes here, whoever in it asks: documents, scripts, workers, service
// workers, web sockets, and an address written as numbers like one by name. A name
// is resolved once, when the gate is made, so that it cannot come to mean another
// address later.
type gate struct {
	server    *http.Server
	transport *http.Transport
	address   string            // "http://127.0.0.1:port", as the browser takes it
	allowed   map[string]string // "host:port" as the page says it, to "ip:port" as it is dialled

	mu       sync.Mutex
	refused  []string // addresses, each once, at most maxRefused
	inFlight int      // requests that pass and whose answer is not over, streams aside
	changed  chan struct{}
	tunnels  map[net.Conn]bool
}

// maxRefused bounds how many refused addresses are remembered.
const maxRefused = 20

// refusal is in the answers that the gate itself gives.
const refusal = "Warden-Refused"

// Origins are the addresses that the page may reach, each resolved to the one
// internet address that it stands for.
type origins map[string]string

// resolve looks the hosts of the origins up. Each must be http or https.
func resolve(ctx context.Context, list []string) (origins, error) {
	out := origins{}
	for _, text := range list {
		u, err := url.Parse(text)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil {
			return nil, fmt.Errorf("read address %q: it is no http or https address without credentials", text)
		}
		host, port := u.Hostname(), portOf(u)
		ip := host
		if _, err := netip.ParseAddr(host); err != nil {
			found, err := lookup(ctx, host)
			if err != nil {
				return nil, fmt.Errorf("look up %q: %w", host, err)
			}
			ip = found
		}
		out[net.JoinHostPort(strings.ToLower(host), port)] = net.JoinHostPort(ip, port)
	}
	return out, nil
}

func lookup(ctx context.Context, host string) (string, error) {
	if strings.EqualFold(host, "localhost") || strings.HasSuffix(strings.ToLower(host), ".localhost") {
		return "", nil // dialled by both loopback addresses, never looked up
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	found, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return "", err
	}
	return found[0].Unmap().String(), nil
}

func portOf(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	if u.Scheme == "https" || u.Scheme == "wss" {
		return "443"
	}
	return "80"
}

// has reports whether the address may be reached.
func (o origins) has(u *url.URL) bool {
	_, ok := o[net.JoinHostPort(strings.ToLower(u.Hostname()), portOf(u))]
	return ok
}

// newGate opens a gate; the caller closes it.
func newGate(allowed origins) (*gate, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("open the browser's gate: %w", err)
	}
	g := &gate{address: "http://" + l.Addr().String(), allowed: allowed, changed: make(chan struct{}), tunnels: map[net.Conn]bool{}}
	g.transport = &http.Transport{
		DialContext:        func(ctx context.Context, _, addr string) (net.Conn, error) { return g.dial(ctx, addr) },
		DisableCompression: true, MaxIdleConnsPerHost: 16, ResponseHeaderTimeout: 2 * time.Minute,
	}
	g.server = &http.Server{Handler: g, ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 1 << 20}
	go g.server.Serve(l)
	return g, nil
}

func (g *gate) close() {
	_ = g.server.Close()
	g.transport.CloseIdleConnections()
	g.mu.Lock()
	defer g.mu.Unlock()
	for c := range g.tunnels {
		c.Close()
	}
}

// dial reaches an allowed address at the place that it was resolved to.
func (g *gate) dial(ctx context.Context, addr string) (net.Conn, error) {
	to, ok := g.allowed[strings.ToLower(addr)]
	if !ok {
		return nil, fmt.Errorf("reach %s: it is no declared origin", addr)
	}
	d := net.Dialer{Timeout: 10 * time.Second}
	host, port, _ := net.SplitHostPort(to)
	if host != "" {
		return d.DialContext(ctx, "tcp", to)
	}
	c, err := d.DialContext(ctx, "tcp", net.JoinHostPort("127.0.0.1", port))
	if err != nil {
		if six, err := d.DialContext(ctx, "tcp", net.JoinHostPort("::1", port)); err == nil {
			return six, nil
		}
	}
	return c, err
}

// ServeHTTP implements http.Handler.
func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodConnect {
		g.tunnel(w, r)
		return
	}
	if !r.URL.IsAbs() || r.URL.Scheme != "http" || !origins(g.allowed).has(r.URL) {
		g.refuse(w, r.URL.String())
		return
	}
	g.pass(w, r)
}

func (g *gate) refuse(w http.ResponseWriter, address string) {
	g.mu.Lock()
	g.note(address)
	g.mu.Unlock()
	w.Header().Set(refusal, "1")
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(http.StatusForbidden)
	_, _ = io.WriteString(w, "Warden: "+cut(address, 200)+" is no declared origin\n")
}

// note remembers a refused address; the lock is held.
func (g *gate) note(address string) {
	address = cut(address, 200)
	for _, a := range g.refused {
		if a == address {
			return
		}
	}
	if len(g.refused) < maxRefused {
		g.refused = append(g.refused, address)
	}
}

func (g *gate) refusals() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([]string(nil), g.refused...)
}
