package redact

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"slices"
	"strings"
	"unicode/utf16"
)

// needle is one spelling of a secret. before and after say that the character
// beside it carries bits of the secret too.
type needle struct {
	text          []byte
	before, after bool
}

// encodings returns the spellings of a secret in which it is looked for.
func encodings(secret string) []needle {
	plain := []string{
		secret,
		reversed(secret),
		hex.EncodeToString([]byte(secret)),
		strings.ToUpper(hex.EncodeToString([]byte(secret))),
		url.QueryEscape(secret),
		url.PathEscape(secret),
		lowerEscapes(url.QueryEscape(secret)),
		lowerEscapes(url.PathEscape(secret)),
		eachByte(secret, "%%%02X"),
		eachByte(secret, "%%%02x"),
		eachByte(secret, `\x%02x`),
		eachByte(secret, `\u%04x`),
		html.EscapeString(secret),
		wide(secret, 0),
		wide(secret, 1),
		turned(secret),
	}
	for _, asJSON := range jsonForms(secret) {
		plain = append(plain, asJSON)
		plain = append(plain, jsonForms(asJSON)...)
	}
	var out []needle
	for _, p := range plain {
		out = add(out, p, false, false)
	}
	for shift := range 3 {
		std, before, after := inner(base64.StdEncoding.EncodeToString, secret, shift, 6, 3)
		out = add(out, std, before, after)
		out = add(out, strings.NewReplacer("+", "-", "/", "_").Replace(std), before, after)
	}
	for shift := range 5 {
		text, before, after := inner(base32.StdEncoding.EncodeToString, secret, shift, 5, 5)
		out = add(out, text, before, after)
		out = add(out, strings.ToLower(text), before, after)
	}
	return out
}

// add takes a spelling in, and that spelling without its own line breaks.
func add(out []needle, text string, before, after bool) []needle {
	squeezed := strings.NewReplacer("\n", "", "\r", "", `\n`, "", `\r`, "").Replace(text)
	if len(squeezed) < MinLength {
		squeezed = text
	}
	for _, t := range []string{text, squeezed} {
		if !slices.ContainsFunc(out, func(n needle) bool { return string(n.text) == t }) {
			out = append(out, needle{text: []byte(t), before: before, after: after})
		}
	}
	return out
}

// inner encodes secret as it looks after shift foreign bytes, and keeps the
// characters that depend on the secret alone.
func inner(encode func([]byte) string, secret string, shift, bits, group int) (text string, before, after bool) {
	whole := encode(append(make([]byte, shift), secret...))
	from := (shift*8 + bits - 1) / bits
	to := (shift + len(secret)) * 8 / bits
	return whole[from:to], shift != 0, (shift+len(secret))%group != 0
}

func reversed(s string) string {
	b := []byte(s)
	slices.Reverse(b)
	return string(b)
}

func eachByte(s, format string) string {
	var b strings.Builder
	for i := range len(s) {
		fmt.Fprintf(&b, format, s[i])
	}
	return b.String()
}

// lowerEscapes spells the escapes of a URL with small letters.
func lowerEscapes(s string) string {
	b := []byte(s)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:i+3], strings.ToLower(string(b[i+1:i+3])))
		}
	}
	return string(b)
}

// wide spells text in UTF-16; high is where the high byte stands.
func wide(s string, high int) string {
	var b []byte
	for _, u := range utf16.Encode([]rune(s)) {
		pair := [2]byte{byte(u), byte(u)}
		pair[high] = byte(u >> 8)
		pair[1-high] = byte(u)
		b = append(b, pair[:]...)
	}
	return string(b)
}

// turned is ROT13, the reflex of somebody who was told that a filter watches.
func turned(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return 'a' + (r-'a'+13)%26
		case r >= 'A' && r <= 'Z':
			return 'A' + (r-'A'+13)%26
		}
		return r
	}, s)
}

// jsonForms returns text as it stands between the quotes of a JSON string, with
// and without the escapes that protect HTML.
func jsonForms(s string) []string {
	escaped, err := json.Marshal(s)
	if err != nil {
		return nil
	}
	protected := string(escaped[1 : len(escaped)-1])
	open := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(protected)
	return []string{protected, open, strings.ReplaceAll(open, "/", `\/`)}
}
