package strict

import (
	"fmt"
	"strconv"
	"strings"
)

// Rule narrows what a text may be. The zero rule admits every text that is not
// blank and holds no NUL character.
type Rule struct {
	words   []string
	pattern string
	max     int
	check   func(string) (message, hint string)
}

// Words admits only the given words.
func Words(words ...string) Rule { return Rule{words: words} }

// Checked admits what check answers with an empty message. The pattern says the
// same to an editor, as far as a regular expression can, and may be empty.
func Checked(pattern string, check func(string) (message, hint string)) Rule {
	return Rule{pattern: pattern, check: check}
}

// AtMost admits texts of no more than max bytes.
func AtMost(max int) Rule { return Rule{max: max} }

func (u Rule) verify(s string) (message, hint string) {
	if u.words != nil {
		for _, w := range u.words {
			if s == w {
				return "", ""
			}
		}
		return "unknown word " + strconv.Quote(clip(s, 60)), Suggest(s, u.words)
	}
	if u.max > 0 && len(s) > u.max {
		return fmt.Sprintf("the text has %d bytes, the limit is %d", len(s), u.max), ""
	}
	if u.check != nil {
		return u.check(s)
	}
	return "", ""
}

func (u Rule) describe(s *Schema) {
	if u.words != nil {
		s.Enum = u.words
	}
	if u.pattern != "" {
		s.Pattern = u.pattern
	}
	if u.max > 0 {
		s.MaxLength = u.max
	}
}

// blank says what is wrong with a text under any rule.
func blank(s string) string {
	switch {
	case strings.TrimSpace(s) == "":
		return "the text is blank"
	case strings.ContainsRune(s, 0):
		return "the text holds a NUL character"
	}
	return ""
}

type textShape struct {
	dst   *Value[string]
	rules []Rule
}

// Text is a text that is not blank and obeys the rules.
func Text(dst *Value[string], rules ...Rule) Shape { return textShape{dst, rules} }

func (t textShape) read(r *reader, n *node, at At) {
	if n.kind != text {
		r.wrong(at, "text", n)
		return
	}
	if m := blank(n.text); m != "" {
		r.add(at, m, "")
		return
	}
	for _, rule := range t.rules {
		if m, hint := rule.verify(n.text); m != "" {
			r.add(at, m, hint)
			return
		}
	}
	*t.dst = Value[string]{V: n.text, Set: true, At: at}
}

func (t textShape) schema() *Schema {
	s := &Schema{Type: "string", MinLength: 1}
	for _, rule := range t.rules {
		rule.describe(s)
	}
	return s
}

type intShape struct {
	dst      *Value[int]
	min, max int
}

// Int is a whole number in a range, both ends included.
func Int(dst *Value[int], min, max int) Shape { return intShape{dst, min, max} }

func (t intShape) read(r *reader, n *node, at At) {
	if n.kind != integer {
		r.add(at, "expected a whole number, found "+n.describe(), t.hint())
		return
	}
	v, err := strconv.ParseInt(n.text, 10, 64)
	if err != nil || v < int64(t.min) || v > int64(t.max) {
		r.add(at, n.text+" is out of range", t.hint())
		return
	}
	*t.dst = Value[int]{V: int(v), Set: true, At: at}
}

func (t intShape) hint() string {
	if t.min == t.max {
		return fmt.Sprintf("write %d", t.min)
	}
	return fmt.Sprintf("%d to %d", t.min, t.max)
}

func (t intShape) schema() *Schema {
	if t.min == t.max {
		return &Schema{Const: &t.min}
	}
	lo, hi := float64(t.min), float64(t.max)
	return &Schema{Type: "integer", Minimum: &lo, Maximum: &hi}
}

type numberShape struct {
	dst      *Value[float64]
	min, max float64
}

// Number is a number in a range, both ends included.
func Number(dst *Value[float64], min, max float64) Shape { return numberShape{dst, min, max} }

func (t numberShape) read(r *reader, n *node, at At) {
	hint := fmt.Sprintf("%g to %g", t.min, t.max)
	if n.kind != integer && n.kind != decimal {
		r.add(at, "expected a number, found "+n.describe(), hint)
		return
	}
	v, err := strconv.ParseFloat(n.text, 64)
	if err != nil || !(v >= t.min && v <= t.max) {
		r.add(at, n.text+" is out of range", hint)
		return
	}
	*t.dst = Value[float64]{V: v, Set: true, At: at}
}

func (t numberShape) schema() *Schema {
	return &Schema{Type: "number", Minimum: &t.min, Maximum: &t.max}
}

type boolShape struct{ dst *Value[bool] }

// Bool is true or false, written so.
func Bool(dst *Value[bool]) Shape { return boolShape{dst} }

func (t boolShape) read(r *reader, n *node, at At) {
	if n.kind != boolean {
		r.add(at, "expected true or false, found "+n.describe(), "write true or false, without quotes")
		return
	}
	*t.dst = Value[bool]{V: n.text == "true", Set: true, At: at}
}

func (t boolShape) schema() *Schema { return &Schema{Type: "boolean"} }
