package metrics

import (
	"encoding/json"
	"reflect"
	"testing"
)

// FuzzPick: what the quick reader takes in is what encoding/json takes in, and it
// takes in nothing that encoding/json refuses.
func FuzzPick(f *testing.F) {
	for _, line := range pickLines {
		f.Add([]byte(line.line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		pickAs[roleRun](t, line)
		pickAs[started](t, line)
		pickAs[gateRun](t, line)
		pickAs[ending](t, line)
		pickAs[answer](t, line)
	})
}

func pickAs[T any, P interface {
	*T
	record
}](t *testing.T, line []byte) bool {
	t.Helper()
	var quick, slow T
	if !pick(line, P(&quick)) {
		return false
	}
	if err := json.Unmarshal(line, &struct {
		Data *T `json:"data"`
	}{&slow}); err != nil {
		t.Fatalf("%q was taken in, and encoding/json says: %v", line, err)
	}
	if !reflect.DeepEqual(quick, slow) {
		t.Fatalf("%q was taken in as %+v, and by encoding/json as %+v", line, quick, slow)
	}
	return true
}

var pickLines = []struct {
	name, line string
	quick      bool
}{
	{"a dispatch", `{"seq":1,"prev":"","at":"t","type":"role_run","data":{"step":"x","role":"implementer","ok":true,"code":"ok","findings":[{"a":[1,-2.5e+3,null]}],"vendor_attempts":[{"call_id":"a#1","profile":"p","vendor":"v","code":"ok","duration_millis":12.5,"usage":{"cost_usd":0.25,"input_tokens":1e3,"output_tokens":null}}],"usage":{"calls":1,"cost_usd":0.25},"duration_millis":null,"dry_run":false},"files":[{"path":"a"}],"redacted":2}`, true},
	{"letters and escapes", `{"data":{"role":"ещё \"one\" \u00e9\ud83d\ude00","decision":"a\\b","ok":false}}`, true},
	{"no calls", `{"data":{"vendor_attempts":[],"usage":{}}}`, true},
	{"blanks", "{ \"data\" : { \"ok\" : true } }\n", true},
	{"a key in large letters", `{"data":{"OK":true}}`, false},
	{"a key with a blank", `{"data":{"o k":true}}`, false},
	{"the key of a long s", `{"data":{"ſource":"x"}}`, false},
	{"calls twice", `{"data":{"vendor_attempts":[{"profile":"a"}],"vendor_attempts":[{"vendor":"b"}]}}`, false},
	{"data twice", `{"data":{"ok":true},"data":{}}`, false},
	{"no data", `{"seq":1}`, false},
	{"data that is a list", `{"data":[]}`, false},
	{"a word for a number", `{"data":{"duration_millis":"1","wait_millis":"1","ok":"true"}}`, false},
	{"a leading zero", `{"data":{"duration_millis":01,"wait_millis":01}}`, false},
	{"something behind", `{"data":{"ok":true}}}`, false},
	{"a tab in a string", "{\"data\":{\"x\":\"a\tb\"}}", false},
	{"a bad escape", `{"data":{"x":"\q"}}`, false},
	{"half an escape", `{"data":{"x":"\u12"}}`, false},
	{"a comma too many", `{"data":{"ok":true,}}`, false},
	{"cut off", `{"data":{"ok":true,"x":"abc`, false},
}

func TestPick(t *testing.T) {
	t.Parallel()
	for _, tt := range pickLines {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := pickAs[roleRun](t, []byte(tt.line)); got != tt.quick {
				t.Errorf("taken in: %v, want %v", got, tt.quick)
			}
		})
	}
}

// TestPickReadsWhatIsWritten: what Warden writes is read the quick way, and not twice.
func TestPickReadsWhatIsWritten(t *testing.T) {
	t.Parallel()
	var r roleRun
	if !pick([]byte(pickLines[0].line), &r) {
		t.Fatal("it is off")
	}
	if len(r.Calls) != 1 || r.Calls[0].CallID != "a#1" || *r.Calls[0].Usage.Cost != 0.25 || r.Calls[0].Usage.Output != nil || r.Usage.Calls != 1 || !r.OK {
		t.Errorf("read %+v", r)
	}
}
