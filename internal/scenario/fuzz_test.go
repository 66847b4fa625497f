package scenario

import (
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// FuzzParse: a fault lies inside the text and says something; a scenario is within
// its bounds, reads back from its one form as the same, and writes that form again.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"", "->", "1280x720: testid=save-button click -> css=.panel.open visible", "390×844 mobile: wait-for=css=.hearth visible -> wait 32s -> no-console-errors",
		`role=button[name="a -> \"b\""] click@0.25,1 -> text="\u{202e}\n" hidden`, `css=[title="a -> ]"] fill= x -> css="a" press=Control++ -> open=/a?b#c -> url=/`, "text=שמור count=0", `css=a\`, `text="\`, `text="\u{`,
		"testid=a select=x y -> Save all hover", "0x100000: a", "text=a text-equals=b", "text=visible visible", `"" click`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, faults := Parse(text)
		for _, fault := range faults {
			if fault.Message == "" || fault.Column < 0 || fault.Column > utf8.RuneCountInString(text)+1 || fault.Step < 0 || fault.Step > MaxSteps+1 {
				t.Fatalf("fault %+v of %q", fault, text)
			}
		}
		if len(faults) > 0 {
			return
		}
		if len(s.Steps) == 0 || len(s.Steps) > MaxSteps || s.Viewport.Width < MinSide || s.Viewport.Height < MinSide || s.Viewport.Width*s.Viewport.Height > MaxPixels || s.Hold() > MaxSteps*MaxWait {
			t.Fatalf("scenario %+v", s)
		}
		for _, fault := range s.Faults() {
			if fault.Message == "" || fault.Step != 0 || fault.Column != 0 {
				t.Fatalf("fault %+v of %q as a whole", fault, text)
			}
		}
		if n := PictureName("/", s, len(s.Steps)); !portable.MatchString(n) {
			t.Fatalf("%q is pictured as %q", text, n)
		}
		written := s.String()
		if utf8.RuneCountInString(written) > MaxLength {
			return
		}
		again, faults := Parse(written)
		if len(faults) > 0 {
			t.Fatalf("%q is written as %q, which has faults: %v", text, written, faults)
		}
		if diff := cmp.Diff(bare(s), bare(again)); diff != "" {
			t.Fatalf("%q is written as %q, which is another:\n%s", text, written, diff)
		}
		if again.String() != written {
			t.Fatalf("%q is written again as %q", written, again)
		}
	})
}
