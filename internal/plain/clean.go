// Package plain makes untrusted text harmless where it is shown: in Markdown on a
// forge, in a workflow log, on a terminal. Every function is idempotent, and what
// is code stays code, byte for byte. Text that goes to a vendor does not pass here.
package plain

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// zero is the zero-width space. It takes the power from a character by standing
// behind it, and the eye does not see it. Every one that comes in is dropped first.
const zero = "\u200b"

// invisible are ranges of characters that a reader cannot see, or that reorder
// what he sees. The selectors for the look of an emoji are not among them.
var invisible = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x00ad, Hi: 0x00ad, Stride: 1}, {Lo: 0x034f, Hi: 0x034f, Stride: 1}, {Lo: 0x061c, Hi: 0x061c, Stride: 1},
		{Lo: 0x115f, Hi: 0x1160, Stride: 1}, {Lo: 0x17b4, Hi: 0x17b5, Stride: 1}, {Lo: 0x180b, Hi: 0x180f, Stride: 1},
		{Lo: 0x200b, Hi: 0x200f, Stride: 1}, {Lo: 0x2028, Hi: 0x202e, Stride: 1}, {Lo: 0x2060, Hi: 0x206f, Stride: 1},
		{Lo: 0x3164, Hi: 0x3164, Stride: 1}, {Lo: 0xfe00, Hi: 0xfe0d, Stride: 1}, {Lo: 0xfeff, Hi: 0xfeff, Stride: 1},
		{Lo: 0xffa0, Hi: 0xffa0, Stride: 1}, {Lo: 0xfff9, Hi: 0xfffb, Stride: 1},
	},
	R32:         []unicode.Range32{{Lo: 0x1d173, Hi: 0x1d17a, Stride: 1}, {Lo: 0xe0000, Hi: 0xe0fff, Stride: 1}},
	LatinOffset: 1,
}

// clean ends lines with a line feed only and drops control and invisible
// characters; bytes that are not UTF-8 become the replacement character.
func clean(s string) string {
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	s = strings.ToValidUTF8(s, string(utf8.RuneError))
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unicode.IsControl(r) || unicode.Is(invisible, r) {
			return -1
		}
		return r
	}, s)
}

// Line returns s on one line of at most max characters, with runs of white space
// as one blank and "…" where it was cut. It takes no power from Markdown.
func Line(s string, max int) string {
	runes := []rune(strings.Join(strings.Fields(clean(s)), " "))
	if len(runes) <= max {
		return string(runes)
	}
	if max <= 0 {
		return ""
	}
	return strings.TrimRight(string(runes[:max-1]), " ") + "…"
}
