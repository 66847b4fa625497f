package push

import (
	"context"
	"encoding/base64"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tolboy/warden/internal/git"
)

const proxyPassword = "canary-proxy-4711"

// proxy is a real proxy on loopback that wants a password, and tunnels to one address.
type proxy struct {
	url     string
	tunnels atomic.Int64
	refused atomic.Int64
}

func newProxy(t *testing.T, to string) *proxy {
	t.Helper()
	p := &proxy{}
	want := "Basic " + base64.StdEncoding.EncodeToString([]byte("ann:"+proxyPassword))
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect || r.Header.Get("Proxy-Authorization") != want {
			p.refused.Add(1)
			w.Header().Set("Proxy-Authenticate", `Basic realm="proxy"`)
			w.WriteHeader(http.StatusProxyAuthRequired)
			return
		}
		p.tunnels.Add(1)
		p.tunnel(w, to)
	}))
	t.Cleanup(srv.Close)
	p.url = strings.Replace(srv.URL, "://", "://ann:"+proxyPassword+"@", 1)
	return p
}

func (p *proxy) tunnel(w http.ResponseWriter, to string) {
	far, err := net.Dial("tcp", to)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer far.Close()
	near, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	defer near.Close()
	io.WriteString(near, "HTTP/1.1 200 Connected\r\n\r\n")
	var both sync.WaitGroup
	both.Go(func() { io.Copy(far, near); far.Close() })
	both.Go(func() { io.Copy(near, far); near.Close() })
	both.Wait()
}

// TestThroughAProxy pushes through a proxy with a password, to a host whose certificate
// only SSL_CERT_FILE vouches for. Nothing but the proxy knows where that host is.
func TestThroughAProxy(t *testing.T) { // not parallel: it sets variables
	s := newServer(t)
	back, err := url.Parse(s.url)
	if err != nil {
		t.Fatal(err)
	}
	front := httptest.NewTLSServer(httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: back.Host}))
	t.Cleanup(front.Close)
	p := newProxy(t, front.Listener.Addr().String())
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: front.Certificate().Raw}), 0o644); err != nil {
		t.Fatal(err)
	}
	l := newLocal(s, 1)
	remote := s.remote()
	remote.URL = "https://example.com" + back.Path
	push := func(branch string) error {
		t.Helper()
		g, err := git.New()
		if err != nil {
			t.Fatal(err)
		}
		return New(g).Branch(context.Background(), remote, l.dir, l.commits[0], branch, "")
	}
	for _, name := range []string{"NO_PROXY", "no_proxy", "https_proxy", "HTTP_PROXY", "http_proxy", "GIT_SSL_CAINFO", "SSL_CERT_DIR"} {
		t.Setenv(name, "") // it is put back afterwards
		os.Unsetenv(name)
	}
	t.Setenv("HTTPS_PROXY", p.url)
	if err := push("warden/untrusted"); err == nil {
		t.Error("a certificate that nobody vouches for was taken")
	}
	t.Setenv("SSL_CERT_FILE", ca)
	if err := push("warden/one"); err != nil {
		t.Fatal(err)
	}
	if s.at("refs/heads/warden/one") != l.commits[0] || p.tunnels.Load() == 0 {
		t.Errorf("the branch is at %q after %d tunnels", s.at("refs/heads/warden/one"), p.tunnels.Load())
	}

	// What is on this machine is reached without the proxy.
	t.Setenv("HTTP_PROXY", p.url)
	before := p.tunnels.Load() + p.refused.Load()
	remote.URL = s.url
	if err := push("warden/two"); err != nil || p.tunnels.Load()+p.refused.Load() != before {
		t.Errorf("loopback went through the proxy: %v", err)
	}

	// A proxy that refuses is named without its password.
	remote.URL = "https://example.com" + back.Path
	t.Setenv("HTTPS_PROXY", strings.Replace(p.url, proxyPassword, proxyPassword+"-wrong", 1))
	if err := push("warden/three"); err == nil || strings.Contains(err.Error(), proxyPassword) {
		t.Errorf("got %v", err)
	}

	// NO_PROXY holds: without the proxy the host is not where the certificate is.
	t.Setenv("HTTPS_PROXY", p.url)
	t.Setenv("NO_PROXY", "example.com")
	before = p.tunnels.Load()
	remote.URL = "https://example.com:1" + back.Path
	if err := push("warden/four"); err == nil || p.tunnels.Load() != before {
		t.Errorf("NO_PROXY was passed over: %v", err)
	}
}
