package strict

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type target struct {
	Role  string            `json:"role"`
	Count int               `json:"count"`
	Items []item            `json:"items"`
	Any   any               `json:"any"`
	Named map[string]item   `json:"named"`
	Raw   json.RawMessage   `json:"raw"`
	Ptr   *item             `json:"ptr"`
	Free  map[string]string `json:"free"`
}

type item struct {
	Path string `json:"path"`
}

func TestJSONFaults(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, in string
		opts     JSONOptions
		want     string
	}{
		{"duplicate", `{"role":"a","role":"b"}`, JSONOptions{}, `JSON:1: role: the key stands twice`},
		{"duplicate_escaped", `{"role":"a","rol\u0065":"b"}`, JSONOptions{}, `JSON:1: role: the key stands twice`},
		{"duplicate_in_any", "{\"any\":{\"x\":1,\n\"x\":2}}", JSONOptions{}, `JSON:2: any.x: the key stands twice`},
		{"duplicate_in_list", `{"items":[{"path":"a","path":"b"}]}`, JSONOptions{}, `JSON:1: items[1].path: the key stands twice`},
		{"duplicate_in_raw", `{"raw":{"x":1,"x":2}}`, JSONOptions{}, `JSON:1: raw.x: the key stands twice`},
		{"other_case", `{"Role":"a"}`, JSONOptions{}, `JSON:1: Role: the key is written "role"`},
		{"other_case_beside", `{"role":"a","ROLE":"b"}`, JSONOptions{}, `JSON:1: ROLE: the key is written "role"`},
		{"other_case_kelvin", `{"named":{"k":{"PATH":"x"}}}`, JSONOptions{}, `JSON:1: named.k.PATH: the key is written "path"`},
		{"other_case_pointer", `{"ptr":{"Path":"x"}}`, JSONOptions{}, `JSON:1: ptr.Path: the key is written "path"`},
		{"trailing_value", `{} {}`, JSONOptions{}, `JSON:1: text follows the value`},
		{"trailing_text", "{}\nbye", JSONOptions{}, `JSON:2: text follows the value`},
		{"empty", ``, JSONOptions{}, `JSON:1: the text ends in the middle of a value`},
		{"cut", "{\"role\":\n\"a", JSONOptions{}, `JSON:2: role: the text ends in the middle of a value`},
		{"bare_word", `{"role": nope}`, JSONOptions{}, `JSON:1: role: this is not JSON: invalid character 'o' in literal null (expecting 'u')`},
		{"control", "{\"role\":\"a\tb\"}", JSONOptions{}, `JSON:1: role: this is not JSON: invalid character '\t' in string literal`},
		{"wrong_type", `{"count":"x"}`, JSONOptions{}, `JSON:1: count: expected a number, found string`},
		{"fraction", `{"count":1.5}`, JSONOptions{}, `JSON:1: count: expected a number, found number 1.5`},
		{"unknown", `{"more":1}`, JSONOptions{Name: "run.json", KnownFields: true}, `run.json:1: unknown field "more"`},
		{"depth", strings.Repeat("[", 70) + strings.Repeat("]", 70), JSONOptions{}, `JSON:1: ` + strings.Repeat("[1]", 65) + `: nested more than 64 deep`},
		{"size", `{"role":"aaaa"}`, JSONOptions{MaxBytes: 10}, `JSON:1: the text has 15 bytes, the limit is 10`},
		{"not_utf8", "{\"role\":\"\xff\"}", JSONOptions{}, `JSON:1: the text is not UTF-8`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var v target
			err := JSON([]byte(tt.in), &v, tt.opts)
			var faults Faults
			if !errors.As(err, &faults) {
				t.Fatalf("got %v, want faults", err)
			}
			if diff := cmp.Diff(tt.want, faults.Error()); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}

func TestJSONValues(t *testing.T) {
	t.Parallel()
	in := `{"role":"a","count":2,"items":[{"path":"p","More":1}],"any":{"A":1,"a":2},"named":{"Role":{"path":"q"}},"free":{"X":"1","x":"2"},"raw":{"Z":1},"more":[{}]}`
	var got, want target
	if err := JSON([]byte(in), &got, JSONOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(in), &want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("value (-want +got):\n%s", diff)
	}
	var num any
	if err := JSON([]byte(` 12345678901234567890 `), &num, JSONOptions{UseNumber: true}); err != nil || num != json.Number("12345678901234567890") {
		t.Errorf("got %v %v, want the number as written", num, err)
	}
}
