package browser
import ("testing";"encoding/json")
func TestFirst(t *testing.T) {
	a := site(t, nil)
	r := look(t, a+"/plain.html", "800x600: testid=save click -> text=Saved visible -> no-console-errors", `css=#soon visible`, `390x844 mobile: role=button[name="Save"] visible -> css=#gone hidden`)
	b,_ := json.MarshalIndent(r,""," "); t.Log(string(b))
}
