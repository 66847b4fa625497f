package github_test

import (
	"context"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tolboy/warden/forge"
	"github.com/tolboy/warden/forge/forgetest"
	"github.com/tolboy/warden/forge/github"
)

const proxyChild = "WARDEN_TEST_PROXY_CHILD"

// TestThroughAProxy asks a forge that only a proxy with a password knows, and whose
// certificate only SSL_CERT_FILE vouches for. A process of its own asks: Go reads both
// once.
func TestThroughAProxy(t *testing.T) {
	t.Parallel()
	if os.Getenv(proxyChild) != "" {
		askThroughAProxy(t)
		return
	}
	s, _ := start(t, forgetest.Options{})
	back, err := url.Parse(s.APIURL())
	if err != nil {
		t.Fatal(err)
	}
	front := httptest.NewTLSServer(httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: back.Host}))
	t.Cleanup(front.Close)
	var tunnels atomic.Int64
	want := "Basic " + base64.StdEncoding.EncodeToString([]byte("ann:canary-proxy-4711"))
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect || r.Header.Get("Proxy-Authorization") != want {
			w.WriteHeader(http.StatusProxyAuthRequired)
			return
		}
		tunnels.Add(1)
		tunnel(w, front.Listener.Addr().String())
	}))
	t.Cleanup(proxy.Close)
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: front.Certificate().Raw}), 0o644); err != nil {
		t.Fatal(err)
	}
	ask := func(password, trusted string) string {
		t.Helper()
		cmd := exec.Command(os.Args[0], "-test.run=^TestThroughAProxy$", "-test.v")
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), proxyChild + "=" + s.Repo().String(),
			"HTTPS_PROXY=" + strings.Replace(proxy.URL, "://", "://ann:"+password+"@", 1), "SSL_CERT_FILE=" + trusted}
		out, _ := cmd.CombinedOutput()
		return string(out)
	}
	if out := ask("canary-proxy-4711", ca); !strings.Contains(out, "the default branch is "+s.DefaultBranch()) || tunnels.Load() == 0 {
		t.Errorf("%d tunnels:\n%s", tunnels.Load(), out)
	}
	if out := ask("canary-proxy-4711", filepath.Join(t.TempDir(), "none.pem")); !strings.Contains(out, "certificate") {
		t.Errorf("an unknown certificate was taken:\n%s", out)
	}
	if out := ask("canary-proxy-wrong", ca); !strings.Contains(out, "the forge was not reached") || strings.Contains(out, "canary-proxy") {
		t.Errorf("a proxy that refuses:\n%s", out)
	}
}

func askThroughAProxy(t *testing.T) {
	owner, name, _ := strings.Cut(os.Getenv(proxyChild), "/")
	c, err := github.New(github.Config{Repo: forge.Repo{Owner: owner, Name: name}, APIURL: "https://example.com/api/v3",
		Token: func(context.Context) (string, error) { return forgetest.DefaultToken, nil }})
	if err != nil {
		t.Fatal(err)
	}
	branch, err := c.DefaultBranch(t.Context())
	if err != nil {
		t.Fatalf("the forge was not reached: %v", err)
	}
	fmt.Println("the default branch is", branch)
}

// tunnel joins a client of a proxy and what it wants to speak with.
func tunnel(w http.ResponseWriter, to string) {
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
	if _, err := io.WriteString(near, "HTTP/1.1 200 Connected\r\n\r\n"); err != nil {
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(far, near)
		far.Close()
	}()
	_, _ = io.Copy(near, far)
	near.Close()
	<-done
}
