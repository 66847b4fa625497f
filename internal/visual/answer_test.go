package visual

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/tolboy/warden/internal/preview"
	"github.com/tolboy/warden/internal/proc"
)

var asked = []string{"a", "b"}

// TestAnswer refuses what the process that looks never says.
func TestAnswer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		said proc.Output
		want string // of the error
	}{
		"empty":   {proc.Output{}, "EOF"},
		"nothing": {proc.Output{Bytes: []byte(`{}`)}, "of no fault and of 0 scenarios, and 2 were asked for"},
		"fewer":   {proc.Output{Bytes: []byte(`{"Report":{"scenarios":[{"raw":"a","ok":true}]}}`)}, "1 scenarios, and 2 were asked for"},
		"another": {proc.Output{Bytes: []byte(`{"Report":{"scenarios":[{"raw":"a","ok":true},{"raw":"c","ok":true}]}}`)}, "scenario 2 is not the one"},
		"unsaid":  {proc.Output{Bytes: []byte(`{"Report":{"scenarios":[{"raw":"a"},{"raw":"b","ok":true}]}}`)}, "scenario 1 failed for no reason"},
		"cut":     {proc.Output{Bytes: []byte(`{}`), Truncated: true}, "over 16777216 bytes"},
		"unknown": {proc.Output{Bytes: []byte(`{"Passed":true}`)}, `unknown field "Passed"`},
		"two":     {proc.Output{Bytes: []byte(`{}{}`)}, "something follows it"},
		"null":    {proc.Output{Bytes: []byte(`null`)}, "null"},
		"no code": {proc.Output{Bytes: []byte(`{"Fault":{"Why":"exited"}}`)}, "no code"},
		"no word": {proc.Output{Bytes: []byte(`{"Fault":{"Code":"visual_qa_unavailable"}}`)}, "no word for it"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, err := answer(c.said, asked); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %+v, %v; want an error with %q", got, err, c.want)
			}
		})
	}
}

// TestWholeAnswer reads what the process says.
func TestWholeAnswer(t *testing.T) {
	t.Parallel()
	for name, said := range map[string]string{
		"seen":    `{"Report":{"scenarios":[{"raw":"a","ok":true},{"raw":"b","why":"nothing matches"}]}}`,
		"a fault": `{"Fault":{"Code":"visual_qa_unavailable","Why":"exited"}}`,
		"cut off": `{"Fault":{"Code":"visual_qa_unavailable","Why":"over_limit"},"Report":{"scenarios":[{"raw":"a"}]}}`,
	} {
		if _, err := answer(proc.Output{Bytes: []byte(said)}, asked); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzAnswer holds that what is read of an answer is written and read again as the
// same, and that it tells either of a fault with a code or of all that was asked for.
func FuzzAnswer(f *testing.F) {
	whole, err := json.Marshal(Seen{Fault: fault(preview.Exited, "x"), Lines: []string{"stderr: y"}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add([]byte(`{"Report":{}}`))
	f.Add([]byte(`{"Report":{"scenarios":[{"raw":"a","ok":true},{"raw":"b","why":"x"}]}}`))
	f.Add([]byte(`{"Fault":{}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		seen, err := answer(proc.Output{Bytes: data}, asked)
		if err != nil {
			return
		}
		if seen.Fault != nil && seen.Fault.Code == "" {
			t.Fatal("a fault has no code")
		}
		if told := len(seen.Report.Scenarios); seen.Fault == nil && told != len(asked) {
			t.Fatalf("there is no fault, and %d scenarios of %d", told, len(asked))
		}
		text, err := json.Marshal(seen)
		if err != nil {
			t.Fatal(err)
		}
		again, err := answer(proc.Output{Bytes: text}, asked)
		if err != nil {
			t.Fatalf("what was read does not read again: %v", err)
		}
		if twice, err := json.Marshal(again); err != nil || !reflect.DeepEqual(twice, text) {
			t.Fatalf("it became %s, %v, and was %s", twice, err, text)
		}
	})
}
