package browser

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

func TestActs(t *testing.T) {
	r := judged(t, site(t, nil)+"/plain.html", []verdict{
		{"testid=save click -> text=Saved visible", ""},
		{"css=#late click -> text=Later visible", ""},
		{"css=#far click -> text=Reached visible", ""},
		{"css=#covered click", `covered by <div id="over">`},
		{"css=#off click", "it is disabled"},
		{"css=#gone click", "cannot be seen: display: none"},
		{"css=#name fill=Ada -> css=#name text-equals=Ada -> css=#name press=Enter -> text=Hello Ada visible", ""},
		{`css=#name fill="a name that is longer than twenty"`, `it then held "a name that is longe`},
		{`css=#day fill=2026-02-03 -> css=#day text-equals=2026-02-03 -> css=#text fill="" -> css=#text text-equals=""`, ""},
		{"css=#colour select=Blue -> css=#colour text-equals=Blue", ""},
		{"css=#colour select=Green", `no such option; it has "Red", "Blue"`},
		{"css=#hovered hover -> text=Hovered visible", ""},
		{"css=#name click -> press=Shift+a -> css=#name text-equals=A", ""},
		{"css=h1 fill=x", "no field that takes text"},
	})
	click := r.Scenarios[0].Steps[0]
	if click.ClickedAt == nil || !strings.Contains(click.Hit, `data-testid="save"`) || !click.DOMChanged || !slices.Contains(click.Changed, "document") {
		t.Errorf("a click proves %+v", click)
	}
	if click.Screenshot != "01-1280x720-after-click-1.png" {
		t.Errorf("picture after the click: %q", click.Screenshot)
	}
	if h := r.Scenarios[11].Steps[0]; !h.DOMChanged || !slices.Contains(h.Changed, "document") {
		t.Errorf("a hover tells %+v", h)
	}
	seen := map[string]bool{}
	for _, s := range r.Scenarios {
		for _, p := range s.Screenshots {
			if seen[p.Name] || p.Bytes == 0 || len(p.SHA256) != 64 {
				t.Errorf("picture %+v", p)
			}
			seen[p.Name] = true
		}
	}
}

// TestClickWithoutConsequence has a button that is there, is hit, and does nothing.
func TestClickWithoutConsequence(t *testing.T) {
	judged(t, site(t, nil)+"/plain.html", []verdict{{"css=#soon visible -> css=#dead click", "nothing changed within 2s"}})
}

// TestClickHitsWhatItProves has pages that take a click away from its element, or
// change where nobody looks.
func TestClickHitsWhatItProves(t *testing.T) {
	address := site(t, map[string]http.HandlerFunc{
		"/swap": html(`<button id=b onclick="document.title='b'">Go</button><div id=o style="position:fixed;inset:0;display:none" onclick="document.title='o'">x</div>
			<script>b.onmouseenter=()=>{o.style.display='block'}</script>`),
		"/canvas": html(`<canvas id=c width=50 height=50></canvas><script>c.onclick=()=>c.getContext('2d').fillRect(0,0,50,50)</script>`),
		"/still":  html(`<canvas id=c width=50 height=50></canvas>`),
		"/label":  html(`<label for=i>Agree</label><input id=i type=checkbox>`),
		"/move":   html(`<button id=b style="position:absolute;left:0">Run</button><script>let x=0;const go=()=>{b.style.left=(x+=7)%400+'px';requestAnimationFrame(go)};go()</script>`),
		"/names":  html(`<form><input name=getBoundingClientRect><input name=parentNode><button id=b type=button onclick="this.textContent='Done'">Do</button></form><img name=createTreeWalker><img name=querySelectorAll>`),
	})
	for path, want := range map[string][]verdict{
		"/swap":   {{"css=#b click", "the press came to"}},
		"/canvas": {{"css=#c click", ""}},
		"/still":  {{"css=#c click", "nothing changed"}},
		"/label":  {{"text=Agree click -> css=#i text-equals=checked", ""}},
		"/move":   {{"css=#b click", "does not stay where it is"}},
		"/names":  {{"css=#b click -> text=Done visible", ""}},
	} {
		r := judged(t, address+path, want)
		if path == "/canvas" && !slices.Equal(r.Scenarios[0].Steps[0].Changed, []string{"pixels"}) {
			t.Errorf("a canvas changed: %+v", r.Scenarios[0].Steps[0])
		}
	}
}
