package scenario

import (
	"strings"
	"unicode"
)

// CheckSelector says why a text cannot be a CSS selector, as far as its characters
// tell, or "". Whether the browser knows what it names is only known there.
func CheckSelector(s string) (message, hint string) {
	if strings.HasPrefix(s, "/") {
		return "this is not a CSS selector but a path", "write for example css=main > .panel"
	}
	runes := []rune(s)
	var open []rune // what is still to be closed
	before := ','   // the last character that is not blank, outside brackets
	for i := 0; i < len(runes); i++ {
		c := runes[i]
		switch {
		case c == '\\':
			if i++; i >= len(runes) {
				return "the selector ends in a backslash", ""
			}
			before = 'x'
			continue
		case c == '"' || c == '\'':
			end := closing(runes, i)
			if end < 0 || len(open) == 0 {
				return "a text stands in the selector that is not closed, or not in brackets", `write [title="…"]`
			}
			i = end
			continue
		case c == '(' || c == '[':
			open = append(open, map[rune]rune{'(': ')', '[': ']'}[c])
		case c == ')' || c == ']':
			if len(open) == 0 || open[len(open)-1] != c {
				return "a bracket closes in the selector that was not opened", ""
			}
			open = open[:len(open)-1]
		}
		if len(open) > 0 || unicode.IsSpace(c) {
			continue
		}
		if strings.ContainsRune("{}<;@!$%^&?/=`", c) {
			return "no selector holds " + quoted(string(c)) + " outside brackets", `write an attribute as [title="…"]`
		}
		if message := wrongPair(before, c); message != "" {
			return message, "write for example css=main > .panel"
		}
		before = c
	}
	switch {
	case len(open) > 0:
		return "a bracket opens in the selector that is not closed", "close it with " + string(open[len(open)-1])
	case strings.ContainsRune(",>+~.#:", before):
		return "the selector ends in " + quoted(string(before)), "write for example css=main > .panel"
	}
	for _, foreign := range []string{":contains(", ":has-text(", ":text(", ":visible", ":hidden"} {
		if strings.Contains(s, foreign) {
			return quoted(strings.TrimSuffix(foreign, "(")) + " is not of CSS", "look for a text with text=, and end the step in visible or hidden"
		}
	}
	if words := strings.Fields(s); len(words) > 1 {
		if hint := saidElsewhere(words[len(words)-1]); hint != "" {
			return "no element of a page is named " + quoted(words[len(words)-1]), hint
		}
	}
	return "", ""
}

// saidElsewhere is the hint for a word by which other tools say what an element must
// be; behind a selector it would be looked for as an element inside of that.
func saidElsewhere(word string) string {
	switch strings.ToLower(word) {
	case "exists", "exist", "present", "displayed", "shown", "appears", "is", "be":
		return "end the step in visible"
	case "absent", "gone", "missing", "invisible", "disappears", "not":
		return "end the step in hidden"
	case "enabled", "disabled", "checked":
		return "write for example css=#save:" + strings.ToLower(word)
	case "clicked", "tap", "press":
		return "end the step in click"
	}
	return ""
}

// wrongPair says what is wrong with a character behind another, outside brackets.
func wrongPair(before, c rune) string {
	combines := func(r rune) bool { return strings.ContainsRune(",>+~", r) }
	switch {
	case combines(before) && combines(c):
		return "nothing stands before " + quoted(string(c)) + " in the selector"
	case strings.ContainsRune(".#:", before) && (strings.ContainsRune(".#,>+~", c) || c == ':' && before != ':'):
		return "nothing stands behind " + quoted(string(before)) + " in the selector"
	case (combines(before) || before == '.' || before == '#') && c >= '0' && c <= '9':
		return "a name in the selector begins with a digit"
	}
	return ""
}

// closing is the place of the quote that closes the one at a place, or -1.
func closing(runes []rune, i int) int {
	for j := i + 1; j < len(runes); j++ {
		if runes[j] == '\\' {
			j++
		} else if runes[j] == runes[i] {
			return j
		}
	}
	return -1
}
