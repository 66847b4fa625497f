package forgetest

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseQuery(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		`{ viewer { login } }`: true,
		`query Q($n: Int!) { a: repository(number: $n) { id } }`: true,
		`mutation { f(input: {id: "x", n: 3, b: true}) { id } }`: true,
		`query { x { ... on Issue { id } ... on Pull { id } } }`: true,
		`query($n: Int!, $more: [String!]) { x(n: $n) { id } }`:  true,
		`query($missing: Int!) { x(n: $missing) { id } }`:        false,
		`query { x(n: $undeclared) { id } }`:                     false,
		`{ }`:                                                    false,
		`{ viewer { login }`:                                     false,
		`{ viewer } { viewer }`:                                  false,
		`{ x(n: maybe) { id } }`:                                 false,
		``:                                                       false,
	} {
		var variables map[string]any
		if want && (text[0] == 'q') && len(text) > 8 && (text[6] == 'Q' || text[5] == '(') {
			variables = map[string]any{"n": 1.0}
		}
		if _, err := parseQuery(text, variables); (err == nil) != want {
			t.Errorf("%s: error %v", text, err)
		}
	}
}

func FuzzParseQuery(f *testing.F) {
	f.Add(`query($n: Int!) { a: repository(number: $n) { ... on Issue { id } } }`)
	f.Add(`mutation { f(input: {id: "x\n", n: -3}) { id } }`)
	f.Add(`{{{{`)
	f.Fuzz(func(t *testing.T, text string) {
		variables := map[string]any{"n": 1.0}
		doc, err := parseQuery(text, variables)
		again, err2 := parseQuery(text, variables)
		if (err == nil) != (err2 == nil) || !cmp.Equal(doc, again, cmp.AllowUnexported(document{}, selection{})) {
			t.Fatal("two readings differ")
		}
		if err == nil && (len(doc.fields) == 0 || doc.kind != "query" && doc.kind != "mutation") {
			t.Fatalf("read %+v without an error", doc)
		}
	})
}

func FuzzPktLine(f *testing.F) {
	f.Add([]byte("0009abcd\n0000"))
	f.Add([]byte("0004"))
	f.Add([]byte("fff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		pushedRefs(data)
		refusalText(data, map[string]string{"refs/heads/x": "f"})
		line, rest, ok := pktLine(data)
		if !ok {
			return
		}
		if len(rest) > len(data)-4 || len(line)+len(rest)+4 != len(data) {
			t.Fatalf("%q: line %q, rest %q", data, line, rest)
		}
	})
}
