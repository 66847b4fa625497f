package strict

import (
	"regexp"
	"strconv"
)

type kind int

const (
	null kind = iota
	boolean
	integer
	decimal
	text
	list
	mapping
)

// node is one value of a document. Scalars keep the text they were written as.
type node struct {
	kind    kind
	line    int
	text    string
	items   []*node
	entries []entry
}

type entry struct {
	key   string
	line  int
	value *node
}

var (
	integerForm = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)
	decimalForm = regexp.MustCompile(`^-?(0|[1-9][0-9]*)?\.[0-9]+([eE][-+]?[0-9]+)?$`)
)

// plainKind says what an unquoted scalar is. The set of words is small on
// purpose: yes, on, dates and 0x10 are text, so that no version of YAML can
// turn a name into something else.
func plainKind(s string) kind {
	switch s {
	case "", "~", "null":
		return null
	case "true", "false":
		return boolean
	}
	if integerForm.MatchString(s) {
		if _, err := strconv.ParseInt(s, 10, 64); err == nil {
			return integer
		}
		return text
	}
	if decimalForm.MatchString(s) {
		if _, err := strconv.ParseFloat(s, 64); err == nil {
			return decimal
		}
	}
	return text
}

// describe names a value in a message about its type.
func (n *node) describe() string {
	switch n.kind {
	case null:
		return "nothing"
	case boolean, integer, decimal:
		return n.text
	case text:
		return "text " + strconv.Quote(clip(n.text, 60))
	case list:
		return "a list"
	}
	return "a mapping"
}

// clip shortens a text for a message, on a rune boundary.
func clip(s string, runes int) string {
	n := 0
	for i := range s {
		if n == runes {
			return s[:i] + "…"
		}
		n++
	}
	return s
}

// Plain returns the document as encoding/json would have decoded it with
// numbers kept as written. Keys without a value are left out: they count as
// absent.
func (d Document) Plain() any { return d.root.plain() }

func (n *node) plain() any {
	switch n.kind {
	case boolean:
		return n.text == "true"
	case integer:
		v, _ := strconv.ParseInt(n.text, 10, 64) // the form was checked on reading
		return v
	case decimal:
		v, _ := strconv.ParseFloat(n.text, 64) // the form was checked on reading
		return v
	case text:
		return n.text
	case list:
		out := make([]any, 0, len(n.items))
		for _, item := range n.items {
			out = append(out, item.plain())
		}
		return out
	case mapping:
		out := make(map[string]any, len(n.entries))
		for _, e := range n.entries {
			if e.value.kind != null {
				out[e.key] = e.value.plain()
			}
		}
		return out
	}
	return nil
}
