package scenario

import (
	"strings"
	"testing"
)

func TestParseFaults(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want string }{
		{"unknown_matcher", "tesid=save click", `step 1, column 1: nothing is written "tesid=" (did you mean testid=?; quote a text that holds an equals sign: text="a=b")`},
		{"usual_matcher", "testid=a -> id=save click", `step 2, column 13: nothing is written "id=" (write css=#…)`},
		{"BR-07_wait_for_click", "wait-for=css=.hearth click", `step 1, column 22: a wait-for cannot end in "click" (it waits until the element is visible; make click the next step: wait-for=… -> css=… click)`},
		{"BR-07_wait_for_hidden", "testid=a click -> wait-for=css=.hearth hidden", `step 2, column 40: a wait-for cannot end in "hidden"`},
		{"BR-07_wait_for_fill", "wait-for=testid=a fill=x", `step 1, column 19: a wait-for cannot end in "fill"`},
		{"BR-07_nearly", "wait-for=css=.hearth visibel", `step 1, column 22: the last word "visibel" is nearly "visible" (write css=.hearth visible, or quote the whole: css=".hearth visibel")`},
		{"wait_for_label", "wait-for=Saved", `step 1, column 10: a wait-for names its element with text=, css=, testid= or role=`},
		{"nearly_in_a_text", "text=Save Click", `column 11: the last word "Click" is nearly "click" (write text=Save click, or quote the whole: text="Save Click")`},
		{"nearly_with_an_unseen_letter", "text=Save click\u200b", `column 11: the last word`},
		{"test_id_of_two_words", "testid=save button", `step 1, column 13: nothing is done by the word "button"`},
		{"no_element", "visible", `"visible" names no element (write the element before it: testid=save visible; if it is a text of the page, write text="visible")`},
		{"no_element_to_fill", "fill=x", `"fill=" names no element`},
		{"no_value", "testid= visible", `column 8: the element has no name`},
		{"empty_quotes", `text="" visible`, `the element has no name`},
		{"empty_step", "testid=a ->  -> testid=b", `step 2, column 14: a step is empty`},
		{"empty", "", `step 1, column 1: a step is empty`},
		{"arrow_alone", "->", "step 2, column 2: a step is empty"},
		{"two_steps_in_one", "testid=a click testid=b", `column 16: "testid=" stands inside another step`},
		{"fill_and_press", "testid=a fill=x press=Enter", `column 17: "press=" stands inside another step (join two steps with ->, or quote a text that holds it)`},
		{"fill_and_click", "testid=a fill=x click", `column 17: the last word "click" is not done to the element, it is a part of the text (quote the text: fill="x click", or make it the next step)`},
		{"fill_nothing", "testid=a fill=", `"fill=" is followed by nothing (write fill="" if nothing is meant)`},
		{"press_nothing", "testid=a press=", `"press=" is followed by nothing (write press=Enter)`},
		{"select_none", "testid=a select=", `"select=" is followed by nothing (write select=<its label>)`},
		{"count_nothing", "testid=a count=", `"count=" is followed by nothing (write count=1)`},
		{"url_nothing", "url=", `"url=" is followed by nothing (write url=/settings)`},
		{"nearly_behind_a_selector", "css=h1 text-equal=x", `step 1, column 8: nothing is done by "text-equal=" (did you mean text-equals=?; quote a value that holds it)`},
		{"nearly_behind_a_text", "text=Save fil=x", `column 11: nothing is done by "fil=" (did you mean fill=?`},
		{"unknown_behind_a_selector", "css=h1 contains=x", `nothing is done by "contains=" (one of fill=, press=, `},
		{"BR-06_word_of_another_tool", "css=.hearth exists", `no element of a page is named "exists" (end the step in visible)`},
		{"BR-06_not", "css=.hearth not visible", `no element of a page is named "not" (end the step in hidden)`},
		{"BR-06_state", "css=.hearth disabled", `no element of a page is named "disabled" (write for example css=#save:disabled)`},
		{"select_nothing", `testid=a select=""`, "no option is named"},
		{"unknown_act", `role=button clik`, `nothing is done by the word "clik" (did you mean click?)`},
		{"unknown_valued_act", `role=button type=x`, `nothing is done by "type="`},
		{"behind_an_act", `role=button click twice`, `column 19: something stands after "click"`},
		{"point_beyond", "css=canvas click@1.5,0", "a click goes to two fractions of the element, from 0 to 1 (write click@0.5,0.5)"},
		{"point_without_y", "css=canvas click@1", "a click goes to two fractions"},
		{"point_below", "css=canvas click@-1,0", "a click goes to two fractions"},
		{"point_in_two_words", "css=canvas click@0.5, 0.5", `"click@0.5," stands inside another step`},
		{"wait_0", "wait 0", `a wait of "0" is not one of more than 0 and at most 120 seconds`},
		{"wait_121", "wait 120.001", `a wait of "120.001"`},
		{"wait_negative", "wait -1", `a wait of "-1"`},
		{"wait_exponent", "wait 1e1", `a wait of "1e1"`},
		{"wait_alone", "wait", `a wait of ""`},
		{"wait_equals", "wait=5", `nothing is written "wait=" (write wait 5)`},
		{"wait_in_capitals", "Wait 5", `did you mean wait 5?`},
		{"count", "css=.a count=-1", `a count of "-1" cannot be (a whole number, 0 to 10000)`},
		{"count_beyond", "css=.a count=10001", `a count of "10001" cannot be`},
		{"key", "press=Ctrl+k", `no key is held down by the name "Ctrl" (did you mean Control?)`},
		{"key_twice", "press=Alt+Alt+k", `"Alt" is held down twice`},
		{"key_name", "press=enter", `no key is named "enter" (did you mean Enter?)`},
		{"address_of_another", "url=https://example.org/", `column 5: the address "https://example.org/" does not begin with a slash (the origin is that of visual_qa.url: write url=/settings)`},
		{"address_without_scheme", "open=//example.org/x", "could name another host"},
		{"address_with_backslash", `open=/\example.org`, "could name another host"},
		{"address_with_blank", "open=/a b", "holds a blank"},
		{"role", "role=buton", `no element has the role "buton" (did you mean role=button?)`},
		{"role_name_without_quotes", "role=button[name=Save]", `column 12: after a role stands "[" (write role=button or role=button[name="Save"])`},
		{"role_name_not_closed", `role=button[name="Save" click`, "the accessible name is not written right"},
		{"role_name_empty", `role=button[name=""]`, "the accessible name is not written right"},
		{"quote_not_closed", `text="Save`, `column 6: the quote that opens here is not closed`},
		{"quote_in_front_of_more", `text="Save"x`, "a blank must follow the closing quote"},
		{"unknown_escape", `text="a\x"`, `column 8: an unknown escape stands here`},
		{"escape_of_no_character", `text="\u{110000}"`, "an unknown escape"},
		{"bracket_not_closed", `css=[title="x -> testid=a`, `column 5: the bracket that opens here is not closed`},
		{"arrow_in_a_selector", "css=.x->.y", `column 7: an arrow stands inside a selector without blanks around it`},
		{"selector_xpath", "css=//div", "not a CSS selector but a path"},
		{"selector_ends", "css=.a > visible", `the selector ends in ">"`},
		{"selector_brace", "css=.a{b}", `no selector holds "{" outside brackets`},
		{"selector_digit", "css=#1a", "a name in the selector begins with a digit"},
		{"selector_dots", "css=..a", `nothing stands behind "."`},
		{"selector_combinators", "css=.a > > .b", `nothing stands before ">"`},
		{"selector_bracket", "css=.a)", "a bracket closes in the selector that was not opened"},
		{"selector_of_another_library", `css=.a:has-text("x")`, `":has-text" is not of CSS`},
		{"viewport_0", "0x720: testid=a", `column 1: a viewport of width "0" cannot be pictured (8 to 8192)`},
		{"viewport_100000", "1280x100000: testid=a", `column 6: a viewport of height "100000" cannot be pictured (8 to 8192)`},
		{"viewport_of_no_picture", "1280x7: testid=a", `column 6: a viewport of height "7" cannot be pictured (8 to 8192)`},
		{"viewport_overflow", "99999999999999999999x1: testid=a", `a viewport of width "99999999999999999999" cannot be pictured`},
		{"viewport_area", "8192x8192: testid=a", "the viewport has 67108864 pixels, the limit is 16777216"},
		{"viewport_star", "1280*720: testid=a", `column 5: between width and height stands "*", and not the letter x (write 1280x720:)`},
		{"viewport_colon", "1280x720 testid=a", "column 10: the size is not followed by a colon"},
		{"viewport_sign", "-1x720: testid=a", "column 1: a size has no sign"},
		{"viewport_height", "1280x: testid=a", "column 6: the size has no height"},
		{"viewport_word", "390x844[mobile]: testid=a", "the size is not followed by a colon (write 1280x720: or 390x844 mobile:)"},
		{"console_singular", "no-console-error", "did you mean no-console-errors?"},
		{"console_in_words", "No console error", "did you mean no-console-errors?"},
		{"fill_and_point", "testid=a fill=x click@0.5, 0.5", `"click@0.5," stands inside another step`},
		{"turned_order", "text=a\u202eb", `column 7: a character that cannot be seen (U+202E) stands here (inside quotes, write it as \u{202e})`},
		{"control", "text=a\x1bb", "column 7: a control character stands here"},
		{"line_break", "text=a\ntext=b", "column 7: a control character stands here"},
		{"not_utf8", "text=\xff", "the scenario is not UTF-8"},
		{"too_long", "text=" + strings.Repeat("é", MaxLength), "the scenario has 2005 characters, the limit is 2000"},
		{"too_many_steps", strings.Repeat("wait 1->", MaxSteps) + "a", "the scenario has more than 50 steps"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, faults := Parse(tt.text)
			if len(faults) == 0 {
				t.Fatalf("%q is read as %s", tt.text, s)
			}
			if !strings.Contains(faults.Error(), tt.want) {
				t.Errorf("%q:\n got %s\nwant %s", tt.text, faults, tt.want)
			}
			if faults[0].Text == "" && tt.text != "" {
				t.Errorf("the fault does not hold its scenario")
			}
		})
	}
}

func TestEveryStepIsJudged(t *testing.T) {
	t.Parallel()
	_, faults := Parse("0x0: tesid=a -> testid=b -> wait 0 -> tesid=\"x -> y\" click -> ")
	var steps []int
	for _, f := range faults {
		steps = append(steps, f.Step)
	}
	if len(steps) != 6 || steps[0] != 0 || steps[1] != 0 || steps[2] != 1 || steps[3] != 3 || steps[4] != 4 || steps[5] != 5 {
		t.Errorf("faults of the steps %v:\n%v", steps, faults)
	}
}

// TestOneMistakeIsOneFault holds that a size with a mistake in it does not make the
// steps behind it look wrong too.
func TestOneMistakeIsOneFault(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"1280x: css=h1", "-1x720: css=h1", "1280*720: css=h1", "0x720: css=h1"} {
		if _, faults := Parse(text); len(faults) != 1 {
			t.Errorf("%q has %d faults: %v", text, len(faults), faults)
		}
	}
}
