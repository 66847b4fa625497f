package strict

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sample is a shape with one of each kind.
type sample struct {
	Version Value[int]
	Name    Value[string]
	Word    Value[string]
	Ratio   Value[float64]
	On      Value[bool]
	List    Value[[]Value[string]]
	Pick    Choice
	Table   Value[[]Entry[Value[string]]]
	Steps   Value[[]step]
	Inner   Value[struct{}]
	Deep    Value[string]
}

type step struct{ Run Value[string] }

func (s *step) shape() Shape {
	return Object{Fields: []Field{{Key: "run", Required: true, Doc: "what runs", Of: Text(&s.Run, AtMost(5))}}}
}

func (s *sample) shape() Object {
	return Object{
		Fields: []Field{
			{Key: "version", Required: true, Doc: "always 1", Of: Int(&s.Version, 1, 1)},
			{Key: "name", Of: Text(&s.Name)},
			{Key: "word", Of: Text(&s.Word, Words("low", "medium", "high"))},
			{Key: "ratio", Of: Number(&s.Ratio, 0, 1)},
			{Key: "on", Of: Bool(&s.On)},
			{Key: "list", Of: Texts(&s.List, 1)},
			{Key: "pick", Of: OneOrMany(&s.Pick, 1)},
			{Key: "table", Of: Table(&s.Table, 1, Words("a", "b"), func(v *Value[string]) Shape { return Text(v) })},
			{Key: "steps", Of: List(&s.Steps, 0, (*step).shape)},
			{Key: "inner", Of: Object{Got: &s.Inner, Fields: []Field{{Key: "deep", Of: Text(&s.Deep)}}}},
		},
		Refused: map[string]string{"later": "not yet"},
	}
}

