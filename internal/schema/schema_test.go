package schema

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tolboy/warden/spec"
)

func TestEverySchemaOfTheSpecCompiles(t *testing.T) {
	t.Parallel()
	entries, err := spec.Schemas.ReadDir("schemas")
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) < 6 {
		t.Fatalf("the spec holds %d schemas", len(entries))
	}
	for _, e := range entries {
		s, err := Compile(strings.TrimSuffix(e.Name(), ".json"))
		if err != nil {
			t.Errorf("%s: %v", e.Name(), err)
			continue
		}
		if want, _ := spec.Schemas.ReadFile("schemas/" + e.Name()); string(s.Source()) != string(want) {
			t.Errorf("%s: the source is not the file", e.Name())
		}
	}
	if _, err := Compile("nobody"); err == nil || !strings.HasPrefix(err.Error(), `compile schema "nobody": `) {
		t.Errorf("an unknown name: %v", err)
	}
}

const review = `{"role":"reviewer","task_id":"t","status":"completed","verdict":"fail","summary":"s","more":{"any":1},
"findings":[{"severity":"P1","path":"a.go","line":3,"message":"m","expected":"e","actual":"a","confidence":"confirmed","extra":true}]}`

func TestArtifacts(t *testing.T) {
	t.Parallel()
	const impl = `{"role":"implementer","task_id":"t","status":"completed","summary":"s","files_changed":["a"],"note":1}`
	tests := []struct {
		name, schema, in string
		want             []string
	}{
		{"implementer", "implementer", impl, nil},
		{"implementer_misses", "implementer", `{}`, []string{"(root): missing properties 'role', 'task_id', 'status', 'summary', 'files_changed'"}},
		{"implementer_status", "implementer", strings.Replace(impl, "completed", "done", 1), []string{"/status: value must be one of 'completed', 'blocked'"}},
		{"implementer_role", "implementer", strings.Replace(impl, `"implementer"`, `"reviewer"`, 1), []string{"/role: value must be 'implementer'"}},
		{"implementer_files", "implementer", strings.Replace(impl, `["a"]`, `["a",1]`, 1), []string{"/files_changed/1: got number, want string"}},
		{"reviewer", "reviewer", review, nil},
		{"reviewer_no_findings_list", "reviewer", strings.Replace(review, `"findings"`, `"finding"`, 1), []string{"(root): missing property 'findings'"}},
		{"finding_severity", "reviewer", strings.Replace(review, "P1", "critical", 1), []string{"/findings/0/severity: value must be one of 'P1', 'P2', 'P3'"}},
		{"finding_line", "reviewer", strings.Replace(review, `"line":3`, `"line":"3"`, 1), []string{"/findings/0/line: got string, want integer"}},
		{"finding_misses", "reviewer", strings.Replace(review, `"expected":"e",`, "", 1), []string{"/findings/0: missing property 'expected'"}},
		{"two_places", "reviewer", strings.NewReplacer("P1", "P0", "confirmed", "sure").Replace(review), []string{
			"/findings/0/confidence: value must be one of 'confirmed', 'plausible'", "/findings/0/severity: value must be one of 'P1', 'P2', 'P3'"}},
		{"not_json", "reviewer", `{"role"`, []string{"(root): not one JSON value: unexpected EOF"}},
		{"trailing", "reviewer", review + "{}", []string{"(root): not one JSON value: invalid character after top-level value"}},
		{"text", "reviewer", `"hello"`, []string{"(root): got string, want object"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, err := Compile(tt.schema)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, v := range s.Validate([]byte(tt.in)) {
				got = append(got, v.String())
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("violations (-want +got):\n%s", diff)
			}
		})
	}
}

func TestViolationsAreBounded(t *testing.T) {
	t.Parallel()
	s, err := Compile("reviewer")
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("я", 5000)
	var items []string
	for range 500 {
		items = append(items, fmt.Sprintf(`{"severity":%q}`, long))
	}
	got := s.Validate([]byte(`{"findings":[` + strings.Join(items, ",") + `]}`))
	if len(got) != MaxViolations {
		t.Errorf("%d violations, want %d", len(got), MaxViolations)
	}
	c, err := CompileBytes("own", []byte(`{"additionalProperties":false}`))
	if err != nil {
		t.Fatal(err)
	}
	got = c.Validate([]byte(`{"` + long + `":1}`))
	if len(got) != 1 || len([]rune(got[0].String())) > 800 {
		t.Errorf("a long key makes a violation of %d characters", len([]rune(fmt.Sprint(got))))
	}
}

// The validator compares numbers as exact fractions, so a short number can cost
// gigabytes. Such a number is a violation and is never compared.
func TestHeavyNumbers(t *testing.T) {
	t.Parallel()
	s, err := CompileBytes("own", []byte(`{"additionalProperties":{"type":"integer","minimum":0}}`))
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	for _, n := range []string{"1e999999", "1e-999999", "1E+1000000000", strings.Repeat("9", 65), "0." + strings.Repeat("1", 70), "1e99999999999999999999"} {
		got := s.Validate([]byte(`{"a":[],"b":` + n + `}`))
		if len(got) != 1 || got[0].Pointer != "/b" || !strings.HasPrefix(got[0].Message, "the number is too long or too large: ") {
			t.Errorf("%.20s: %v", n, got)
		}
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("six numbers took %v", took)
	}
	if got := s.Validate([]byte(`{"a":12345678901234567890,"b":1e10,"c":3.0}`)); got != nil {
		t.Errorf("ordinary numbers: %v", got)
	}
	if _, err := CompileBytes("own", []byte(`{"minimum":1e999999}`)); err == nil {
		t.Error("a schema with a heavy number compiles")
	}
}

func TestNothingIsLoaded(t *testing.T) {
	t.Parallel()
	for _, ref := range []string{"http://127.0.0.1:1/x.json", "file:///etc/passwd", "other.json", "https://json-schema.org/draft/2020-12/nothing"} {
		_, err := CompileBytes("own", []byte(`{"$ref":"`+ref+`"}`))
		if err == nil || !strings.Contains(err.Error(), "nothing is loaded from elsewhere") {
			t.Errorf("$ref %s: %v", ref, err)
		}
	}
	if _, err := CompileBytes("own", []byte(`{"$ref":"#/$defs/a","$defs":{"a":{"type":"string"}}}`)); err != nil {
		t.Errorf("a reference inside of the schema: %v", err)
	}
	for _, bad := range []string{``, `{`, `{"type":"nothing"}`, `{"pattern":"("}`, `[]`} {
		if _, err := CompileBytes("own", []byte(bad)); err == nil {
			t.Errorf("%q compiles", bad)
		}
	}
}
