package strict

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 40) + strings.Repeat("]", 40)
	tests := []struct {
		name string
		in   string
		want string // every fault, one a line; "" for none
	}{
		{"CF-18_duplicate_key", "a: 1\nb: 2\na: 3\n", `f.yaml:3: a: the key stands twice, first on line 1 (keep one of them)`},
		{"CF-18_duplicate_nested", "m:\n  a: 1\n  a: 2\n", `f.yaml:3: m.a: the key stands twice, first on line 2 (keep one of them)`},
		{"CF-18_duplicate_flow", "m: {a: 1, a: 2}\n", `f.yaml:1: m.a: the key stands twice, first on line 1 (keep one of them)`},
		{"CF-18_duplicate_quoted", "a: 1\n\"a\": 2\n", `f.yaml:2: a: the key stands twice, first on line 1 (keep one of them)`},
		{"CF-18_tab_indent", "m:\n\ta: 1\n", `f.yaml:2: a tab in the indentation (indent with spaces)`},
		{"CF-18_tab_indent_after_spaces", "m:\n  a: 1\n \tb: 2\n", `f.yaml:3: a tab in the indentation (indent with spaces)`},
		{"CF-18_tab_in_list", "m:\n- a\n\t- b\n", `f.yaml:3: a tab in the indentation (indent with spaces)`},
		{"CF-18_tab_continues_plain_text", "m: a\n\tb\n", `f.yaml:2: a tab in the indentation (indent with spaces)`},
		{"CF-18_tab_in_flow", "m: [a,\n\tb]\n", `f.yaml:2: a tab in the indentation (indent with spaces)`},
		{"CF-18_anchor", "a: &x 1\n", `f.yaml:1: a: anchors (&name) are not allowed (write the value out where it is used)`},
		{"CF-18_anchor_on_map", "a: &x\n  b: 1\n", `f.yaml:1: a: anchors (&name) are not allowed (write the value out where it is used)`},
		{"CF-18_anchor_on_key", "&x a: 1\n", `f.yaml:1: anchors (&name) are not allowed (write the value out where it is used)`},
		{"CF-18_alias_and_anchor", "a: &x 1\nb: *x\n", "f.yaml:1: a: anchors (&name) are not allowed (write the value out where it is used)\nf.yaml:2: b: aliases (*name) are not allowed (write the value out)"},
		{"CF-18_alias_alone", "a: 1\nb: *x\n", `f.yaml:2: aliases (*name) are not allowed (write the value out)`},
		{"CF-18_merge_key", "a: 1\n<<: {b: 1}\n", `f.yaml:2: <<: merge keys are not allowed (write the keys out)`},
		{"CF-18_tag", "a: !!str 1\n", `f.yaml:1: a: tags (!name) are not allowed (put the text in quotes if it begins with !)`},
		{"CF-18_tag_nonspecific", "a: ! 1\n", `f.yaml:1: a: tags (!name) are not allowed (put the text in quotes if it begins with !)`},
		{"CF-18_tag_binary", "a: !!binary aGk=\n", `f.yaml:1: a: tags (!name) are not allowed (put the text in quotes if it begins with !)`},
		{"CF-18_tag_on_map", "a: !x\n  b: 1\n", `f.yaml:1: a: tags (!name) are not allowed (put the text in quotes if it begins with !)`},
		{"CF-18_second_document", "a: 1\n---\nb: 1\n", `f.yaml:2: a second document begins here (one file holds one document: remove the line ---)`},
		{"CF-18_second_document_broken", "a: 1\n---\nb: [\n", `f.yaml:3: this is not YAML: did not find expected node content (look at the indentation, the quotes and the colon of this line and the one before)`},
		{"CF-18_unterminated_quote", "a: 1\nb: \"x\n", `f.yaml:2: a quote that begins here is not closed (close it, or double a quote inside single quotes)`},
		{"CF-18_unterminated_single", "a: 1\nb: 'it's\n", `f.yaml:2: this is not YAML: did not find expected key (look at the indentation, the quotes and the colon of this line and the one before)`},
		{"key_number", "1: a\n", `f.yaml:1: 1: a key must be text (put it in quotes)`},
		{"key_true", "true: a\n", `f.yaml:1: true: a key must be text (put it in quotes)`},
		{"key_null", "~: a\n", `f.yaml:1: ~: a key must be text (put it in quotes)`},
		{"key_list", "? [a]\n: b\n", `f.yaml:1: a key must be text on one line`},
		{"key_blank", "\"\": b\n", `f.yaml:1: a key must not be blank`},
		{"flow_open", "a: [1, 2\nb: 3\n", `f.yaml:2: this is not YAML: did not find expected ',' or ']' (look at the indentation, the quotes and the colon of this line and the one before)`},
		{"no_colon", "a: 1\nb\nc: 2\n", `f.yaml:2: this is not YAML: could not find expected ':' (look at the indentation, the quotes and the colon of this line and the one before)`},
		{"root_list", "- a\n", `f.yaml:1: expected keys and values, found a list (write key: value)`},
		{"root_text", "hello\n", `f.yaml:1: expected keys and values, found text "hello" (write key: value)`},
		{"depth", "a: " + deep + "\n", `f.yaml:1: a` + strings.Repeat("[1]", 32) + `: nested more than 32 deep`},
		{"size", strings.Repeat("#", MaxYAMLBytes+1), `f.yaml:1: the file has 1048577 bytes, the limit is 1048576`},
		{"not_utf8", "a: 1\nb: \xff\n", `f.yaml:2: the text is not UTF-8 (save the file as UTF-8)`},
		{"utf16", "\xff\xfea\x00:\x00", `f.yaml:1: the text is not UTF-8 (save the file as UTF-8)`},
		{"nul", "a: \x00\n", `f.yaml:1: the line holds a NUL character (remove it)`},
		{"escape_character", "a: \x1b[31m\n", `f.yaml:1: the line holds a control character (inside double quotes, write it as an escape such as \x1b)`},
		{"next_line", "a: x\u0085b: y\n", `f.yaml:1: the line holds a line separator other than a line feed (inside double quotes, write it as \r, \u0085, \u2028 or \u2029)`},
		{"two_faults", "a: &x 1\nm:\n  b: 1\n  b: 2\n", "f.yaml:1: a: anchors (&name) are not allowed (write the value out where it is used)\nf.yaml:4: m.b: the key stands twice, first on line 3 (keep one of them)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, faults := Parse(Source{File: "f.yaml"}, []byte(tt.in))
			if diff := cmp.Diff(tt.want, faults.Error()); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseKeepsValues(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		in   string
		want any
	}{
		{"empty", "", map[string]any{}},
		{"comment_only", "# nothing\n", map[string]any{}},
		{"marker_only", "---\n", map[string]any{}},
		{"end_marker", "---\na: 1\n...\n", map[string]any{"a": int64(1)}},
		{"byte_order_mark", "\ufeffa: 1\n", map[string]any{"a": int64(1)}},
		{"windows_line_ends", "a: 1\r\nb: two\r\n", map[string]any{"a": int64(1), "b": "two"}},
		{"CF-18_hash_in_quotes", "a: \"x # y\"\nb: '#z'\nc: p#q\n", map[string]any{"a": "x # y", "b": "#z", "c": "p#q"}},
		{"CF-18_url", "a: http://127.0.0.1:4173/x\n", map[string]any{"a": "http://127.0.0.1:4173/x"}},
		{"words_stay_text", "a: [yes, no, on, off, y, True, NULL]\n", map[string]any{"a": []any{"yes", "no", "on", "off", "y", "True", "NULL"}}},
		{"dates_stay_text", "a: 2026-08-25\nb: 12:30:45\n", map[string]any{"a": "2026-08-25", "b": "12:30:45"}},
		{"odd_numbers_stay_text", "a: [0x10, 0o7, 010, 1_000, .inf, .nan, +5, 1e3]\n", map[string]any{"a": []any{"0x10", "0o7", "010", "1_000", ".inf", ".nan", "+5", "1e3"}}},
		{"numbers", "a: [0, -3, 1.50, .5, -0.1e2]\n", map[string]any{"a": []any{int64(0), int64(-3), 1.5, 0.5, -10.0}}},
		{"too_large_for_a_number", "a: 9223372036854775808\n", map[string]any{"a": "9223372036854775808"}},
		{"quoted_is_text", "a: \"1\"\nb: 'true'\nc: \"\"\n", map[string]any{"a": "1", "b": "true", "c": ""}},
		{"null_is_absent", "a:\nb: ~\nc: null\nd: 1\n", map[string]any{"d": int64(1)}},
		{"CF-06_list_over_two_lines", "args: [\"a\",\n  \"b\"]\n", map[string]any{"args": []any{"a", "b"}}},
		{"CF-06_map_over_two_lines", "m: { a: 1,\n   b: [x,\n   y] }\n", map[string]any{"m": map[string]any{"a": int64(1), "b": []any{"x", "y"}}}},
		{"tab_inside_block_text", "a: |\n  if x {\n  \ty()\n\n  }\nb: 1\n", map[string]any{"a": "if x {\n\ty()\n\n}\n", "b": int64(1)}},
		{"tab_inside_quotes", "a: \"x\n\ty\"\nb: 'p\n\tit''s'\n", map[string]any{"a": "x y", "b": "p it's"}},
		{"tab_between", "a:\t1\n", map[string]any{"a": int64(1)}},
		{"key_words_stay_text", "yes: 1\non: 2\n2026-01-01: 3\n", map[string]any{"yes": int64(1), "on": int64(2), "2026-01-01": int64(3)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			doc, faults := Parse(Source{File: "f.yaml"}, []byte(tt.in))
			if len(faults) > 0 {
				t.Fatalf("faults: %v", faults)
			}
			if diff := cmp.Diff(tt.want, doc.Plain()); diff != "" {
				t.Errorf("document (-want +got):\n%s", diff)
			}
		})
	}
}
