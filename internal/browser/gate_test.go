package browser

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// elsewhere is a server that nobody may reach, and counts who does.
func elsewhere(t *testing.T) (address string, reached *atomic.Int32) {
	t.Helper()
	reached = new(atomic.Int32)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			reached.Add(1)
			c.Close()
		}
	}()
	return l.Addr().String(), reached
}

// TestOnlyDeclaredOrigins has a page that tries every way out that it has.
func TestOnlyDeclaredOrigins(t *testing.T) {
	other, reached := elsewhere(t)
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer udp.Close()
	_, port, _ := net.SplitHostPort(other)
	worker := fmt.Sprintf(`onmessage=async e=>{try{await fetch('http://%s/worker');postMessage('out')}catch(x){postMessage('refused')}}`, other)
	address := site(t, map[string]http.HandlerFunc{
		"/out": html(fmt.Sprintf(`<p id=p></p><img src="http://%[1]s/img"><link rel=preconnect href="http://%[1]s"><link rel=dns-prefetch href="//evil.example">
<iframe src="http://%[1]s/frame"></iframe><script>
const no=(p)=>p.then(()=>'out',()=>'refused');
const ws=new Promise(d=>{const s=new WebSocket('ws://%[1]s/ws');s.onopen=()=>d('out');s.onerror=()=>d('refused')});
const own=new Promise(d=>{const s=new Worker('/w.js');s.onmessage=e=>d(e.data);s.postMessage(0)});
const rtc=new RTCPeerConnection({iceServers:[{urls:'stun:%[2]s'}]});rtc.createDataChannel('x');rtc.createOffer().then(o=>rtc.setLocalDescription(o));
navigator.sendBeacon('http://%[1]s/beacon','x');
Promise.all([no(fetch('http://%[1]s/fetch',{mode:'no-cors'})),no(fetch('http://[::1]:%[3]s/six',{mode:'no-cors'})),no(fetch('http://169.254.169.254/latest',{mode:'no-cors'})),no(fetch('http://localhost:%[3]s/name',{mode:'no-cors'})),ws,own]).then(r=>p.textContent=r.join(' '))
</script>`, other, udp.LocalAddr(), port)),
		"/w.js": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/javascript")
			fmt.Fprint(w, worker)
		},
		"/away": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://"+other+"/landed", http.StatusFound)
		},
		"/jump":  html(fmt.Sprintf(`<button id=b onclick="location='http://%s/jumped'">Leave</button>`, other)),
		"/round": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/round", http.StatusFound) },
	})
	r := judged(t, address+"/out", []verdict{
		// A refused fetch of another origin that nobody may read resolves; that nothing
		// got there is what counts.
		{"wait-for=css=\"#p:not(:empty)\"", ""},
		{"open=/away -> css=body visible", "the page went to http://" + other + "/landed, which is no declared origin"},
		{"open=/jump -> css=#b click", "the page went to http://" + other + "/jumped, which is no declared origin"},
		{"open=/round -> css=body visible", "could not be opened"},
	})
	if n := reached.Load(); n != 0 {
		t.Errorf("the page got out %d times", n)
	}
	refused := r.Scenarios[0].Refused
	for _, want := range []string{"http://" + other + "/img", "http://" + other + "/fetch", "http://" + other + "/worker", "http://169.254.169.254/latest"} {
		if !slices.Contains(refused, want) {
			t.Errorf("%s is not among the refused: %q", want, refused)
		}
	}
	if err := udp.SetReadDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if n, from, err := udp.ReadFrom(make([]byte, 1500)); err == nil {
		t.Errorf("a packet of %d bytes came past the gate from %s", n, from)
	}
}

// TestGate speaks to the gate without a browser.
func TestGate(t *testing.T) {
	other, reached := elsewhere(t)
	address := site(t, nil)
	allowed, err := resolve(t.Context(), []string{address})
	if err != nil {
		t.Fatal(err)
	}
	g, err := newGate(allowed)
	if err != nil {
		t.Fatal(err)
	}
	defer g.close()
	host := strings.TrimPrefix(address, "http://")
	for _, tt := range []struct{ request, status string }{
		{"GET " + address + "/plain.html HTTP/1.1\r\nHost: " + host, "200"},
		{"GET http://" + other + "/ HTTP/1.1\r\nHost: " + host, "403"},
		{"GET /plain.html HTTP/1.1\r\nHost: " + host, "403"},
		{"GET https://" + host + "/plain.html HTTP/1.1\r\nHost: " + host, "403"},
		{"CONNECT " + other + " HTTP/1.1\r\nHost: " + host, "403"},
		{"CONNECT " + host + " HTTP/1.1\r\nHost: " + host, "200"},
		{"GET ftp://" + host + "/ HTTP/1.1\r\nHost: " + host, "403"},
	} {
		c, err := net.Dial("tcp", strings.TrimPrefix(g.address, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(c, "%s\r\nConnection: close\r\n\r\n", tt.request)
		buf := make([]byte, 12)
		n, _ := c.Read(buf)
		c.Close()
		if got := string(buf[:n]); got != "HTTP/1.1 "+tt.status {
			t.Errorf("%q: %q, want %s", tt.request, got, tt.status)
		}
	}
	if reached.Load() != 0 {
		t.Error("the gate let a request out")
	}
	if n, _ := g.flying(); n != 0 {
		t.Errorf("%d requests are said to be under way", n)
	}
	for i := range 2 * maxRefused {
		g.mu.Lock()
		g.note(fmt.Sprint("http://x/", i))
		g.mu.Unlock()
	}
	if n := len(g.refusals()); n != maxRefused {
		t.Errorf("%d refusals are kept", n)
	}
}

func TestResolve(t *testing.T) {
	for _, bad := range []string{"file:///etc/passwd", "ftp://127.0.0.1/", "ws://127.0.0.1/", "http://", "http://user:secret@127.0.0.1/", "::", "javascript:1", ""} {
		if _, err := resolve(context.Background(), []string{bad}); err == nil {
			t.Errorf("%q is taken for an origin", bad)
		}
	}
	o, err := resolve(t.Context(), []string{"http://LocalHost:3000/x", "https://127.0.0.1", "http://[::1]:80/"})
	if err != nil || len(o) != 3 || o["localhost:3000"] != ":3000" || o["127.0.0.1:443"] != "127.0.0.1:443" || o["[::1]:80"] != "[::1]:80" {
		t.Errorf("%v, %v", o, err)
	}
}
