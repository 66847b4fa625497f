package redact

import (
	"bytes"
	"regexp"
)

// shape is the form of a credential that is recognised without knowing its
// value. anchors are words without which the pattern cannot match; group is the
// part that is secret; plausible, when given, looks at that part again.
type shape struct {
	anchors   []string
	pattern   *regexp.Regexp
	group     int
	plausible func([]byte) bool
}

// edge is the start of the text or a character that cannot be part of a token.
const edge = `(?:^|[^A-Za-z0-9])`

// value is the text of a credential in a header, a flag or a JSON string.
const value = `[A-Za-z0-9._~+/=:-]`

func plain(name, pattern string) shape {
	return shape{anchors: []string{name}, pattern: regexp.MustCompile(pattern)}
}

func shapeTable() []shape {
	return []shape{
		{anchors: []string{"ghp_", "gho_", "ghs_", "ghu_", "ghr_"}, pattern: regexp.MustCompile(`gh[poshur]_[A-Za-z0-9._-]{36,}`)},
		plain("github_pat_", `github_pat_[A-Za-z0-9_]{22,}`),
		{anchors: []string{"glpat-", "glptt-", "gldt-", "glrt-", "gloas-", "glcbt-", "glft-", "glimt-", "glagent-", "glsoat-"}, pattern: regexp.MustCompile(edge + `(gl(?:pat|ptt|dt|rt|oas|cbt|ft|imt|agent|soat)-[A-Za-z0-9_.-]{20,})`), group: 1},
		{anchors: []string{"sk-"}, pattern: regexp.MustCompile(edge + `(sk-[A-Za-z0-9_-]{20,})`), group: 1, plausible: random},
		{anchors: []string{"xai-"}, pattern: regexp.MustCompile(edge + `(xai-[A-Za-z0-9_-]{20,})`), group: 1, plausible: random},
		{anchors: []string{"AKIA", "ASIA"}, pattern: regexp.MustCompile(edge + `((?:AKIA|ASIA)[A-Z0-9]{16})(?:$|[^A-Za-z0-9])`), group: 1},
		{anchors: []string{"AIza"}, pattern: regexp.MustCompile(edge + `(AIza[A-Za-z0-9_-]{35})`), group: 1},
		{anchors: []string{"npm_"}, pattern: regexp.MustCompile(edge + `(npm_[A-Za-z0-9]{36})`), group: 1},
		{anchors: []string{"xox"}, pattern: regexp.MustCompile(edge + `(xox[abeprs]-[A-Za-z0-9-]{20,})`), group: 1},
		plain("eyJ", `eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}`),
		// A key that was cut off is taken out to the end of what looks like it.
		plain("PRIVATE KEY", `-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?:[A-Za-z0-9+/=\s:,.\\-]*?-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|[A-Za-z0-9+/=\s\\]*)`),
		{anchors: []string{"uthorization", "UTHORIZATION"}, group: 1, pattern: regexp.MustCompile(
			`(?i)authorization[\\"']*\s*[:=]\s*[\\"']*(?:basic|bearer|token|digest)\s+(` + value + `{8,})`)},
		{anchors: []string{"uthorization", "UTHORIZATION"}, group: 1, pattern: regexp.MustCompile(
			`(?i)authorization[\\"']*\s*[:=]\s*[\\"']*(` + value + `{20,})`)},
		{anchors: []string{"earer", "EARER"}, group: 1, plausible: hasDigit, pattern: regexp.MustCompile(
			`(?i)bearer\s+(` + value + `{16,})`)},
		{anchors: []string{"-token", "-TOKEN", "-Token", "-key", "-KEY", "-Key"}, group: 1, plausible: hasDigit, pattern: regexp.MustCompile(
			`(?i)(?:private-token|job-token|x-api-key|x-goog-api-key|api-key)[\\"']*\s*[:=]\s*[\\"']*(` + value + `{16,})`)},
	}
}

// table is built once: compiling takes longer than searching.
var table = shapeTable()

// shapes finds what looks like a credential.
func shapes(data []byte) []span {
	var found []span
	for _, s := range table {
		if !s.possible(data) {
			continue
		}
		for _, m := range s.pattern.FindAllSubmatchIndex(data, -1) {
			from, to := m[2*s.group], m[2*s.group+1]
			if s.plausible == nil || s.plausible(data[from:to]) {
				found = append(found, span{from, to})
			}
		}
	}
	return found
}

func (s shape) possible(data []byte) bool {
	for _, a := range s.anchors {
		if bytes.Contains(data, []byte(a)) {
			return true
		}
	}
	return false
}

// random tells a token from a hyphenated name: it has digits, and capitals or a
// long stretch without a hyphen.
func random(b []byte) bool {
	upper, run, longest := false, 0, 0
	for _, c := range b {
		if c == '-' || c == '_' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
		upper = upper || c >= 'A' && c <= 'Z'
	}
	return hasDigit(b) && (upper || longest >= 16)
}

func hasDigit(b []byte) bool {
	return bytes.ContainsAny(b, "0123456789")
}
