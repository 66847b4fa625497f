package plain

import (
	"strings"
	"unicode"
)

// unnamed stands for a control character that has no picture of its own.
const unnamed = '\u2426'

// Pictures returns s with every control character as the picture of it, so that
// text which is kept whole does nothing to a terminal that it ends up on. What
// reorders text counts as one. Line ends and tabs stay.
func Pictures(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r < ' ':
			return '\u2400' + r
		case r == 0x7f:
			return '\u2421'
		case unicode.IsControl(r), r == 0x061c, r == 0x200e, r == 0x200f, r >= 0x2028 && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
			return unnamed
		}
		return r
	}, strings.ReplaceAll(s, "\r\n", "\n"))
}
