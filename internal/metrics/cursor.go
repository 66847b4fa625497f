package metrics

import (
	"encoding/json"
	"strconv"
)

// cursor reads JSON once, from left to right, and keeps only what is asked for:
// most of a ledger is text that no number needs. It is as strict as encoding/json,
// and of what is written in an unusual way it says nothing but that it is off;
// encoding/json has the word then.
type cursor struct {
	b     []byte
	i     int
	off   bool
	depth int
}

// deepest is how deep a value may be nested.
const deepest = 100

func (c *cursor) fail() { c.off, c.i = true, len(c.b) }

// peek is the next byte that is no blank, or 0.
func (c *cursor) peek() byte {
	for c.i < len(c.b) {
		switch c.b[c.i] {
		case ' ', '\t', '\r', '\n':
			c.i++
		default:
			return c.b[c.i]
		}
	}
	return 0
}

// accept steps over the byte if it is the next one.
func (c *cursor) accept(b byte) bool {
	if c.peek() != b {
		return false
	}
	c.i++
	return true
}

func (c *cursor) expect(b byte) {
	if !c.accept(b) {
		c.fail()
	}
}

// list steps through what stands between two brackets.
func (c *cursor) list(first, last byte, one func()) {
	c.expect(first)
	if c.depth++; c.depth > deepest {
		c.fail()
	}
	for n := 0; !c.off && !c.accept(last); n++ {
		if n > 0 {
			c.expect(',')
		}
		one()
	}
	c.depth--
}

// object calls member for each key, which has to step over the value. A key that
// encoding/json could take for another one is off.
func (c *cursor) object(member func(key []byte)) {
	c.list('{', '}', func() {
		key, plain := c.text()
		for _, b := range key {
			plain = plain && b != ' ' && (b < 'A' || b > 'Z')
		}
		if !plain {
			c.fail()
		}
		c.expect(':')
		if !c.off {
			member(key)
		}
	})
}

// text steps over a string and returns what is between its quotes. It is plain if
// those bytes are what it says.
func (c *cursor) text() (raw []byte, plain bool) {
	c.expect('"')
	plain = true
	for start := c.i; c.i < len(c.b); c.i++ {
		switch b := c.b[c.i]; {
		case b == '"':
			c.i++
			return c.b[start : c.i-1], plain
		case b < ' ':
			c.fail()
			return nil, false
		case b == '\\':
			plain = false
			c.escape()
		case b >= 0x80:
			plain = false
		}
	}
	c.fail()
	return nil, false
}

// escape stands on a backslash and stops on the last byte that belongs to it.
func (c *cursor) escape() {
	c.i++
	if c.i >= len(c.b) {
		return
	}
	switch c.b[c.i] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
	case 'u':
		if c.i+4 >= len(c.b) {
			c.fail()
			return
		}
		for _, h := range c.b[c.i+1 : c.i+5] {
			if (h < '0' || h > '9') && (h|0x20 < 'a' || h|0x20 > 'f') {
				c.fail()
				return
			}
		}
		c.i += 4
	default:
		c.fail()
	}
}

// skip steps over a value.
func (c *cursor) skip() {
	switch b := c.peek(); {
	case b == '"':
		c.text()
	case b == '{':
		c.list('{', '}', func() { c.text(); c.expect(':'); c.skip() })
	case b == '[':
		c.list('[', ']', c.skip)
	case b == '-' || b >= '0' && b <= '9':
		c.number()
	default:
		c.word()
	}
}

// word steps over true, false or null.
func (c *cursor) word() (first byte) {
	first = c.peek()
	for _, w := range []string{"true", "false", "null"} {
		if len(c.b)-c.i >= len(w) && string(c.b[c.i:c.i+len(w)]) == w {
			c.i += len(w)
			return first
		}
	}
	c.fail()
	return 0
}

// number steps over a number.
func (c *cursor) number() []byte {
	c.peek()
	start := c.i
	digits := func() (n int) {
		for ; c.i < len(c.b) && c.b[c.i] >= '0' && c.b[c.i] <= '9'; c.i++ {
			n++
		}
		return n
	}
	at := func(b byte) bool { return c.i < len(c.b) && c.b[c.i]|0x20 == b|0x20 }
	if at('-') && c.b[c.i] == '-' {
		c.i++
	}
	zero := at('0') && c.b[c.i] == '0'
	if n := digits(); n == 0 || zero && n > 1 {
		c.fail()
		return nil
	}
	if c.i < len(c.b) && c.b[c.i] == '.' {
		if c.i++; digits() == 0 {
			c.fail()
			return nil
		}
	}
	if at('e') {
		c.i++
		if c.i < len(c.b) && (c.b[c.i] == '+' || c.b[c.i] == '-') {
			c.i++
		}
		if digits() == 0 {
			c.fail()
			return nil
		}
	}
	return c.b[start:c.i]
}

// null steps over a null, which leaves a value as it is.
func (c *cursor) null() bool {
	if c.peek() != 'n' {
		return false
	}
	c.word()
	return true
}

func text[T ~string](c *cursor, into *T) {
	if c.null() {
		return
	}
	c.peek()
	start := c.i
	raw, plain := c.text()
	switch {
	case c.off:
	case plain:
		*into = T(raw)
	case json.Unmarshal(c.b[start:c.i], into) != nil:
		c.fail()
	}
}

func (c *cursor) truth(into *bool) {
	switch c.word() {
	case 't':
		*into = true
	case 'f':
		*into = false
	}
}

func (c *cursor) amount(into **float64) {
	if c.null() {
		*into = nil
		return
	}
	v, err := strconv.ParseFloat(string(c.number()), 64)
	if err != nil {
		c.fail()
		return
	}
	*into = &v
}

func (c *cursor) count(into *int) {
	if c.null() {
		return
	}
	v, err := strconv.Atoi(string(c.number()))
	if err != nil {
		c.fail()
		return
	}
	*into = v
}
