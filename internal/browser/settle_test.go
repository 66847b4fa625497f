package browser

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestSettles holds that a page is judged when it is quiet: after its animations,
// its requests and those of its workers, without anybody having told it to wait.
func TestSettles(t *testing.T) {
	slow := func(w http.ResponseWriter, r *http.Request) {
		wait := 700 * time.Millisecond
		if r.URL.RawQuery != "" {
			wait = 2500 * time.Millisecond // longer than two frames and a step take on a busy machine
		}
		select {
		case <-time.NewTimer(wait).C:
		case <-r.Context().Done():
		}
		fmt.Fprint(w, "Came late")
	}
	address := site(t, map[string]http.HandlerFunc{
		"/slow":  slow,
		"/chain": html(`<p id=p>Early</p><script>fetch('/slow').then(r=>r.text()).then(s=>fetch('/slow?again')).then(r=>r.text()).then(s=>{p.textContent=s})</script>`),
		"/stream": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "data: x\n\n")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		},
		"/live": html(`<p id=p>Live</p><script>new EventSource('/stream').onmessage=()=>{p.textContent='Listening'}</script>`),
	})
	for path, text := range map[string]string{
		"/animation.html": "text=Slid in visible -> testid=show click -> css=#panel visible",
		"/chain":          "css=#p text-equals=Came late",
		"/live":           "css=#p text-equals=Listening",
		"/worker.html":    "css=#out text-equals=Made by the worker",
	} {
		s := judged(t, address+path, []verdict{{text, ""}}).Scenarios[0]
		if s.Unsettled != "" {
			t.Errorf("%s: unsettled: %s", path, s.Unsettled)
		}
	}
	// What holds only while a request is under way is not what the page came to.
	judged(t, address+"/chain", []verdict{{"css=#p text-equals=Early", `it says "Came late"`}})
}

// TestNeverSettles holds that a page that is never quiet is judged all the same, in
// time, and that the report says what went on.
func TestNeverSettles(t *testing.T) {
	address := site(t, map[string]http.HandlerFunc{
		"/clock": html(`<p id=p></p><script>(function f(){p.textContent=performance.now();requestAnimationFrame(f)})()</script>`),
		"/poll":  html(`<p id=p>Polls</p><script>(function f(){fetch('/hang').finally(f)})()</script>`),
		"/hang":  func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"/quick": html(`<p id=p>Quick</p><script>(async()=>{for(let n=0;;n++)await fetch('/plain.html?'+n)})()</script>`),
		"/long":  html(`<style>@keyframes a{to{opacity:.5}}p{animation:a 90s}</style><p id=p>Long</p>`),
	})
	for path, why := range map[string]string{"/clock": "document: ", "/poll": "network: ", "/quick": "network: ", "/long": "animation: a of <p"} {
		s := judged(t, address+path, []verdict{{"css=#p visible", ""}}).Scenarios[0]
		if !strings.HasPrefix(s.Unsettled, why) || len(s.Screenshots) != 1 {
			t.Errorf("%s: unsettled %q, %d pictures", path, s.Unsettled, len(s.Screenshots))
		}
	}
}

// TestClickOnRestlessPage holds that a step says so where what changed may be the page's
// own doing.
func TestClickOnRestlessPage(t *testing.T) {
	address := site(t, map[string]http.HandlerFunc{
		"/clock": html(`<p id=p></p><button id=b>Dead</button><script>(function f(){p.textContent=performance.now();requestAnimationFrame(f)})()</script>`),
		"/calm":  html(`<p id=p></p><button id=b onclick="p.textContent='Pressed'">Go</button>`),
	})
	r := judged(t, address, []verdict{{"open=/clock -> css=#b click", ""}, {"open=/calm -> css=#b click", ""}})
	if why := r.Scenarios[0].Steps[1].Why; !strings.HasPrefix(why, "the page changes by itself too (document: ") {
		t.Errorf("a click on a page that changes by itself says %q", why)
	}
	if why := r.Scenarios[1].Steps[1].Why; why != "" {
		t.Errorf("a click on a quiet page says %q", why)
	}
}

// TestWaits is the part of BR-10 that a browser has: a page that runs on its own
// clock is waited for as long as the scenario says, and a picture is taken.
func TestWaits(t *testing.T) {
	t.Run("BR-10", func(t *testing.T) {
		r := judged(t, site(t, nil)+"/animation.html", []verdict{
			{"wait 2 -> text=Panel of later visible", ""},
			{"wait-for=text=Panel of later -> css=#clock text-equals=Panel of later", ""},
		})
		held, polled := r.Scenarios[0].Steps[0], r.Scenarios[1].Steps[0]
		if held.Waited < 2 || held.Screenshot != "01-1280x720-after-wait-1.png" || polled.Screenshot != "02-1280x720-after-wait-for-1.png" {
			t.Errorf("wait %+v, wait-for %+v", held, polled)
		}
	})
}
