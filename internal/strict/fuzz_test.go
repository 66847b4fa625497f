package strict

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// render writes a document in one canonical form.
func render(b *strings.Builder, n *node, indent string) {
	switch n.kind {
	case null:
		b.WriteString(" null\n")
	case text:
		b.WriteString(" " + Quote(n.text) + "\n")
	case list:
		if len(n.items) == 0 {
			b.WriteString(" []\n")
			return
		}
		b.WriteByte('\n')
		for _, item := range n.items {
			b.WriteString(indent + "-")
			render(b, item, indent+"  ")
		}
	case mapping:
		if len(n.entries) == 0 {
			b.WriteString(" {}\n")
			return
		}
		b.WriteByte('\n')
		for _, e := range n.entries {
			b.WriteString(indent + "? " + Quote(e.key) + "\n" + indent + ":")
			render(b, e.value, indent+"  ")
		}
	default:
		b.WriteString(" " + n.text + "\n")
	}
}

// FuzzYAML: a text either has faults, each with a line of the text, or reads
// back the same from the canonical form of what was read.
func FuzzYAML(f *testing.F) {
	for _, s := range []string{
		"", "a: 1\n", "a: [b, {c: d}]\n", "a: |\n  x\n\ty\n", "a: \"x\n\ty\"\n", "? a\n: b\n", "a: &x 1\nb: *x\n", "---\na: 1\n---\n",
		"<<: {a: 1}\n", "a: !!str 1\n", "a:\n- b\n- - c\n", "\ufeffa: 'it''s'\r\n", "a: >-\n  folded\n  text\n", "%YAML 1.2\n---\na: ~\n",
		"a: 00\nb: -0\nc: .5\nd: 1e3\n", "{a: 1, a: 2}", "*x : 1", "a: \t1\n", "\"a\": \"\\u2028\"\n", "a: ! x", "&a b: c", "- a", "a:b", ": x", "a: [\n]",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, faults := Parse(Source{File: "f"}, data)
		lines := bytes.Count(data, []byte("\n")) + 1
		for _, fault := range faults {
			if fault.Line < 1 || fault.Line > lines || fault.Message == "" {
				t.Fatalf("fault %+v of a text of %d lines", fault, lines)
			}
		}
		if len(faults) > 0 {
			return
		}
		var b strings.Builder
		render(&b, doc.root, "")
		again, faults := Parse(Source{File: "f"}, []byte(b.String()))
		if len(faults) > 0 {
			if b.Len() > MaxYAMLBytes {
				return // writing it out made it too long
			}
			t.Fatalf("canonical form has faults: %v\n%s", faults, b.String())
		}
		if diff := cmp.Diff(doc.Plain(), again.Plain()); diff != "" {
			t.Fatalf("canonical form reads back otherwise (-first +again):\n%s\n%s", diff, b.String())
		}
	})
}

// distinctKeys reports whether a JSON text is valid and no object of it has a
// key twice.
func distinctKeys(dec *json.Decoder) bool {
	tok, err := dec.Token()
	if err != nil {
		return false
	}
	switch tok {
	case json.Delim('['):
		for dec.More() {
			if !distinctKeys(dec) {
				return false
			}
		}
	case json.Delim('{'):
		seen := map[any]bool{}
		for dec.More() {
			key, err := dec.Token()
			if err != nil || seen[key] {
				return false
			}
			seen[key] = true
			if !distinctKeys(dec) {
				return false
			}
		}
	default:
		return true
	}
	_, err = dec.Token()
	return err == nil
}

// FuzzJSON: where the standard library takes a text and no key stands twice,
// so do we, with the same value; where it does not, neither do we.
func FuzzJSON(f *testing.F) {
	for _, s := range []string{
		``, `{}`, `{"a":1,"a":2}`, `[1,"x",null,true]`, `{"a":{"b":[{}]}} x`, `"\ud800"`, `1e999`, `{"role":"a","Role":"b"}`, `{"any":{"x":[1]}}`, ` 1 `, `[1,]`, `{"a" 1}`, `{1:2}`, "\"\x01\"",
		`{"k":1}`, `[1,"x",null,trueNNNNNN]`, `{"items":[{"path":1}]}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			return
		}
		var got, want any
		err := JSON(data, &got, JSONOptions{MaxDepth: math.MaxInt})
		std := json.Unmarshal(data, &want)
		var faults Faults
		if err != nil && (!errors.As(err, &faults) || len(faults) == 0 || faults[0].Line < 1) {
			t.Fatalf("error without a place: %v", err)
		}
		distinct := distinctKeys(json.NewDecoder(bytes.NewReader(data)))
		accept := std == nil && distinct && bytes.Equal(data, bytes.ToValidUTF8(data, nil))
		if (err == nil) != accept {
			t.Fatalf("JSON(%q): %v; the standard library: %v, distinct keys %v", data, err, std, distinct)
		}
		if err == nil && !cmp.Equal(got, want) {
			t.Fatalf("JSON(%q) = %v, want %v", data, got, want)
		}
		var typed target
		if err := JSON(data, &typed, JSONOptions{}); err == nil {
			if std := json.Unmarshal(data, new(target)); std != nil {
				t.Fatalf("JSON(%q) into a struct is accepted; the standard library: %v", data, std)
			}
		}
	})
}
