package scenario

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// bare strips what only tells where a step was written.
func bare(s Scenario) Scenario {
	s.Text = ""
	steps := make([]Step, len(s.Steps))
	for i, step := range s.Steps {
		step.Column = 0
		steps[i] = step
	}
	s.Steps = steps
	return s
}

func TestParse(t *testing.T) {
	t.Parallel()
	text, css, id := func(v string) Matcher { return Matcher{By: ByText, Value: v} },
		func(v string) Matcher { return Matcher{By: ByCSS, Value: v} },
		func(v string) Matcher { return Matcher{By: ByTestID, Value: v} }
	wide := Usual()
	tests := []struct {
		name, text string
		view       Viewport
		steps      []Step
		want       string // String, when it is not the text
	}{
		{"matchers", "1280x720: text=Save -> css=.a > .b -> testid=save -> role=button", wide, []Step{
			{Act: Visible, Target: text("Save")}, {Act: Visible, Target: css(".a > .b")}, {Act: Visible, Target: id("save")},
			{Act: Visible, Target: Matcher{By: ByRole, Value: "button"}},
		}, "1280x720: text=Save visible -> css=.a > .b visible -> testid=save visible -> role=button visible"},
		{"bare_label", "Save all", wide, []Step{{Act: Visible, Target: text("Save all")}}, "1280x720: text=Save all visible"},
		{"quoted_label", `"wait for it" click`, wide, []Step{{Act: Click, Target: text("wait for it"), At: Centre()}}, "1280x720: text=wait for it click"},
		{"times_sign_and_blanks", " 390 × 844 mobile : testid=a hidden ", Viewport{390, 844, true}, []Step{{Act: Hidden, Target: id("a")}}, "390x844 mobile: testid=a hidden"},
		{"mobile_without_a_blank", "390x844mobile:testid=a", Viewport{390, 844, true}, []Step{{Act: Visible, Target: id("a")}}, "390x844 mobile: testid=a visible"},
		{"label_of_a_number", "3 items", wide, []Step{{Act: Visible, Target: text("3 items")}}, "1280x720: text=3 items visible"},
		{"point", "1280x720: css=canvas click@0.25,1", wide, []Step{{Act: Click, Target: css("canvas"), At: Point{0.25, 1}}}, ""},
		{"centre", "1280x720: css=canvas click@0.5,0.50", wide, []Step{{Act: Click, Target: css("canvas"), At: Centre()}}, "1280x720: css=canvas click"},
		{"hover", "1280x720: role=menuitem hover", wide, []Step{{Act: Hover, Target: Matcher{By: ByRole, Value: "menuitem"}}}, ""},
		{"BR-06_last_word_is_the_assertion", "1280x720: testid=a click -> wait-for=css=.hearth visible", wide,
			[]Step{{Act: Click, Target: id("a"), At: Centre()}, {Act: WaitFor, Target: css(".hearth")}}, "1280x720: testid=a click -> wait-for=css=.hearth"},
		{"BR-06_of_a_text", "1280x720: text=Unsaved work hidden", wide, []Step{{Act: Hidden, Target: text("Unsaved work")}}, ""},
		{"quoted_assertion_word", `1280x720: text="Show hidden" click`, wide, []Step{{Act: Click, Target: text("Show hidden"), At: Centre()}}, "1280x720: text=Show hidden click"},
		{"text_that_is_an_act", `1280x720: text=visible visible`, wide, []Step{{Act: Visible, Target: text("visible")}}, ""},
		{"waits", "1280x720: wait 8 -> wait 0.5s -> wait 120 s -> no-console-errors", wide, []Step{
			{Act: Wait, Hold: 8 * time.Second}, {Act: Wait, Hold: 500 * time.Millisecond}, {Act: Wait, Hold: 2 * time.Minute}, {Act: QuietConsole},
		}, "1280x720: wait 8 -> wait 0.5 -> wait 120 -> no-console-errors"},
		{"console_spellings", "No Console Errors -> noconsoleerrors -> no_console_errors", wide, []Step{{Act: QuietConsole}, {Act: QuietConsole}, {Act: QuietConsole}},
			"1280x720: no-console-errors -> no-console-errors -> no-console-errors"},
		{"role_with_name", `1280x720: role=button[name="Save \"all\" -> now"] click -> wait-for=role=dialog[name="Done"]`, wide, []Step{
			{Act: Click, Target: Matcher{By: ByRole, Value: "button", Name: `Save "all" -> now`}, At: Centre()},
			{Act: WaitFor, Target: Matcher{By: ByRole, Value: "dialog", Name: "Done"}},
		}, ""},
		{"fields", `1280x720: testid=n fill=Jane Doe -> testid=n fill="" -> testid=c select=Norway -> testid=n text-equals="a -> b"`, wide, []Step{
			{Act: Fill, Target: id("n"), Value: "Jane Doe"}, {Act: Fill, Target: id("n")}, {Act: Select, Target: id("c"), Value: "Norway"},
			{Act: TextEquals, Target: id("n"), Value: "a -> b"},
		}, ""},
		{"keys", "1280x720: testid=q press=Enter -> press=Control+Shift+k -> press=Shift++ -> press=é", wide, []Step{
			{Act: Press, Target: id("q"), Key: Key{Name: "Enter"}}, {Act: Press, Key: Key{Control: true, Shift: true, Name: "k"}},
			{Act: Press, Key: Key{Shift: true, Name: "+"}}, {Act: Press, Key: Key{Name: "é"}},
		}, ""},
		{"count", "1280x720: css=.row count=0 -> text=Total items count=12", wide, []Step{{Act: Count, Target: css(".row")}, {Act: Count, Target: text("Total items"), Count: 12}}, ""},
		{"addresses", "1280x720: open=/a?b=c#d -> url=/#/route", wide, []Step{{Act: Open, Value: "/a?b=c#d"}, {Act: URL, Value: "/#/route"}}, ""},
		{"arrow_in_quotes", `1280x720: css="[title='a -> b']" visible -> text="a -> b" hidden`, wide, []Step{
			{Act: Visible, Target: css("[title='a -> b']")}, {Act: Hidden, Target: text("a -> b")},
		}, `1280x720: css=[title='a -> b'] visible -> text="a -> b" hidden`},
		{"arrow_in_brackets", `1280x720: css=[title="x ] -> visible"] hidden -> css=.w-\[2px\] click`, wide, []Step{
			{Act: Hidden, Target: css(`[title="x ] -> visible"]`)}, {Act: Click, Target: css(`.w-\[2px\]`), At: Centre()},
		}, ""},
		{"bracket_behind_the_selector", `1280x720: css=.a fill=[x -> css=.b`, wide, []Step{{Act: Fill, Target: css(".a"), Value: "[x"}, {Act: Visible, Target: css(".b")}},
			`1280x720: css=.a fill=[x -> css=.b visible`},
		{"quote_inside_a_text", `1280x720: text=5" screen -> text=Don't click`, wide, []Step{{Act: Visible, Target: text(`5" screen`)}, {Act: Click, Target: text("Don't"), At: Centre()}},
			`1280x720: text=5" screen visible -> text=Don't click`},
		{"escapes", `1280x720: testid=a fill="one\n\ttwo \\ \u{1f600}"`, wide, []Step{{Act: Fill, Target: id("a"), Value: "one\n\ttwo \\ 😀"}}, `1280x720: testid=a fill="one\n\ttwo \\ 😀"`},
		{"right_to_left", "1280x720: text=שמור הכול click -> text=حفظ\u200c visible", wide, []Step{{Act: Click, Target: text("שמור הכול"), At: Centre()}, {Act: Visible, Target: text("حفظ\u200c")}}, ""},
		{"turned_order_is_written_out", `1280x720: text="a\u{202e}b"`, wide, []Step{{Act: Visible, Target: text("a\u202eb")}}, `1280x720: text="a\u{202e}b" visible`},
		{"blank_of_the_web", "1280x720: text=Save\u00a0all\u00a0click", wide, []Step{{Act: Click, Target: text("Save\u00a0all"), At: Centre()}}, "1280x720: text=Save\u00a0all click"},
		{"selector_of_act_words", "1280x720: css=.panel .hidden -> css=#click", wide, []Step{{Act: Visible, Target: css(".panel .hidden")}, {Act: Visible, Target: css("#click")}},
			"1280x720: css=.panel .hidden visible -> css=#click visible"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, faults := Parse(tt.text)
			if len(faults) > 0 {
				t.Fatalf("faults:\n%v", faults)
			}
			want := Scenario{Viewport: tt.view, Steps: tt.steps}
			for i := range want.Steps {
				want.Steps[i].Number = i + 1
			}
			if diff := cmp.Diff(want, bare(got)); diff != "" {
				t.Errorf("scenario (-want +got):\n%s", diff)
			}
			written := tt.want
			if written == "" {
				written = tt.text
			}
			if got.String() != written {
				t.Errorf("String:\n got %s\nwant %s", got, written)
			}
		})
	}
}

func TestParsePlaces(t *testing.T) {
	t.Parallel()
	const text = "390x844 mobile: text=é click -> wait 2 ->  testid=b"
	s, faults := Parse(text)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	for i, begins := range []string{"text=é", "wait", "testid"} {
		want := len([]rune(text[:strings.Index(text, begins)])) + 1
		if s.Steps[i].Column != want || s.Steps[i].Number != i+1 {
			t.Errorf("step %d stands at %d as number %d, want %d", i+1, s.Steps[i].Column, s.Steps[i].Number, want)
		}
	}
	if s.Text != text {
		t.Errorf("text %q", s.Text)
	}
}

func TestStartAndConsole(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"open=/a -> testid=b": "/a", "testid=b -> open=/a -> no-console-errors": ""} {
		s, faults := Parse(text)
		if len(faults) > 0 {
			t.Fatal(faults)
		}
		if got, named := s.Start(); got != want || named != (want != "") {
			t.Errorf("%s starts at %q, %v", text, got, named)
		}
		if s.QuietConsole() != strings.Contains(text, "console") {
			t.Errorf("%s: quiet console %v", text, s.QuietConsole())
		}
	}
}
