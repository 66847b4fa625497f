package browser

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestReach has elements that nobody can bring into sight, and some that a person can.
func TestReach(t *testing.T) {
	address := site(t, map[string]http.HandlerFunc{
		"/aside": html(`<style>body{margin:0;overflow-x:hidden}</style>
			<div id=right style="transform:translateX(3000px);width:100px">Off</div>
			<div id=drawer style="position:fixed;left:120vw;top:0;width:100px;height:50px"><b id=in>Drawer</b></div>
			<div id=sheet style="position:fixed;top:120vh;left:0;width:100px;height:50px">Sheet</div>
			<div style="position:fixed;right:0;top:0;width:99px;height:99px;overflow:auto"><p style="height:2000px"></p><b id=listed>Listed</b></div>
			<p style="height:2000px"></p><p id=below>Below</p>`),
		"/wide":   html(`<div id=wide style="position:absolute;left:3000px">Wide</div>`),
		"/locked": html(`<style>body{margin:0;overflow:hidden}</style><p style="height:2000px"></p><p id=below>Below</p>`),
		"/frames": html(`<iframe style="opacity:0" srcdoc="<b id=faint>1</b>"></iframe><iframe style="visibility:hidden" srcdoc="<b id=veiled>2</b>"></iframe>
			<iframe style="width:1px;height:1px;border:0" srcdoc="<b id=tiny>3</b>"></iframe><iframe style="position:absolute;left:-5000px" srcdoc="<b id=away>4</b>"></iframe>
			<iframe srcdoc="<p style='height:3000px'></p><button id=deep onclick='this.textContent=&quot;Pressed&quot;'>Deep</button>"></iframe>`),
		"/boxes": html(`<div style="position:relative;width:200px;height:60px;overflow:auto"><b id=off style="position:absolute;left:-9999px">Off</b></div>
			<div style="width:200px;height:60px;overflow:auto"><p style="height:400px"></p><button id=b onclick="this.textContent='Pressed'">Go</button></div>`),
	})
	judged(t, address, []verdict{
		{"open=/aside -> css=#right hidden -> css=#drawer hidden -> css=#in hidden -> css=#sheet hidden -> css=#listed visible -> css=#below visible", ""},
		{"open=/aside -> css=#in visible", "outside of the page"},
		{"open=/wide -> css=#wide visible", ""},
		{"open=/locked -> css=#below visible", "outside of the page"},
		{"open=/frames -> css=#faint hidden -> css=#veiled hidden -> css=#tiny hidden -> css=#away hidden -> css=#deep visible", ""},
		{"open=/frames -> css=#faint visible", "of its frame, opacity 0"},
		{"open=/frames -> css=#deep click -> css=#deep text-equals=Pressed", ""},
		{"open=/boxes -> css=#off hidden -> css=#b click -> css=#b text-equals=Pressed", ""},
	})
}

// TestMissingPage holds that what every missing page has, too, is no proof of one.
func TestMissingPage(t *testing.T) {
	address := site(t, map[string]http.HandlerFunc{"/lost": func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		html("<h1>Lost</h1>")(w, r)
	}})
	const why = "status 404, and the scenario asks for nothing"
	judged(t, address, []verdict{
		{"open=/lost -> no-console-errors", why},
		{"open=/lost -> css=.panel hidden -> css=.panel count=0 -> url=/lost", why},
		{"open=/lost -> css=h1 text-equals=Lost -> css=.panel hidden", ""},
	})
}

// TestRolesOfTheTree finds every role of the scenarios that the browser's tree has, by
// what elements are and by what they say.
func TestRolesOfTheTree(t *testing.T) {
	said := strings.Fields("alert application feed grid img image log math menu menuitem note radiogroup switch tab tabpanel timer toolbar tooltip tree treeitem directory doc-abstract graphics-symbol")
	var page, steps strings.Builder
	for _, r := range said {
		fmt.Fprintf(&page, `<div role=%s aria-label="my %[1]s">x</div>`, r)
		fmt.Fprintf(&steps, ` -> role=%s[name="My %[1]s"] visible`, r)
	}
	address := site(t, map[string]http.HandlerFunc{
		"/said": html(page.String()),
		"/are": html(`<nav>n</nav><main><article>a</article><form aria-label=f><input><input type=search><input type=range><select><option>o</select></form>
			<img alt="A cat" width=9 height=9><math><mi>x</mi></math><table><tr><th>h<td>d</table><progress></progress><a href=/>l</a></main><footer>f</footer>`),
		"/not": html(`<div aria-hidden=true><button>Kept</button></div><div inert><button>Still</button></div><img alt="" width=9 height=9>`),
	})
	r := judged(t, address, []verdict{
		{"open=/said" + steps.String(), ""},
		{"open=/are -> role=navigation -> role=main -> role=article -> role=form -> role=textbox -> role=searchbox -> role=slider -> role=combobox -> " +
			`role=img[name="A cat"] -> role=math -> role=table -> role=rowheader count=1 -> role=cell -> role=progressbar -> role=link -> role=contentinfo`, ""},
		{"open=/not -> role=button hidden -> role=img count=0 -> css=button count=2", ""},
	})
	// The tree does not tell what is not there from what is not rendered.
	if why := r.Scenarios[2].Steps[1].Why; why != "absent from the accessibility tree" {
		t.Errorf("a button that the tree does not have: %q", why)
	}
	for _, s := range r.Scenarios {
		if len(s.Refused) > 0 {
			t.Errorf("%s: the page is blamed for what the browser asked for: %q", s.Raw, s.Refused)
		}
	}
}
