package vendor

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode/utf8"
)

// Bounds of the artifact search.
const (
	maxAnswer   = 1 << 20 // bytes of one answer that are searched; its end counts
	maxDepth    = 64      // nesting of an artifact
	maxUnwrap   = 6       // envelopes around an artifact
	maxAttempts = 2000    // places in one answer where an object is tried
	maxScan     = 32 << 20
)

// wrappers are the keys under which envelopes keep an answer, in the order in
// which they are opened.
var wrappers = [...]string{"structuredOutput", "structured_output", "result", "output", "response", "content", "data", "text"}

// artifact finds the role's JSON object in an envelope: where the vendor marked
// one, there; else the last object in the first answer that holds one. It never
// makes one up.
func artifact(e Envelope) (json.RawMessage, bool) {
	if e.Structured != nil {
		if found, err := unwrap(e.Structured, 0); err == nil && found != nil {
			return found, true
		}
	}
	for _, answer := range e.Answers {
		if found, ok := Artifact([]byte(answer)); ok {
			return found, true
		}
	}
	return nil, false
}

// errBuried ends a search: an answer wrapped that often is not opened halfway.
var errBuried = errors.New("find the artifact: too many envelopes around it")

// Artifact returns the last JSON object in a text, opened if it is an envelope,
// in a canonical form: keys sorted, no duplicate key at any level, valid UTF-8.
func Artifact(text []byte) (json.RawMessage, bool) {
	found, err := search(text, 0)
	return found, err == nil && found != nil
}

func search(text []byte, depth int) (json.RawMessage, error) {
	if depth > maxUnwrap {
		return nil, errBuried
	}
	if len(text) > maxAnswer {
		text = text[len(text)-maxAnswer:]
	}
	var last, shaped json.RawMessage
	budget := maxScan
	for n := 0; n < maxAttempts && budget > 0; n++ {
		at := bytes.IndexByte(text, '{')
		if at < 0 {
			break
		}
		text = text[at:]
		size, ok := objectAt(text)
		if !ok {
			budget -= size
			text = text[1:]
			continue
		}
		found, err := unwrap(text[:size], depth)
		if err != nil {
			return nil, err
		}
		if found != nil {
			last = found
			if isShaped(found) {
				shaped = found
			}
		}
		text = text[size:]
	}
	if shaped != nil {
		return shaped, nil
	}
	return last, nil
}

// objectAt reports the length of the JSON object that text begins with, or how
// far reading went before it turned out to be none.
func objectAt(text []byte) (size int, ok bool) {
	d := json.NewDecoder(bytes.NewReader(text))
	var raw json.RawMessage
	if err := d.Decode(&raw); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return int(syntax.Offset), false
		}
		return len(text), false
	}
	return int(d.InputOffset()), true
}

// unwrap opens envelopes around an artifact. Nil means that there is none.
func unwrap(raw []byte, depth int) (json.RawMessage, error) {
	if depth > maxUnwrap {
		return nil, errBuried
	}
	o, ok := parseObject(raw)
	if !ok {
		return nil, nil
	}
	if isShapedObject(o) {
		return canonical(raw), nil
	}
	for _, key := range wrappers {
		found, err := open(o[key], depth+1)
		if err != nil || found != nil {
			return found, err
		}
	}
	if isEvent(o) {
		return nil, nil
	}
	return canonical(raw), nil
}

// open looks into one value of an envelope.
func open(inner json.RawMessage, depth int) (json.RawMessage, error) {
	inner = bytes.TrimSpace(inner)
	if len(inner) == 0 {
		return nil, nil
	}
	switch inner[0] {
	case '{':
		return unwrap(inner, depth)
	case '"':
		var s string
		if json.Unmarshal(inner, &s) == nil && strings.Contains(s, "{") {
			return search([]byte(s), depth)
		}
	}
	return nil, nil
}

// isShapedObject reports whether an object looks like a role's answer: it says
// which state the work is in, and is no event of a stream.
func isShapedObject(o object) bool {
	return o.text("status") != "" && !isEvent(o) && !o.has("stats")
}

func isShaped(raw json.RawMessage) bool {
	o, ok := parseObject(raw)
	return ok && isShapedObject(o)
}

// isEvent reports whether an object is an event of a stream, which is never an
// artifact whatever it holds.
func isEvent(o object) bool {
	k := o.kind()
	for _, prefix := range []string{"turn.", "thread.", "item."} {
		if strings.HasPrefix(k, prefix) {
			return true
		}
	}
	switch k {
	case "error", "result", "system", "assistant", "user", "init", "message", "end", "usage", "text",
		"tool_use", "tool_result", "tool_call", "tool_call_update", "step_start", "step_finish", "rate_limit_event":
		return true
	}
	return o.isTrue("is_error")
}

// canonical re-encodes one JSON value. Nil refuses what two readers could take
// for two things: a key twice in one object, bytes that are not UTF-8, text
// after the value, nesting beyond the bound.
func canonical(raw []byte) json.RawMessage {
	if !utf8.Valid(raw) {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	v, err := value(d, 0)
	if err != nil {
		return nil
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return nil
	}
	return json.RawMessage(bytes.TrimSpace(out.Bytes()))
}

var errShape = errors.New("read JSON: ambiguous or too deep")

func value(d *json.Decoder, depth int) (any, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	open, ok := t.(json.Delim)
	if !ok {
		return t, nil
	}
	if depth >= maxDepth {
		return nil, errShape
	}
	if open == '[' {
		items := []any{}
		for d.More() {
			v, err := value(d, depth+1)
			if err != nil {
				return nil, err
			}
			items = append(items, v)
		}
		_, err := d.Token()
		return items, err
	}
	members := map[string]any{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		name, ok := key.(string)
		if _, twice := members[name]; !ok || twice {
			return nil, errShape
		}
		if members[name], err = value(d, depth+1); err != nil {
			return nil, err
		}
	}
	_, err = d.Token()
	return members, err
}
