package strict

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"gopkg.in/yaml.v3"
)

// Caps of one YAML document.
const (
	MaxYAMLBytes = 1 << 20
	maxYAMLDepth = 32
	maxFaults    = 100
)

// Source is where YAML text comes from, for messages. Before is the number of
// lines that stand before the text when it is cut out of a longer one.
type Source struct {
	File   string
	Before int
}

// Document is a YAML text that was read without a fault of form.
type Document struct {
	source Source
	root   *node
}

// Parse reads one YAML mapping. It refuses a second document, duplicate keys,
// anchors, aliases, merge keys, explicit tags, tabs in indentation, keys that
// are not text, and text that is too large or too deep. An empty text is an
// empty mapping.
func Parse(src Source, data []byte) (Document, Faults) {
	p := &parse{source: src}
	if len(data) > MaxYAMLBytes {
		p.add(1, "", fmt.Sprintf("the file has %d bytes, the limit is %d", len(data), MaxYAMLBytes), "")
		return Document{}, p.faults
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if p.characters(data); len(p.faults) > 0 {
		return Document{}, p.faults
	}
	p.lines = strings.Split(string(data), "\n")
	root := p.document(data)
	if len(p.faults) > 0 {
		return Document{}, p.faults.sorted()
	}
	return Document{source: src, root: root}, nil
}

type parse struct {
	source Source
	lines  []string
	faults Faults

	kept      int // the line that keptRunes holds
	keptRunes []rune
}

func (p *parse) add(line int, key, message, hint string) {
	if len(p.faults) >= maxFaults {
		return
	}
	if n := len(p.faults); n > 0 && p.faults[n-1].Message == message && p.faults[n-1].Line == line+p.source.Before {
		return // a mapping begins where its first key does
	}
	p.faults = append(p.faults, Fault{File: p.source.File, Line: line + p.source.Before, Key: key, Message: message, Hint: hint})
}

func (p *parse) document(data []byte) *node {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc, second yaml.Node
	if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
		return &node{kind: mapping, line: 1}
	} else if err != nil {
		p.syntax(err)
		return nil
	}
	switch err := dec.Decode(&second); {
	case errors.Is(err, io.EOF):
	case err != nil:
		p.syntax(err)
	default:
		p.add(max(second.Line, 1), "", "a second document begins here", "one file holds one document: remove the line ---")
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 {
		return &node{kind: mapping, line: 1}
	}
	p.tabs(&doc)
	root := p.convert(doc.Content[0], "", 0)
	if root.kind == null {
		return &node{kind: mapping, line: 1}
	}
	if root.kind != mapping {
		p.add(root.line, "", "expected keys and values, found "+root.describe(), "write key: value")
	}
	return root
}

// convert checks one node and what is below it.
func (p *parse) convert(y *yaml.Node, key string, depth int) *node {
	n := &node{line: y.Line}
	if depth > maxYAMLDepth {
		p.add(y.Line, key, fmt.Sprintf("nested more than %d deep", maxYAMLDepth), "")
		return n
	}
	p.properties(y, key)
	switch y.Kind {
	case yaml.ScalarNode:
		n.kind, n.text = text, y.Value
		if y.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0 {
			n.kind = plainKind(y.Value)
		}
	case yaml.SequenceNode:
		n.kind = list
		for i, item := range y.Content {
			n.items = append(n.items, p.convert(item, fmt.Sprintf("%s[%d]", key, i+1), depth+1))
		}
	case yaml.MappingNode:
		n.kind = mapping
		p.entries(n, y, key, depth)
	}
	return n
}

// properties refuses what makes one place of a file change the meaning of
// another, or of itself.
func (p *parse) properties(y *yaml.Node, key string) {
	switch first := p.at(y.Line, y.Column); {
	case y.Kind == yaml.AliasNode:
		p.add(y.Line, key, "aliases (*name) are not allowed", "write the value out")
	case y.Anchor != "" || first == '&':
		p.add(y.Line, key, "anchors (&name) are not allowed", "write the value out where it is used")
	case y.Style&yaml.TaggedStyle != 0 || first == '!':
		p.add(y.Line, key, "tags (!name) are not allowed", "put the text in quotes if it begins with !")
	}
}

func (p *parse) entries(n *node, y *yaml.Node, key string, depth int) {
	seen := map[string]int{}
	for i := 0; i+1 < len(y.Content); i += 2 {
		k, v := y.Content[i], y.Content[i+1]
		p.properties(k, key)
		if k.Kind == yaml.AliasNode {
			continue
		}
		quoted := k.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0
		switch {
		case k.Kind != yaml.ScalarNode || k.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
			p.add(k.Line, key, "a key must be text on one line", "")
			continue
		case !quoted && k.Value == "<<":
			p.add(k.Line, join(key, "<<"), "merge keys are not allowed", "write the keys out")
			continue
		case !quoted && plainKind(k.Value) != text:
			p.add(k.Line, join(key, k.Value), "a key must be text", "put it in quotes")
			continue
		case strings.TrimSpace(k.Value) == "":
			p.add(k.Line, key, "a key must not be blank", "")
			continue
		}
		if first, dup := seen[k.Value]; dup {
			p.add(k.Line, join(key, k.Value), fmt.Sprintf("the key stands twice, first on line %d", first+p.source.Before), "keep one of them")
			continue
		}
		seen[k.Value] = k.Line
		n.entries = append(n.entries, entry{key: k.Value, line: k.Line, value: p.convert(v, join(key, k.Value), depth+1)})
	}
}

func join(key, child string) string {
	if key == "" {
		return clip(child, 80)
	}
	return key + "." + clip(child, 80)
}
