package strict

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"
)

// JSONOptions bound what JSON accepts. Zero values mean 1 MiB, 64 levels and
// keys beyond those of the target allowed.
type JSONOptions struct {
	Name        string // what is read, for messages
	MaxBytes    int
	MaxDepth    int
	KnownFields bool // refuse keys that the target does not have
	UseNumber   bool // keep numbers as written where the target is any
}

// JSON decodes one JSON value into v. Unlike encoding/json it refuses duplicate
// keys, keys that match a field of v only when case is ignored, text after the
// value, and input that is too large, too deep or not UTF-8. The error is Faults.
func JSON(data []byte, v any, opts JSONOptions) error {
	c := &jsonCheck{opts: opts, data: data}
	if c.opts.MaxBytes == 0 {
		c.opts.MaxBytes = 1 << 20
	}
	if c.opts.MaxDepth == 0 {
		c.opts.MaxDepth = 64
	}
	if c.opts.Name == "" {
		c.opts.Name = "JSON"
	}
	if err := c.check(reflect.TypeOf(v)); err != nil {
		return err
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	if opts.KnownFields {
		dec.DisallowUnknownFields()
	}
	if opts.UseNumber {
		dec.UseNumber()
	}
	if err := dec.Decode(v); err != nil {
		return c.decodeFault(err)
	}
	return nil
}

type jsonCheck struct {
	opts JSONOptions
	data []byte
	dec  *json.Decoder
}

func (c *jsonCheck) fault(offset int64, key, format string, args ...any) error {
	offset = min(max(offset, 0), int64(len(c.data)))
	return Faults{{
		File: c.opts.Name, Line: 1 + bytes.Count(c.data[:offset], []byte("\n")), Key: key,
		Message: fmt.Sprintf(format, args...),
	}}
}

func (c *jsonCheck) check(target reflect.Type) error {
	if len(c.data) > c.opts.MaxBytes {
		return c.fault(0, "", "the text has %d bytes, the limit is %d", len(c.data), c.opts.MaxBytes)
	}
	if !utf8.Valid(c.data) {
		return c.fault(0, "", "the text is not UTF-8")
	}
	c.dec = json.NewDecoder(bytes.NewReader(c.data))
	c.dec.UseNumber()
	if err := c.value(target, "", 0); err != nil {
		return err
	}
	if _, err := c.dec.Token(); !errors.Is(err, io.EOF) {
		return c.fault(c.dec.InputOffset(), "", "text follows the value")
	}
	return nil
}

func (c *jsonCheck) value(t reflect.Type, key string, depth int) error {
	if depth > c.opts.MaxDepth {
		return c.fault(c.dec.InputOffset(), key, "nested more than %d deep", c.opts.MaxDepth)
	}
	tok, err := c.token(key)
	if err != nil {
		return err
	}
	switch tok {
	case json.Delim('['):
		for i := 0; c.dec.More(); i++ {
			if err := c.value(elem(t), key+"["+strconv.Itoa(i+1)+"]", depth+1); err != nil {
				return err
			}
		}
	case json.Delim('{'):
		if err := c.object(t, key, depth); err != nil {
			return err
		}
	default:
		return nil
	}
	_, err = c.token(key) // the closing bracket
	return err
}

func (c *jsonCheck) object(t reflect.Type, key string, depth int) error {
	fields := fieldsOf(t)
	seen := map[string]bool{}
	for c.dec.More() {
		tok, err := c.token(key)
		if err != nil {
			return err
		}
		name, ok := tok.(string)
		if !ok {
			return c.fault(c.dec.InputOffset(), key, "a key must be text")
		}
		at := join(key, name)
		if seen[name] {
			return c.fault(c.dec.InputOffset(), at, "the key stands twice")
		}
		seen[name] = true
		next, known := fields[name]
		if !known {
			for field := range fields {
				if strings.EqualFold(field, name) {
					return c.fault(c.dec.InputOffset(), at, "the key is written %q", field)
				}
			}
			next = elem(t)
		}
		if err := c.value(next, at, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (c *jsonCheck) token(key string) (json.Token, error) {
	tok, err := c.dec.Token()
	switch {
	case err == nil:
		return tok, nil
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, c.fault(int64(len(c.data)), key, "the text ends in the middle of a value")
	}
	return nil, c.fault(c.dec.InputOffset(), key, "this is not JSON: %s", clip(err.Error(), 120))
}

func (c *jsonCheck) decodeFault(err error) error {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return c.fault(wrong.Offset, wrong.Field, "expected %s, found %s", jsonWord(wrong.Type), wrong.Value)
	}
	return c.fault(0, "", "%s", clip(strings.TrimPrefix(err.Error(), "json: "), 200))
}

func jsonWord(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "an object"
	}
	return "a number"
}

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

// base follows pointers to the type that decoding fills, or nil when that type
// decodes itself and its keys are its own affair.
func base(t reflect.Type) reflect.Type {
	for range 8 {
		if t == nil || t.Implements(unmarshaler) || reflect.PointerTo(t).Implements(unmarshaler) {
			return nil
		}
		if t.Kind() != reflect.Pointer {
			return t
		}
		t = t.Elem()
	}
	return nil
}

// elem is the type of what a list or a map holds, or nil.
func elem(t reflect.Type) reflect.Type {
	if t = base(t); t == nil {
		return nil
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array, reflect.Map:
		return t.Elem()
	}
	return nil
}

// fieldsOf lists the JSON names of a struct's fields, embedded ones included.
func fieldsOf(t reflect.Type) map[string]reflect.Type {
	if t = base(t); t == nil || t.Kind() != reflect.Struct {
		return nil
	}
	out := map[string]reflect.Type{}
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" || !f.IsExported() || f.Anonymous && name == "" {
			continue
		}
		if name == "" {
			name = f.Name
		}
		out[name] = f.Type
	}
	return out
}
