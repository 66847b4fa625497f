// Package schema validates JSON against the schemas of package spec, or against
// one that an operator wrote. Nothing is ever loaded from a network or a disk.
package schema

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/tolboy/warden/spec"
)

// MaxViolations is how many violations of one document are told.
const MaxViolations = 40

// Schema is a compiled schema. It is safe for concurrent use.
type Schema struct {
	name     string
	compiled *jsonschema.Schema
	source   []byte
}

// Violation is one place where a document does not fit. Pointer is a JSON
// pointer, or "(root)". Both texts may quote the document, which is untrusted;
// they are cut to a bounded length.
type Violation struct {
	Pointer string `json:"pointer"`
	Message string `json:"message"`
}

// String is "pointer: message".
func (v Violation) String() string { return v.Pointer + ": " + v.Message }

// Compile compiles the schema that package spec holds under a name, such as
// "reviewer".
func Compile(name string) (*Schema, error) {
	source, err := spec.Schemas.ReadFile("schemas/" + name + ".json")
	if err != nil {
		return nil, fmt.Errorf("compile schema %q: %w", name, err)
	}
	return CompileBytes(name, source)
}

// CompileBytes compiles a schema from its text. A reference to anything outside
// of the text is an error.
func CompileBytes(name string, source []byte) (*Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(source))
	if err != nil {
		return nil, fmt.Errorf("compile schema %q: %w", name, err)
	}
	if m := heavyNumber(doc, ""); m != nil {
		return nil, fmt.Errorf("compile schema %q: %s", name, m)
	}
	const url = "warden:///schema.json"
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	if err := c.AddResource(url, doc); err != nil {
		return nil, fmt.Errorf("compile schema %q: %w", name, err)
	}
	compiled, err := c.Compile(url)
	if err != nil {
		return nil, fmt.Errorf("compile schema %q: %w", name, err)
	}
	return &Schema{name: name, compiled: compiled, source: bytes.Clone(source)}, nil
}

type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("%s lies outside of the schema, and nothing is loaded from elsewhere", url)
}

// Source is the text the schema was compiled from.
func (s *Schema) Source() []byte { return bytes.Clone(s.source) }

// Validate returns where a JSON text does not fit, ordered by pointer, nil when
// it fits. A text that is not one JSON value is one violation of the root.
func (s *Schema) Validate(text []byte) []Violation {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return []Violation{{Pointer: "(root)", Message: "not one JSON value: " + clip(err.Error(), 200)}}
	}
	if v := heavyNumber(doc, ""); v != nil {
		return []Violation{*v}
	}
	err = s.compiled.Validate(doc)
	if err == nil {
		return nil
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return []Violation{{Pointer: "(root)", Message: clip(err.Error(), 200)}}
	}
	var out []Violation
	collect(invalid, &out)
	slices.SortFunc(out, func(a, b Violation) int {
		return cmp.Or(cmp.Compare(a.Pointer, b.Pointer), cmp.Compare(a.Message, b.Message))
	})
	out = slices.Compact(out)
	return out[:min(len(out), MaxViolations)]
}

func collect(e *jsonschema.ValidationError, out *[]Violation) {
	if len(e.Causes) == 0 {
		*out = append(*out, Violation{Pointer: pointer(e.InstanceLocation), Message: clip(e.BasicOutput().Error.String(), 300)})
	}
	for _, cause := range e.Causes {
		collect(cause, out)
	}
}

func pointer(tokens []string) string {
	if len(tokens) == 0 {
		return "(root)"
	}
	var b strings.Builder
	for _, t := range tokens {
		b.WriteString("/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(clip(t, 80)))
	}
	return clip(b.String(), 400)
}

// heavyNumber finds a number that is cheap to write and dear to compare: the
// validator works with exact fractions.
func heavyNumber(v any, at string) *Violation {
	switch v := v.(type) {
	case json.Number:
		if !lightNumber(string(v)) {
			return &Violation{Pointer: cmp.Or(clip(at, 400), "(root)"), Message: "the number is too long or too large: " + clip(string(v), 40)}
		}
	case []any:
		for i, item := range v {
			if m := heavyNumber(item, at+"/"+strconv.Itoa(i)); m != nil {
				return m
			}
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if m := heavyNumber(v[key], at+"/"+clip(key, 80)); m != nil {
				return m
			}
		}
	}
	return nil
}

func lightNumber(s string) bool {
	if len(s) > 64 {
		return false
	}
	_, exponent, found := strings.Cut(strings.ToLower(s), "e")
	if !found {
		return true
	}
	n, err := strconv.Atoi(exponent)
	return err == nil && n >= -400 && n <= 400
}

// clip cuts a text to a number of runes.
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
