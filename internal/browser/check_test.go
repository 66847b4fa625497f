package browser

import (
	"strings"
	"testing"
)

// verdict is what a scenario must come to. why is a part of the reason; "" means
// that it holds.
type verdict struct{ text, why string }

// judged runs scenarios at an address, and holds each to its verdict.
func judged(t *testing.T, address string, want []verdict) Report {
	t.Helper()
	var texts []string
	for _, w := range want {
		texts = append(texts, w.text)
	}
	r := look(t, address, texts...)
	for i, w := range want {
		if s := r.Scenarios[i]; s.OK != (w.why == "") || !strings.Contains(s.Why, w.why) {
			t.Errorf("%s\n ok %t: %s\nwant: %q", w.text, s.OK, s.Why, w.why)
		}
	}
	return r
}

func TestChecks(t *testing.T) {
	r := judged(t, site(t, nil)+"/plain.html", []verdict{
		{"css=h1 -> text=a NOTE visible -> testid=note visible -> css=#soon visible", ""},
		{"css=#gone hidden -> css=#nowhere hidden -> css=#faint hidden -> css=#tiny hidden -> css=#clipped hidden -> css=#away hidden", ""},
		{"css=#faint visible", "opacity 0.04"},
		{"css=#clipped visible", `cut off by <div class="clip">`},
		{"css=#away visible", "outside of the page"},
		{"css=#tiny visible", "1x1 pixels small"},
		{"text=No such words visible", `its buttons and links say: "Save", "Save later"`},
		{`css="h1:no-such" visible`, "does not take h1:no-such for a selector"},
		{`role=button[name="Save"] visible -> role=heading visible -> role=list visible -> role=textbox[name="Name"] visible -> role=status hidden`, ""},
		{`role=button[name="Sav"] visible`, "nothing in the page matches"},
		{"css=li count=2 -> text=one count=1 -> css=h1 text-equals=Plain", ""},
		{"css=li count=3", "2 can be seen, not 3"},
		{"css=h1 text-equals=Plai", `it says "Plain"`},
		{"open=/plain.html?page=2#part -> url=/plain.html?page=2#part", ""},
		{"open=/plain.html?page=2#part -> url=/plain.html -> url=/plain.html?page=2 -> url=/plain.html#part", ""},
		{"open=/plain.html?page=2#part -> url=/plain.html?page=3", "address is /plain.html?page=2#part"},
		{`role=button[name="SAVE"] visible`, ""},
		{"url=/other.html", "address is /plain.html"},
	})
	hidden := r.Scenarios[1].Steps
	if len(hidden) != 6 || !strings.HasPrefix(hidden[0].Why, "present but hidden") || hidden[1].Why != "absent" || hidden[1].Visible {
		t.Errorf("hidden elements: %+v", hidden)
	}
	if steps := r.Scenarios[2].Steps; len(steps) != 1 || steps[0].OK || len(r.Scenarios[2].Screenshots) != 1 {
		t.Errorf("a failed scenario has steps %+v and pictures %+v", steps, r.Scenarios[2].Screenshots)
	}
}

// TestParts looks into open shadow roots and frames of the same origin, and tells of
// those that it cannot look into.
func TestParts(t *testing.T) {
	r := judged(t, site(t, nil)+"/parts.html", []verdict{
		{"testid=in-shadow click -> text=Card opened visible -> css=h2 text-equals=Card", ""},
		{`role=button[name="Open the card"] click -> text=Card opened visible`, ""},
		{"testid=in-frame click -> text=Pressed in the frame visible", ""},
		{"text=Locked in visible", "nothing in the page matches; 1 frame of another origin not looked into"},
		{"css=h2 visible -> text=Locked in hidden -> text=Locked in count=0", ""},
		{"text=Locked in click", "1 frame of another origin not looked into"},
	})
	if s := r.Scenarios[4].Steps; len(s) != 3 || s[0].Unsearched != 0 || s[1].Why != "absent; 1 frame of another origin not looked into" || s[1].Unsearched != 1 || s[2].Unsearched != 1 {
		t.Errorf("what is absent as far as was looked: %+v", s)
	}
	if s := r.Scenarios[2]; s.Frames != 1 || s.Closed != 1 || len(s.Steps) == 0 || !strings.Contains(s.Steps[0].Hit, "in-frame") {
		t.Errorf("frames: %+v", s)
	}
}

func TestRightToLeft(t *testing.T) {
	r := judged(t, site(t, nil)+"/rtl.html", []verdict{
		{"testid=שמור click -> text=נשמר בהצלחה visible -> text=mixed עברית visible", ""},
		{`role=button[name="שמירה"] visible -> css="#מצב" hidden`, ""},
	})
	if r.Scenarios[0].Page != "דף" {
		t.Errorf("title %q", r.Scenarios[0].Page)
	}
}
