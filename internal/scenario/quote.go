package scenario

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// unquote reads the quoted text that begins at a place. Escapes are \", \\, \n, \t
// and \u{hex}. The next place is the one after the closing quote; with a fault it
// is where the fault shows.
func (r *reader) unquote(i int) (value string, next int, ok bool) {
	var b strings.Builder
	for j := i + 1; j < len(r.runes); j++ {
		switch r.runes[j] {
		case '"':
			return b.String(), j + 1, true
		case '\\':
			c, after, ok := r.escape(j)
			if !ok {
				return "", j, false
			}
			b.WriteRune(c)
			j = after - 1
		default:
			b.WriteRune(r.runes[j])
		}
	}
	return "", i, false
}

func (r *reader) escape(i int) (c rune, next int, ok bool) {
	if i+1 >= len(r.runes) {
		return 0, i, false
	}
	switch r.runes[i+1] {
	case '"', '\\':
		return r.runes[i+1], i + 2, true
	case 'n':
		return '\n', i + 2, true
	case 't':
		return '\t', i + 2, true
	case 'u':
		const longest = 6
		j := i + 3
		for j < len(r.runes) && j <= i+3+longest && r.runes[j] != '}' {
			j++
		}
		if i+2 >= len(r.runes) || r.runes[i+2] != '{' || j >= len(r.runes) || r.runes[j] != '}' {
			return 0, i, false
		}
		n, err := strconv.ParseUint(string(r.runes[i+3:j]), 16, 32)
		if err != nil || n == 0 || n > unicode.MaxRune || !utf8.ValidRune(rune(n)) {
			return 0, i, false
		}
		return rune(n), j + 1, true
	}
	return 0, i, false
}

// quotedText reads a quoted text at the reader's place and moves past it. A text
// that is not closed, or has an unknown escape, is a fault.
func (r *reader) quotedText() (string, bool) {
	value, next, ok := r.unquote(r.i)
	switch {
	case ok:
		r.i = next
		return value, true
	case r.runes[next] == '\\':
		r.fault(next, "an unknown escape stands here", `the escapes are \", \\, \n, \t and \u{hex}`)
	default:
		r.fault(next, "the quote that opens here is not closed", `close it with ", and write a quote inside it as \"`)
		r.i = len(r.runes)
	}
	return "", false
}

// quote writes a text so that unquote gives it back.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			b.WriteRune('\\')
			b.WriteRune(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\t':
			b.WriteString(`\t`)
		case unseen(c) || unicode.IsControl(c) || c == '\u2028' || c == '\u2029':
			fmt.Fprintf(&b, `\u{%x}`, c)
		default:
			b.WriteRune(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
