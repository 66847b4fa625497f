package browser

import (
	"fmt"
	"net/http"
	"testing"
	"time"
)

// BenchmarkVerdicts looks again and again at a page that moves and at one that is
// slow. A verdict that is not as the first time fails it: the figure that counts is
// how many runs there were.
func BenchmarkVerdicts(b *testing.B) {
	address := site(b, map[string]http.HandlerFunc{
		"/slow": func(w http.ResponseWriter, r *http.Request) {
			select {
			case <-time.NewTimer(300 * time.Millisecond).C:
			case <-r.Context().Done():
			}
			fmt.Fprint(w, "Came late")
		},
		"/chain": html(`<p id=p></p><script>fetch('/slow').then(r=>r.text()).then(s=>fetch('/slow?again')).then(r=>r.text()).then(s=>{p.textContent=s})</script>`),
	})
	for b.Loop() {
		r := look(b, address,
			"open=/animation.html -> text=Slid in visible -> testid=show click -> css=#panel visible -> no-console-errors",
			"open=/animation.html -> testid=show click -> css=#slide text-equals=Slid in -> css=#none visible",
			"open=/chain -> css=#p text-equals=Came late",
			"open=/chain -> css=#p text-equals=Came early")
		for i, want := range []string{"", "step 4: nothing in the page matches", "", `step 2: it says "Came late"`} {
			if s := r.Scenarios[i]; s.Why != want || s.Unsettled != "" {
				b.Fatalf("%s: %q, want %q; unsettled %q", s.Raw, s.Why, want, s.Unsettled)
			}
		}
	}
	b.ReportMetric(float64(b.N), "equal-verdicts")
}
