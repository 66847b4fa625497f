package redact_test

import (
	"bytes"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/tolboy/warden/internal/redact"
)

const secret = `pa/ss+w0rd<&"é\ñ?~tail-of-it`

// spellings are ways in which a secret leaves a process.
func spellings(s string) map[string]string {
	out := map[string]string{
		"plain":        s,
		"reversed":     func() string { b := []byte(s); slices.Reverse(b); return string(b) }(),
		"hex":          hex.EncodeToString([]byte(s)),
		"hex upper":    strings.ToUpper(hex.EncodeToString([]byte(s))),
		"query":        url.QueryEscape(s),
		"path":         url.PathEscape(s),
		"html":         html.EscapeString(s),
		"basic auth":   base64.StdEncoding.EncodeToString([]byte("x-access-token:" + s)),
		"base32":       base32.StdEncoding.EncodeToString([]byte("ab" + s + "cd")),
		"json in json": quote(strings.Trim(quote(s), `"`)),
		"json":         quote(s),
		"json open":    openJSON(s),
	}
	for shift := range 3 {
		for after := range 3 {
			text := []byte(strings.Repeat("A", shift) + s + strings.Repeat("B", after))
			out[fmt.Sprintf("base64 %d %d", shift, after)] = base64.StdEncoding.EncodeToString(text)
			out[fmt.Sprintf("base64url %d %d", shift, after)] = base64.RawURLEncoding.EncodeToString(text)
		}
	}
	long := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("z", 41) + s + "zz"))
	out["wrapped base64"] = long[:60] + "\n" + long[60:]
	out["wrapped base64 in json"] = long[:60] + `\n` + long[60:]
	return out
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

func openJSON(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s)
	return strings.TrimSpace(b.String())
}

func TestEverySpellingIsTakenOut(t *testing.T) {
	t.Parallel()
	set := newSet(t, secret)
	none := newSet(t)
	for name, text := range spellings(secret) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := []byte("before " + text + " after")
			if none.Find(in) {
				t.Fatal("found without knowing the secret: the case proves nothing")
			}
			out, n := set.Bytes(in)
			if n == 0 || set.Find(out) || !bytes.Contains(out, []byte(redact.Mark)) {
				t.Fatalf("left %q (%d places)", out, n)
			}
			if !bytes.HasPrefix(out, []byte("before ")) || !bytes.HasSuffix(out, []byte(" after")) {
				t.Errorf("took too much: %q", out)
			}
		})
	}
}

func TestShapes(t *testing.T) {
	t.Parallel()
	rnd := strings.Repeat("aB3dE6gH9j", 6)
	pem := "-----BEGIN " + "RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7\nabc+/=\n-----END RSA PRIVATE KEY-----"
	for name, tc := range map[string]struct{ in, want string }{
		"ghp":                {"x ghp_" + rnd[:36] + " y", "x [redacted] y"},
		"ghs with dots":      {"ghs_" + rnd[:20] + "." + rnd[:20] + "-" + rnd[:9], "[redacted]"},
		"gho in a word":      {"(gho_" + rnd[:36] + ")", "([redacted])"},
		"fine grained":       {"github_pat_" + rnd[:40] + ",", "[redacted],"},
		"gitlab":             {"token=glpat-" + rnd[:20], "token=[redacted]"},
		"gitlab job":         {"glcbt-64_" + rnd[:20], "[redacted]"},
		"openai":             {"key sk-proj-" + rnd[:40] + ".", "key [redacted]."},
		"anthropic":          {`"sk-ant-api03-` + rnd + `"`, `"[redacted]"`},
		"xai":                {"xai-" + rnd[:40], "[redacted]"},
		"aws":                {"AKIA" + "IOSFODNN7EXAMPLE ", "[redacted] "},
		"google":             {"?key=AIza" + rnd[:35], "?key=[redacted]"},
		"npm":                {"npm_" + rnd[:36], "[redacted]"},
		"jwt":                {"eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxMjM0NTYifQ." + rnd[:30], "[redacted]"},
		"pem":                {"a " + pem + " b", "a [redacted] b"},
		"pem in json":        {`{"key":"` + strings.ReplaceAll(pem, "\n", `\n`) + `","n":1}`, `{"key":"[redacted]","n":1}`},
		"pem cut off":        {"a " + pem[:48] + "!", "a [redacted]!"},
		"authorization":      {"Authorization: Bearer abcdefghij\n", "Authorization: Bearer [redacted]\n"},
		"basic":              {"AUTHORIZATION: basic eC1hY2Nlc3M6Zm9v", "AUTHORIZATION: basic [redacted]"},
		"header as json":     {`{"authorization":"token abcdefghij"}`, `{"authorization":"token [redacted]"}`},
		"header in a string": {`"\"Authorization\": \"Bearer abcdefghij\""`, `"\"Authorization\": \"Bearer [redacted]\""`},
		"bare bearer":        {"curl -H 'bearer abcdef0123456789'", "curl -H 'bearer [redacted]'"},
		"private token":      {"PRIVATE-TOKEN: abcdef0123456789", "PRIVATE-TOKEN: [redacted]"},
		"api key":            {"x-api-key: abcdef0123456789", "x-api-key: [redacted]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var set *redact.Set
			got, n := set.String(tc.in)
			if got != tc.want || n != 1 {
				t.Errorf("got %q (%d), want %q", got, n, tc.want)
			}
		})
	}
}

