package vendor

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"

	"github.com/tolboy/warden/internal/usage"
)

// object is one JSON object of a vendor's output, read a key at a time: no
// vendor's envelope is promised to keep its shape.
type object map[string]json.RawMessage

// parseObject reads data as one JSON object, or reports false.
func parseObject(data []byte) (object, bool) {
	data = bytes.TrimSpace(data)
	if len(data) < 2 || data[0] != '{' {
		return nil, false
	}
	var o object
	if json.Unmarshal(data, &o) != nil || o == nil {
		return nil, false
	}
	return o, true
}

func (o object) text(keys ...string) string {
	for _, key := range keys {
		var s string
		if raw, ok := o[key]; ok && json.Unmarshal(raw, &s) == nil && s != "" {
			return s
		}
	}
	return ""
}

func (o object) sub(key string) object {
	sub, _ := parseObject(o[key])
	return sub
}

func (o object) list(key string) []json.RawMessage {
	var items []json.RawMessage
	if json.Unmarshal(o[key], &items) != nil {
		return nil
	}
	return items
}

func (o object) isTrue(key string) bool {
	return strings.TrimSpace(string(o[key])) == "true"
}

// has reports whether the key is there and not null.
func (o object) has(key string) bool {
	raw, ok := o[key]
	return ok && strings.TrimSpace(string(raw)) != "null"
}

// amount reads a reported quantity. What can be none was not reported.
func (o object) amount(keys ...string) usage.Amount {
	for _, key := range keys {
		var v float64
		if !o.has(key) || json.Unmarshal(o[key], &v) != nil {
			continue
		}
		if a := usage.Reported(v); a != (usage.Amount{}) {
			return a
		}
	}
	return usage.Amount{}
}

// status reads an HTTP status, or zero.
func (o object) status(keys ...string) int {
	if v, ok := o.amount(keys...).Get(); ok && v >= 100 && v < 600 && v == math.Trunc(v) {
		return int(v)
	}
	return 0
}

func (o object) kind() string { return o.text("type") }

func plus(a, b usage.Amount) usage.Amount {
	x, known := a.Get()
	y, more := b.Get()
	switch {
	case !known:
		return b
	case !more:
		return a
	}
	return usage.Known(x + y)
}

// first returns the first amount that was reported.
func first(amounts ...usage.Amount) usage.Amount {
	for _, a := range amounts {
		if _, ok := a.Get(); ok {
			return a
		}
	}
	return usage.Amount{}
}
