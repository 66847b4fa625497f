package visual

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/tolboy/warden/internal/preview"
	"github.com/tolboy/warden/internal/proc"
)

// TestAnswer refuses what the process that looks never says.
func TestAnswer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		said proc.Output
		want string // of the error
	}{
		"empty":   {proc.Output{}, "EOF"},
		"cut":     {proc.Output{Bytes: []byte(`{}`), Truncated: true}, "over 16777216 bytes"},
		"unknown": {proc.Output{Bytes: []byte(`{"Passed":true}`)}, `unknown field "Passed"`},
		"two":     {proc.Output{Bytes: []byte(`{}{}`)}, "something follows it"},
		"null":    {proc.Output{Bytes: []byte(`null`)}, "null"},
		"no code": {proc.Output{Bytes: []byte(`{"Fault":{"Why":"exited"}}`)}, "no code"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, err := answer(c.said); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %+v, %v; want an error with %q", got, err, c.want)
			}
		})
	}
}

// FuzzAnswer holds that what is read of an answer is written and read again as the
// same, and that a fault always has a code.
func FuzzAnswer(f *testing.F) {
	whole, err := json.Marshal(Seen{Fault: fault(preview.Exited, "x"), Lines: []string{"stderr: y"}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add([]byte(`{"Report":{}}`))
	f.Add([]byte(`{"Fault":{}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		seen, err := answer(proc.Output{Bytes: data})
		if err != nil {
			return
		}
		if seen.Fault != nil && seen.Fault.Code == "" {
			t.Fatal("a fault has no code")
		}
		text, err := json.Marshal(seen)
		if err != nil {
			t.Fatal(err)
		}
		again, err := answer(proc.Output{Bytes: text})
		if err != nil {
			t.Fatalf("what was read does not read again: %v", err)
		}
		if twice, err := json.Marshal(again); err != nil || !reflect.DeepEqual(twice, text) {
			t.Fatalf("it became %s, %v, and was %s", twice, err, text)
		}
	})
}
