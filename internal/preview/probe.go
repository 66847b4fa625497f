package preview

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

const (
	connectLimit = 2 * time.Second
	answerLimit  = 5 * time.Second
	pollEvery    = 100 * time.Millisecond
)

// Probe asks an address once, in HTTP/1.1 and no other way, and returns the status
// of its answer. It uses no proxy, follows nothing and reads no body. A status
// below 500 is a page that is there, a redirect and a missing one too.
func Probe(ctx context.Context, address string) (status int, err error) {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return 0, err
	}
	transport := &http.Transport{
		DialContext:       (&net.Dialer{Timeout: connectLimit}).DialContext,
		DisableKeepAlives: true, MaxResponseHeaderBytes: 64 << 10,
		// Some servers never answer who asks to go on in HTTP/2.
		TLSNextProto: map[string]func(string, *tls.Conn) http.RoundTripper{},
	}
	defer transport.CloseIdleConnections()
	resp, err := transport.RoundTrip(req)
	if err != nil {
		return 0, err
	}
	return resp.StatusCode, resp.Body.Close()
}

// Taken reports whether anybody accepts connections at an address, whatever it
// then says.
func Taken(ctx context.Context, address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	port, err := portOf(address)
	if err != nil {
		return false
	}
	c, err := (&net.Dialer{Timeout: connectLimit}).DialContext(ctx, "tcp", net.JoinHostPort(u.Hostname(), strconv.Itoa(port)))
	if err != nil {
		return false
	}
	_ = c.Close() // nothing was said on it
	return true
}
