package browser

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

// TestHostile has pages that do what no page under test should do. Each ends in a
// value, and in time.
func TestHostile(t *testing.T) {
	address := site(t, map[string]http.HandlerFunc{
		"/dialogs":  html(`<p>Up</p><script>alert('stop');confirm('sure?');prompt('name?');onbeforeunload=e=>{e.preventDefault();return 'stay'}</script>`),
		"/print":    html(`<p>Up</p><script>addEventListener('beforeprint',()=>{document.querySelector('p').textContent='Printed'});print()</script>`),
		"/each":     html(`<p id=p></p><button id=b onclick="onbeforeunload=e=>{e.preventDefault();return 'stay'}; p.textContent+=' armed'">Arm</button><script>alert('a');p.textContent=confirm('c')+' '+prompt('p','x')</script>`),
		"/windows":  html(`<p>Up</p><button id=b onclick="for(let i=0;i<5;i++)window.open('/dialogs?'+i)">Open</button><a id=a target=_blank rel=noopener href="/dialogs">Apart</a>`),
		"/file":     html(`<p>Up</p><a id=a href="file:///etc/passwd">Read</a><script>try{location='file:///etc/hostname'}catch(e){}</script>`),
		"/ask":      html(`<p id=p></p><script>Promise.allSettled([Notification.requestPermission().then(x=>'n:'+x),new Promise(d=>navigator.geolocation.getCurrentPosition(()=>d('g:yes'),e=>d('g:denied')))]).then(r=>p.textContent=r.map(x=>x.value).join(' '))</script>`),
		"/flood":    html(`<p>Up</p><script>for(let i=0;i<5000;i++)console.error('x'.repeat(2000)+i)</script>`),
		"/for-ever": html(`<p>Up</p><button id=b onclick="for(;;);">Hang</button>`),
		"/busy":     html(`<p>Up</p><script>addEventListener('load',()=>{for(;;);})</script>`),
		"/silent":   func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"/broken":   func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) },
		"/offer": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Disposition", "attachment; filename=loot.bin")
			_, _ = w.Write([]byte("x"))
		},
		"/offers": html(`<p>Up</p><a id=a href="/offer">Take</a>`),
	})
	r := judged(t, address, []verdict{
		{"open=/dialogs -> text=Up visible -> open=/print -> text=Up visible", ""},
		{"open=/windows -> css=#b click", ""},
		{"open=/windows -> css=#a click", ""},
		{"open=/file -> text=Up visible", ""},
		{"open=/file -> css=#a click", "nothing changed"},
		{"open=/ask -> css=#p text-equals=\"n:denied g:denied\"", ""},
		{"open=/flood -> text=Up visible -> no-console-errors", "5000 errors in the console"},
		{"open=/for-ever -> css=#b click", "does not answer: a script of it runs without end"},
		{"open=/busy -> text=Up visible", "does not answer: a script of it runs without end"},
		{"open=/silent -> text=Up visible", "did not answer within 20s"},
		{"open=/broken -> css=body visible", "answered with status 500"},
		{"open=/offers -> css=#a click", ""},
		{"open=/each -> css=#p text-equals=false null -> css=#b click -> open=/print -> text=Up visible", ""},
	})
	if d := r.Scenarios[12].Dialogs; len(d) != 4 || d[0] != "alert: a" || d[1] != "confirm: c" || d[2] != "prompt: p" || !strings.HasPrefix(d[3], "beforeunload:") {
		t.Errorf("dialogs of each kind: %q", d)
	}
	if d := r.Scenarios[0].Dialogs; len(d) < 3 || d[0] != "alert: stop" {
		t.Errorf("dialogs: %q", d)
	}
	if p := r.Scenarios[1].Popups; len(p) == 0 || !slices.Contains(r.Scenarios[1].Steps[1].Changed, "popup") {
		t.Errorf("popups: %q, %+v", p, r.Scenarios[1].Steps)
	}
	if p := r.Scenarios[2].Popups; len(p) == 0 {
		t.Errorf("a window without opener: %q", p)
	}
	if s := r.Scenarios[7]; len(s.Screenshots) != 2 || s.Steps[1].Screenshot != "08-1280x720-after-click-2-stopped.png" || !strings.HasPrefix(s.Picture, "of its end: taken once") {
		t.Errorf("what a script without end left: %q, %+v", s.Picture, s.Screenshots)
	}
	if s := r.Scenarios[8]; len(s.Screenshots) != 1 || !strings.HasPrefix(s.Picture, "of its end: taken once") {
		t.Errorf("a page that never answered: %q, %+v", s.Picture, s.Screenshots)
	}
	flood := r.Scenarios[6]
	if len(flood.Console) != maxConsole || flood.ConsoleMore != 5000-maxConsole || len(flood.Console[0].Text) > maxConsoleText+3 {
		t.Errorf("flood: %d kept, %d more", len(flood.Console), flood.ConsoleMore)
	}
	if d := r.Scenarios[11].Downloads; len(d) != 1 || d[0] != "loot.bin" {
		t.Errorf("downloads: %q", d)
	}
}

func TestConsole(t *testing.T) {
	address := site(t, map[string]http.HandlerFunc{
		"/throws": html(`<p>Up</p><script>console.warn('no');console.error('first',{a:1});Promise.reject(new Error('lost'));setTimeout(()=>{throw new Error('boom')})</script>`),
	})
	r := judged(t, address+"/throws", []verdict{
		{"no-console-errors", "3 errors in the console, the first: first"},
		{"css=p visible", ""},
	})
	checked, unchecked := r.Scenarios[0], r.Scenarios[1]
	if c := checked.Console; len(c) != 3 || !strings.Contains(c[0].Source, "/throws:1") || checked.Steps[0].OK {
		t.Errorf("console: %+v", checked)
	}
	if !checked.ConsoleChecked || unchecked.ConsoleChecked || len(unchecked.Console) != 3 {
		t.Errorf("unchecked console: %+v", unchecked)
	}
}
