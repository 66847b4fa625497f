package strict

import (
	"fmt"
	"slices"
)

type listShape[T any] struct {
	dst *Value[[]T]
	min int
	of  func(*T) Shape
}

// List is a list of at least min values, each of the shape that of makes for it.
func List[T any](dst *Value[[]T], min int, of func(*T) Shape) Shape {
	return listShape[T]{dst, min, of}
}

// Texts is a list of texts.
func Texts(dst *Value[[]Value[string]], min int, rules ...Rule) Shape {
	return List(dst, min, func(v *Value[string]) Shape { return Text(v, rules...) })
}

func (t listShape[T]) read(r *reader, n *node, at At) {
	if n.kind != list {
		hint := "write a list: [a, b], or one line with - for each"
		if n.kind == text {
			hint = "write a list: [" + clip(n.text, 40) + "]"
		}
		r.add(at, "expected a list, found "+n.describe(), hint)
		return
	}
	if len(n.items) < t.min {
		r.add(at, "the list is empty", "")
		return
	}
	out := make([]T, len(n.items))
	for i, item := range n.items {
		place := At{Line: item.line, Key: fmt.Sprintf("%s[%d]", at.Key, i+1)}
		t.of(&out[i]).read(r, item, place)
	}
	*t.dst = Value[[]T]{V: out, Set: true, At: at}
}

func (t listShape[T]) schema() *Schema {
	var one T
	return &Schema{Type: "array", Items: t.of(&one).schema(), MinItems: t.min}
}

// Entry is one key of a table whose keys the author of the file chooses.
type Entry[T any] struct {
	Name string
	At   At
	Of   T
}

type tableShape[T any] struct {
	dst  *Value[[]Entry[T]]
	min  int
	name Rule
	of   func(*T) Shape
}

// Table is a mapping of at least min freely named keys, kept in declared order.
func Table[T any](dst *Value[[]Entry[T]], min int, name Rule, of func(*T) Shape) Shape {
	return tableShape[T]{dst, min, name, of}
}

func (t tableShape[T]) read(r *reader, n *node, at At) {
	if n.kind != mapping {
		r.add(at, "expected names with values, found "+n.describe(), "write name: value")
		return
	}
	if len(n.entries) < t.min {
		r.add(at, "nothing is declared here", "")
		return
	}
	var out []Entry[T]
	for _, e := range n.entries {
		place := At{Line: e.line, Key: join(at.Key, e.key)}
		if m, hint := t.name.verify(e.key); m != "" {
			r.add(place, m, hint)
			continue
		}
		entry := Entry[T]{Name: e.key, At: place}
		t.of(&entry.Of).read(r, e.value, place)
		out = append(out, entry)
	}
	*t.dst = Value[[]Entry[T]]{V: out, Set: true, At: at}
}

func (t tableShape[T]) schema() *Schema {
	var one T
	s := &Schema{Type: "object", AdditionalProperties: t.of(&one).schema(), MinProperties: t.min}
	if t.name.words != nil || t.name.pattern != "" {
		s.PropertyNames = &Schema{}
		t.name.describe(s.PropertyNames)
	}
	return s
}

// Choice is one text, or a list of them. Bare says that it was the one.
type Choice struct {
	V    []Value[string]
	Bare bool
	Set  bool
	At   At
}

type choiceShape struct {
	dst   *Choice
	min   int
	rules []Rule
}

// OneOrMany is a text, or a list of at least min texts.
func OneOrMany(dst *Choice, min int, rules ...Rule) Shape { return choiceShape{dst, min, rules} }

func (t choiceShape) read(r *reader, n *node, at At) {
	if n.kind == list {
		var many Value[[]Value[string]]
		Texts(&many, t.min, t.rules...).read(r, n, at)
		*t.dst = Choice{V: many.V, Set: many.Set, At: at}
		return
	}
	if n.kind != text {
		r.wrong(at, "text or a list", n)
		return
	}
	var one Value[string]
	Text(&one, t.rules...).read(r, n, at)
	if one.Set {
		*t.dst = Choice{V: []Value[string]{one}, Bare: true, Set: true, At: at}
	}
}

func (t choiceShape) schema() *Schema {
	var one Value[string]
	var many Value[[]Value[string]]
	return &Schema{AnyOf: slices.Concat(
		[]*Schema{Text(&one, t.rules...).schema()},
		[]*Schema{Texts(&many, t.min, t.rules...).schema()})}
}
