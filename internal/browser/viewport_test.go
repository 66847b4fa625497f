package browser

import (
	"net/http"
	"strings"
	"testing"
)

func TestViewport(t *testing.T) {
	address := site(t, map[string]http.HandlerFunc{
		"/bare": html(`<h1>No viewport meta</h1>`),
		"/size": html(`<p id=p></p><script>p.textContent=innerWidth+'x'+innerHeight+'@'+devicePixelRatio</script>`),
	})
	t.Run("BR-02", func(t *testing.T) {
		r := judged(t, address+"/bare", []verdict{
			{"700x400: css=h1 visible", ""},
			{"700x400 mobile: css=h1 visible", "shown at 980x560"},
		})
		emulated := r.Scenarios[1]
		if emulated.Honoured || len(emulated.Steps) != 0 || emulated.Effective == nil || emulated.Effective.Width != 980 {
			t.Errorf("a viewport that never existed: %+v", emulated)
		}
		if !r.Scenarios[0].Honoured || !strings.Contains(emulated.Why, "viewport meta tag") {
			t.Errorf("%+v", r.Scenarios[0])
		}
	})
	judged(t, address+"/size", []verdict{
		{"333x777: css=#p text-equals=333x777@1", ""},
		{"8x8: no-console-errors", ""}, // the smallest of which there is a picture
	})
}

// TestRegions tells where the elements lie that a comparison leaves out.
func TestRegions(t *testing.T) {
	address := site(t, map[string]http.HandlerFunc{
		"/ad": html(`<style>body{margin:0}div{position:absolute;left:10px;top:20px;width:30px;height:40px}</style><div class=ad></div>`),
	})
	r := lookWith(t, Options{Address: address + "/ad", Ignore: []string{".ad", ".none"}}, "800x600: css=.ad visible")
	got := r.Scenarios[0].Screenshots[0].Ignored
	foreign := lookWith(t, Options{Address: address + "/ad", Ignore: []string{"a:frob(1)"}}, "800x600: css=.ad visible").Scenarios[0]
	if foreign.OK || !strings.Contains(foreign.Why, "visual_qa.baseline_ignore: the browser does not take a:frob(1) for a selector") {
		t.Errorf("a selector of no browser: %t, %q", foreign.OK, foreign.Why)
	}
	if len(got) != 1 || got[0] != (Region{Selector: ".ad", X: 10, Y: 20, Width: 30, Height: 40}) {
		t.Errorf("regions %+v", got)
	}
}
