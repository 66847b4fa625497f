package strict

import "fmt"

// Shape is what a place of a document may hold. Reading a document against a
// shape stores values through the pointers the shape was made with; a shape
// also describes itself as a JSON Schema, so the two cannot drift apart.
// A shape is used by one goroutine, for one document.
type Shape interface {
	read(r *reader, n *node, at At)
	schema() *Schema
}

// At is a place of a document: a line from 1 and the path of a key.
type At struct {
	Line int
	Key  string
}

// Value is what a document holds at a place. Set is false when the key is
// absent, or present with nothing after it.
type Value[T any] struct {
	V   T
	Set bool
	At  At
}

// Or returns the value, or a default when none was set.
func (v Value[T]) Or(otherwise T) T {
	if !v.Set {
		return otherwise
	}
	return v.V
}

// Strings returns the plain strings of a list of read texts, nil when empty.
func Strings(values []Value[string]) []string {
	var out []string
	for _, v := range values {
		out = append(out, v.V)
	}
	return out
}

type reader struct {
	file   string
	before int
	faults Faults
}

func (r *reader) add(at At, message, hint string) {
	if len(r.faults) >= maxFaults {
		return
	}
	r.faults = append(r.faults, Fault{File: r.file, Line: at.Line + r.before, Key: at.Key, Message: message, Hint: hint})
}

func (r *reader) wrong(at At, want string, n *node) {
	hint := ""
	switch n.kind {
	case boolean, integer, decimal:
		hint = fmt.Sprintf("if it is text, put it in quotes: %q", n.text)
	}
	r.add(at, "expected "+want+", found "+n.describe(), hint)
}

// Read parses a YAML text and reads it against a shape. It returns every fault
// of the text, in order of lines; what the shape stored is only meaningful when
// there is none. Lines in stored places count from the start of the text: use
// Source.Fault to report further faults.
func Read(src Source, data []byte, shape Shape) Faults {
	doc, faults := Parse(src, data)
	if len(faults) > 0 {
		return faults
	}
	return doc.Read(shape)
}

// Read reads a parsed document against a shape.
func (d Document) Read(shape Shape) Faults {
	r := &reader{file: d.source.File, before: d.source.Before}
	shape.read(r, d.root, At{Line: 1})
	if len(r.faults) == 0 {
		return nil
	}
	return r.faults.sorted()
}

// Fault makes a fault about a place of the source.
func (s Source) Fault(at At, message, hint string) Fault {
	return Fault{File: s.File, Line: at.Line + s.Before, Key: at.Key, Message: message, Hint: hint}
}
