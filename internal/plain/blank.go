package plain

import (
	"strings"
	"unicode"
)

// brailleBlank is a symbol by its category and a blank by its looks.
const brailleBlank = '\u2800'

// Blank reports whether nothing of s shows: it is empty, or made of white space and
// of characters that the eye does not see, those that pass clean among them.
func Blank(s string) bool { return !strings.ContainsFunc(clean(s), shows) }

func shows(r rune) bool {
	switch {
	case unicode.IsSpace(r), r == brailleBlank,
		unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point):
		return false
	case unicode.Is(unicode.Cf, r):
		return unicode.Is(unicode.Prepended_Concatenation_Mark, r)
	}
	return true
}
