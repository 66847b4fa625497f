package strict

import (
	"slices"
	"strconv"
)

// Field is one key that a mapping may have.
type Field struct {
	Key      string
	Doc      string // one sentence for an editor
	Required bool
	Of       Shape
}

// Object is a mapping with a closed set of keys.
type Object struct {
	Fields []Field
	// Refused are keys that other versions of the file know, each with a
	// sentence about what to do. They are unknown keys here.
	Refused map[string]string
	// Got, when not nil, is told where the mapping stands.
	Got *Value[struct{}]
}

func (o Object) read(r *reader, n *node, at At) {
	if n.kind != mapping {
		r.add(at, "expected keys and values, found "+n.describe(), "write key: value")
		return
	}
	if o.Got != nil {
		*o.Got = Value[struct{}]{Set: true, At: at}
	}
	seen := map[string]bool{}
	for _, e := range n.entries {
		place := At{Line: e.line, Key: join(at.Key, e.key)}
		i := slices.IndexFunc(o.Fields, func(f Field) bool { return f.Key == e.key })
		if i < 0 {
			r.add(place, "unknown key "+strconv.Quote(clip(e.key, 60)), o.hint(e.key))
			continue
		}
		if e.value.kind == null {
			continue
		}
		seen[e.key] = true
		o.Fields[i].Of.read(r, e.value, place)
	}
	for _, f := range o.Fields {
		if f.Required && !seen[f.Key] {
			r.add(At{Line: at.Line, Key: join(at.Key, f.Key)}, "the key is missing", f.Doc)
		}
	}
}

func (o Object) hint(key string) string {
	if why, ok := o.Refused[key]; ok {
		return why
	}
	keys := make([]string, len(o.Fields))
	for i, f := range o.Fields {
		keys[i] = f.Key
	}
	return Suggest(key, keys)
}

func (o Object) schema() *Schema {
	s := &Schema{Type: "object", Properties: map[string]*Schema{}, AdditionalProperties: false}
	for _, f := range o.Fields {
		p := f.Of.schema()
		p.Description = f.Doc
		s.Properties[f.Key] = p
		if f.Required {
			s.Required = append(s.Required, f.Key)
		}
	}
	return s
}