func TestOrdinaryTextStaysAsItIs(t *testing.T) {
	t.Parallel()
	corpus := []string{
		"commit 3f786850e387550fdab836ed7e6dc881de23001b\nparent 89e6c98d92887913cadf06b2adb97f26cde4849b",
		"sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
		"550e8400-e29b-41d4-a716-446655440000",
		`"integrity": "sha512-v2kDEe57lecTulaDIuNTPy3Ry4gLGJ6Z1O3vE1krgXZNrsQ+LFTGHVxVjcXPs17LhbZVGedAJv8XZ1tvj5FvSg=="`,
		"github.com/google/go-cmp v0.7.0 h1:wk8382ETsv4JYUZwIsn6YpYiWiBsYLSJiTsyBTjAlIo=",
		"A task-oriented, risk-assessment-of-everything desk-reference-manual-2024 brisk-2026-walkthrough-edition",
		"sk-skeleton-loader-with-a-long-class-name and .sk-circle2-animation-delayed-more",
		"The bearer of this letter, bearer authentication-with-tokens, Authorization: required",
		"authorization header must be set; api-key: ${API_KEY}; Authorization: Bearer ${{ secrets.TOKEN }}",
		"Authorization: Bearer $TOKEN and Authorization: Bearer <token> and PRIVATE-TOKEN: <your_access_token>",
		"-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkq\n-----END PUBLIC KEY-----",
		"ghp_short, glpat-x, AKIA, xai-labs-and-friends-incorporated, AIza, npm_config_registry",
		"https://example.com/a/very/long/path?with=query&and=more#fragment",
		"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
	}
	set := newSet(t, secret, "another-known-value")
	for _, text := range corpus {
		if got, n := set.String(text); n != 0 {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestNewRefusesWhatItCannotRedact(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"short", "1234567", "redacted", "[redacted]", "x[redacted]y"} {
		_, err := redact.New("long-enough-value", bad)
		if !errors.Is(err, redact.ErrUnusable) {
			t.Errorf("%q: got %v, want ErrUnusable", bad, err)
		} else if strings.Contains(err.Error(), "1234567") {
			t.Errorf("the error shows the value: %v", err)
		}
	}
	if _, err := redact.New("", "12345678"); err != nil {
		t.Errorf("empty and eight bytes: %v", err)
	}
}

func TestSecretWithLineBreaks(t *testing.T) {
	t.Parallel()
	set := newSet(t, "first-line\nsecond-line\n")
	for _, text := range []string{"first-line\nsecond-line\n", "first-line\nsecond-line", "first-line\r\nsecond-line",
		`first-line\nsecond-line`, "first-linesecond-line"} {
		if got, n := set.String("<" + text + ">"); n != 1 || strings.Contains(got, "line") {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestOverlapsAreTakenOutOnce(t *testing.T) {
	t.Parallel()
	set := newSet(t, "abcdefghij", "ghijklmnop")
	if got, n := set.String("-abcdefghijklmnop-abcdefghij-"); got != "-[redacted]-[redacted]-" || n != 2 {
		t.Errorf("got %q (%d)", got, n)
	}
}

func TestWhatOneSecretHidTheNextPassFinds(t *testing.T) {
	t.Parallel()
	set := newSet(t, "abcdefghij")
	got, n := set.String("<abcdefghijsk-proj-" + strings.Repeat("aB3dE6gH9j", 3) + ">")
	if got != "<[redacted][redacted]>" || n != 2 {
		t.Errorf("got %q (%d)", got, n)
	}
}

// TestTakenOutForGood plants secrets at random in ordinary bytes.
func TestTakenOutForGood(t *testing.T) {
	t.Parallel()
	set := newSet(t, secret, "ghijklmnop", "0123456789abcdef")
	rng := rand.New(rand.NewPCG(1, 2))
	parts := []string{"ghp_" + strings.Repeat("a1", 20), "Authorization: ", "Bearer ", "ghijklmnop", "[redacted]", "\n", `\n`, "x", "sk-", "="}
	for _, s := range spellings(secret) {
		parts = append(parts, s)
	}
	slices.Sort(parts)
	hits := 0
	for range 2000 {
		var b strings.Builder
		for range 1 + rng.IntN(8) {
			b.WriteString(parts[rng.IntN(len(parts))])
		}
		hits += checkOnce(t, set, []byte(b.String()))
	}
	if hits < 1000 {
		t.Errorf("only %d texts held a secret", hits)
	}
}

// checkOnce holds the properties that every input must keep.
func checkOnce(t *testing.T, set *redact.Set, in []byte) int {
	t.Helper()
	out, n := set.Bytes(in)
	if set.Find(out) {
		t.Fatalf("a secret is left in %q, from %q", out, in)
	}
	if again, m := set.Bytes(out); m != 0 || !bytes.Equal(again, out) {
		t.Fatalf("a second pass changed %q", out)
	}
	if (n > 0) != set.Find(in) || n == 0 && !bytes.Equal(in, out) {
		t.Fatalf("count %d does not fit %q -> %q", n, in, out)
	}
	return min(n, 1)
}

func FuzzBytes(f *testing.F) {
	for _, s := range spellings(secret) {
		f.Add([]byte(s))
	}
	f.Add([]byte("Authorization: Bearer abcdefghijklmnop\n-----BEGIN PRIVATE KEY-----\nMII"))
	set, err := redact.New(secret, "ghijklmnop")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, in []byte) { checkOnce(t, set, in) })
}

func newSet(t *testing.T, values ...string) *redact.Set {
	t.Helper()
	set, err := redact.New(values...)
	if err != nil {
		t.Fatal(err)
	}
	return set
}