func TestReadFaults(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, in string
		want     []string
	}{
		{"empty_file_misses_keys", "", []string{"f.yaml:1: version: the key is missing (always 1)"}},
		{"null_is_absent", "version: ~\n", []string{"f.yaml:1: version: the key is missing (always 1)"}},
		{"wrong_version", "version: 2\n", []string{"f.yaml:1: version: 2 is out of range (write 1)"}},
		{"CF-18_quoted_version", "version: \"1\"\n", []string{`f.yaml:1: version: expected a whole number, found text "1" (write 1)`}},
		{"decimal_version", "version: 1.0\n", []string{`f.yaml:1: version: expected a whole number, found 1.0 (write 1)`}},
		{"unknown_key_near", "version: 1\nnmae: x\n", []string{`f.yaml:2: nmae: unknown key "nmae" (did you mean "name"?)`}},
		{"unknown_key_far", "version: 1\nzzz: x\n", []string{`f.yaml:2: zzz: unknown key "zzz" (allowed: version, name, word, ratio, on, list, pick, table, steps, inner)`}},
		{"unknown_key_null", "version: 1\nnmae:\n", []string{`f.yaml:2: nmae: unknown key "nmae" (did you mean "name"?)`}},
		{"unknown_key_inner", "version: 1\ninner:\n  deeep: x\n", []string{`f.yaml:3: inner.deeep: unknown key "deeep" (did you mean "deep"?)`}},
		{"CF-08_refused_key", "version: 1\nlater: x\n", []string{`f.yaml:2: later: unknown key "later" (not yet)`}},
		{"number_for_text", "version: 1\nname: 5\n", []string{`f.yaml:2: name: expected text, found 5 (if it is text, put it in quotes: "5")`}},
		{"bool_for_text", "version: 1\nname: true\n", []string{`f.yaml:2: name: expected text, found true (if it is text, put it in quotes: "true")`}},
		{"list_for_text", "version: 1\nname: [a]\n", []string{`f.yaml:2: name: expected text, found a list`}},
		{"blank", "version: 1\nname: \"  \"\n", []string{`f.yaml:2: name: the text is blank`}},
		{"nul", "version: 1\nname: \"a\\0b\"\n", []string{`f.yaml:2: name: the text holds a NUL character`}},
		{"word", "version: 1\nword: hihg\n", []string{`f.yaml:2: word: unknown word "hihg" (did you mean "high"?)`}},
		{"word_far", "version: 1\nword: none\n", []string{`f.yaml:2: word: unknown word "none" (allowed: low, medium, high)`}},
		{"word_case", "version: 1\nword: High\n", []string{`f.yaml:2: word: unknown word "High" (did you mean "high"?)`}},
		{"number_range", "version: 1\nratio: 1.5\n", []string{`f.yaml:2: ratio: 1.5 is out of range (0 to 1)`}},
		{"number_type", "version: 1\nratio: .inf\n", []string{`f.yaml:2: ratio: expected a number, found text ".inf" (0 to 1)`}},
		{"yes_is_no_bool", "version: 1\non: yes\n", []string{`f.yaml:2: on: expected true or false, found text "yes" (write true or false, without quotes)`}},
		{"quoted_bool", "version: 1\non: \"true\"\n", []string{`f.yaml:2: on: expected true or false, found text "true" (write true or false, without quotes)`}},
		{"text_for_list", "version: 1\nlist: a\n", []string{`f.yaml:2: list: expected a list, found text "a" (write a list: [a])`}},
		{"empty_list", "version: 1\nlist: []\n", []string{`f.yaml:2: list: the list is empty`}},
		{"item_types", "version: 1\nlist:\n  - a\n  - 1\n  -\n  - \"\"\n", []string{
			`f.yaml:4: list[2]: expected text, found 1 (if it is text, put it in quotes: "1")`,
			`f.yaml:5: list[3]: expected text, found nothing`,
			`f.yaml:6: list[4]: the text is blank`}},
		{"pick_type", "version: 1\npick: {a: b}\n", []string{`f.yaml:2: pick: expected text or a list, found a mapping`}},
		{"pick_empty", "version: 1\npick: []\n", []string{`f.yaml:2: pick: the list is empty`}},
		{"table_type", "version: 1\ntable: x\n", []string{`f.yaml:2: table: expected names with values, found text "x" (write name: value)`}},
		{"table_empty", "version: 1\ntable: {}\n", []string{`f.yaml:2: table: nothing is declared here`}},
		{"table_name", "version: 1\ntable:\n  c: x\n", []string{`f.yaml:3: table.c: unknown word "c" (allowed: a, b)`}},
		{"table_null", "version: 1\ntable:\n  a:\n", []string{`f.yaml:3: table.a: expected text, found nothing`}},
		{"steps", "version: 1\nsteps:\n  - run: abcdef\n  - rnu: x\n  - y\n", []string{
			`f.yaml:3: steps[1].run: the text has 6 bytes, the limit is 5`,
			`f.yaml:4: steps[2].rnu: unknown key "rnu" (did you mean "run"?)`,
			`f.yaml:4: steps[2].run: the key is missing (what runs)`,
			`f.yaml:5: steps[3]: expected keys and values, found text "y" (write key: value)`}},
		{"object_type", "version: 1\ninner: x\n", []string{`f.yaml:2: inner: expected keys and values, found text "x" (write key: value)`}},
		{"all_together", "verison: 1\nname: 5\nword: x\n", []string{
			`f.yaml:1: verison: unknown key "verison" (did you mean "version"?)`,
			`f.yaml:1: version: the key is missing (always 1)`,
			`f.yaml:2: name: expected text, found 5 (if it is text, put it in quotes: "5")`,
			`f.yaml:3: word: unknown word "x" (allowed: low, medium, high)`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := Read(Source{File: "f.yaml"}, []byte(tt.in), new(sample).shape())
			if diff := cmp.Diff(strings.Join(tt.want, "\n"), got.Error()); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadValues(t *testing.T) {
	t.Parallel()
	var s sample
	in := "version: 1\nname: \"5\"\nword: high\nratio: 1\non: true\nlist: [a, b]\npick: solo\ntable: {b: two, a: one}\nsteps: [{run: x}]\ninner: {deep: d}\n"
	if faults := Read(Source{File: "f.yaml", Before: 10}, []byte(in), s.shape()); faults != nil {
		t.Fatal(faults)
	}
	at := func(line int, key string) At { return At{Line: line, Key: key} }
	want := sample{
		Version: Value[int]{1, true, at(1, "version")},
		Name:    Value[string]{"5", true, at(2, "name")},
		Word:    Value[string]{"high", true, at(3, "word")},
		Ratio:   Value[float64]{1, true, at(4, "ratio")},
		On:      Value[bool]{true, true, at(5, "on")},
		List:    Value[[]Value[string]]{[]Value[string]{{"a", true, at(6, "list[1]")}, {"b", true, at(6, "list[2]")}}, true, at(6, "list")},
		Pick:    Choice{V: []Value[string]{{"solo", true, at(7, "pick")}}, Bare: true, Set: true, At: at(7, "pick")},
		Table: Value[[]Entry[Value[string]]]{[]Entry[Value[string]]{
			{"b", at(8, "table.b"), Value[string]{"two", true, at(8, "table.b")}},
			{"a", at(8, "table.a"), Value[string]{"one", true, at(8, "table.a")}}}, true, at(8, "table")},
		Steps: Value[[]step]{[]step{{Value[string]{"x", true, at(9, "steps[1].run")}}}, true, at(9, "steps")},
		Inner: Value[struct{}]{struct{}{}, true, at(10, "inner")},
		Deep:  Value[string]{"d", true, at(10, "inner.deep")},
	}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
}

func TestSourceBeforeMovesLines(t *testing.T) {
	t.Parallel()
	src := Source{File: "issue", Before: 7}
	got := Read(src, []byte("version: 1\nname: 5\n"), new(sample).shape())
	if len(got) != 1 || got[0].Line != 9 {
		t.Errorf("got %v, want one fault on line 9", got)
	}
	_, got = Parse(src, []byte("a: 1\na: 2\n"))
	if len(got) != 1 || got[0].Line != 9 || !strings.Contains(got[0].Message, "line 8") {
		t.Errorf("got %v, want one fault on line 9 that names line 8", got)
	}
}

func TestFaultsAreBounded(t *testing.T) {
	t.Parallel()
	in := "version: 1\nlist:\n" + strings.Repeat("  - 1\n", 1000)
	if got := Read(Source{File: "f.yaml"}, []byte(in), new(sample).shape()); len(got) != maxFaults {
		t.Errorf("got %d faults, want %d", len(got), maxFaults)
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	want := []string{"inner.deep", "list", "name", "on", "pick", "ratio", "steps[].run", "table.*", "version", "word"}
	if diff := cmp.Diff(want, Keys(new(sample).shape())); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
}

func TestNearest(t *testing.T) {
	t.Parallel()
	words := []string{"scope", "scopes", "checks", "goal", "id", "non_goals"}
	for in, want := range map[string]string{
		"scop": "scope", "socpe": "scope", "Scope": "scope", "check": "checks", "gaol": "goal", "idd": "id",
		"nongoals": "non_goals", "x": "", "": "", "acceptance": "", strings.Repeat("a", 100): "",
	} {
		if got := Nearest(in, words); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", in, got, want)
		}
	}
}
