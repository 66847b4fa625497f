package strict

import (
	"strings"
	"testing"
)

func TestQuoteReadsBack(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"plain", `say "no" to C:\path`, "line\nline\r\n\ttab", "Цель: починить «кнопку»", "emoji 🙂 and ​ and \ufeff",
		"\x01\x1b[31m\x7f\u0085\u2028\u2029\ufffe\U0010ffff", "# no comment: {a: b} [c] & * ! | >", " edge ", "'", "yes", "",
		strings.Repeat("long \"text\" ", 10000),
	} {
		q := Quote(s)
		if strings.ContainsAny(q, "\n\r") {
			t.Errorf("Quote(%.40q) has more than one line", s)
		}
		doc, faults := Parse(Source{File: "f"}, []byte("a: "+q+"\nb:\n  - "+q+"\n"))
		if faults != nil {
			t.Errorf("Quote(%.40q): %v", s, faults)
			continue
		}
		m := doc.Plain().(map[string]any)
		if m["a"] != s || m["b"].([]any)[0] != s {
			t.Errorf("Quote(%.40q) reads back as %.40q", s, m["a"])
		}
	}
}
