package fakemodel

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// Pictures are the pictures that a request brings to the model, in their order, as
// bytes of their files. They come as addresses with the data in them, or beside the
// name of their kind.
func (r Request) Pictures() [][]byte {
	var body any
	if json.Unmarshal(r.Body, &body) != nil {
		return nil
	}
	return pictures(body)
}

func pictures(v any) [][]byte {
	var out [][]byte
	switch v := v.(type) {
	case string:
		kind, data, ok := strings.Cut(v, ";base64,")
		if file, err := base64.StdEncoding.DecodeString(data); ok && err == nil && strings.HasPrefix(kind, "data:image/") {
			out = append(out, file)
		}
	case []any:
		for _, item := range v {
			out = append(out, pictures(item)...)
		}
	case map[string]any:
		kind, _ := v["mimeType"].(string)
		if kind == "" {
			kind, _ = v["media_type"].(string)
		}
		data, _ := v["data"].(string)
		if file, err := base64.StdEncoding.DecodeString(data); err == nil && data != "" && strings.HasPrefix(kind, "image/") {
			return append(out, file)
		}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			out = append(out, pictures(v[key])...)
		}
	}
	return out
}
