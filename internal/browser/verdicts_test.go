package browser

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"
)

// restless are scenarios over a page that moves and pages that are slow, with what each
// comes to every time.
var restless = []struct{ text, why string }{
	{"open=/animation.html -> text=Slid in visible -> testid=show click -> css=#panel visible -> no-console-errors", ""},
	{"open=/animation.html -> testid=show click -> css=#slide text-equals=Slid in -> css=#none visible", "step 4: nothing in the page matches"},
	{"open=/chain -> css=#p text-equals=Came late", ""},
	{"open=/chain -> css=#p text-equals=Came early", `step 2: it says "Came late"`},
	{"open=/halves -> css=#second visible -> no-console-errors", ""},
}

// BenchmarkVerdicts looks again and again at pages that move and that are slow. What
// counts is how many runs gave the very verdicts that are expected: one that did not
// fails it, after all were made.
func BenchmarkVerdicts(b *testing.B) {
	pause := func(r *http.Request) {
		select {
		case <-time.NewTimer(300 * time.Millisecond).C:
		case <-r.Context().Done():
		}
	}
	address := site(b, map[string]http.HandlerFunc{
		"/slow": func(w http.ResponseWriter, r *http.Request) {
			pause(r)
			fmt.Fprint(w, "Came late")
		},
		"/chain": html(`<p id=p></p><script>fetch('/slow').then(r=>r.text()).then(s=>fetch('/slow?again')).then(r=>r.text()).then(s=>{p.textContent=s})</script>`),
		"/halves": func(w http.ResponseWriter, r *http.Request) {
			html("<p>First</p>")(w, r)
			_ = http.NewResponseController(w).Flush()
			pause(r)
			fmt.Fprint(w, "<p id=second>Second</p>")
		},
	})
	var texts []string
	for _, s := range restless {
		texts = append(texts, s.text)
	}
	list, path := parse(b, texts...), theBrowser(b)
	equal, runs := 0, 0
	for b.Loop() {
		runs++
		ctx, cancel := context.WithTimeout(b.Context(), 5*time.Minute)
		r, err := Run(ctx, list, Options{Browser: path, Address: address, Dir: b.TempDir()})
		cancel()
		same := err == nil
		if err != nil {
			b.Errorf("run %d: nothing was told: %v", runs, err)
		}
		for i := range restless {
			if err != nil {
				break
			}
			if s := r.Scenarios[i]; s.Why != restless[i].why || s.OK != (s.Why == "") || s.Unsettled != "" {
				same = false
				b.Errorf("run %d: %s: %q, want %q; unsettled %q", runs, s.Raw, s.Why, restless[i].why, s.Unsettled)
			}
		}
		if same {
			equal++
		}
	}
	b.ReportMetric(float64(equal), "equal-verdicts")
	b.Logf("%d of %d runs gave the same verdicts on %d scenarios", equal, runs, len(restless))
}
