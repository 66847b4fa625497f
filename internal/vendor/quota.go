package vendor

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Words by which vendors say that a plan is used up, in lower case with straight
// apostrophes. A bare "quota" is not among them: disks have quotas too.
var spentPhrases = [...]string{
	"usage limit", "usage_limit_reached", "usage_not_included", "session limit", "weekly limit",
	"quota exceeded", "quota exhausted", "quota reached", "quota_exhausted", "insufficient_quota",
	"out of credits", "insufficient credits", "credit balance is too low", "used all available credits",
	"monthly spending limit", "exhausted your capacity", "exhausted your daily quota", "terminalquotaerror",
	"to use codex with your chatgpt plan",
}

// Words by which vendors say that requests come too fast. Google's sentence
// about an exceeded quota is its rate limit as well, so it stands here and a
// spent plan outranks it.
var ratePhrases = [...]string{
	"rate limit", "rate_limit", "429 too many requests", "resource_exhausted", "retryablequotaerror",
	"exceeded your current quota",
}

// quota decides whether a failed call ran into an exhaustion. Only structured
// errors and stderr are asked; what the model wrote never is. A spent plan
// outranks a rate limit and a structured error outranks stderr.
func quota(failures []Failure, stderr []byte, extra []string) *Quota {
	var spent []string
	for _, s := range extra {
		if s = fold(s); strings.TrimSpace(s) != "" {
			spent = append(spent, s)
		}
	}
	spent = append(spent, spentPhrases[:]...)
	lines := plainLines(stderr)
	failures = decisive(failures)
	for _, f := range failures {
		if f.Plan {
			return exhausted(SpentPlan, "rate_limit_event", StructuredEvent, planWords(failures, spent, f.Text))
		}
	}
	for _, rank := range []struct {
		kind    string
		phrases []string
	}{{SpentPlan, spent}, {RateLimit, ratePhrases[:]}} {
		for _, f := range failures {
			if phrase := match(f.all(), rank.phrases); phrase != "" {
				return exhausted(rank.kind, phrase, StructuredEvent, f.Text)
			}
			if rank.kind == SpentPlan && f.Status == 402 {
				return exhausted(rank.kind, "status 402", StructuredEvent, f.Text)
			}
			if rank.kind == RateLimit && f.Status == 429 {
				return exhausted(rank.kind, "status 429", StructuredEvent, f.Text)
			}
		}
		for _, line := range lines {
			if phrase := match(line, rank.phrases); phrase != "" {
				return exhausted(rank.kind, phrase, StderrText, line)
			}
		}
	}
	return nil
}

// decisive drops warnings and retries where an error is known that ended the
// call: a service that limited the rate and then broke has broken.
func decisive(failures []Failure) []Failure {
	var out []Failure
	ended := false
	for _, f := range failures {
		ended = ended || f.Final
		if f.Final || f.Plan {
			out = append(out, f)
		}
	}
	if !ended {
		return failures
	}
	return out
}

// planWords prefers the sentence a person can act on over the bare event.
func planWords(failures []Failure, spent []string, fallback string) string {
	for _, f := range failures {
		if match(f.all(), spent) != "" {
			return f.Text
		}
	}
	return fallback
}

func exhausted(kind, signature, by, message string) *Quota {
	q := &Quota{Kind: kind, Signature: signature, DetectedBy: by, Message: cut(message, maxMessage)}
	if kind == RateLimit {
		q.Wait = namedPause(message)
	}
	return q
}

// plainLines are the lines of stderr that are prose; JSON among them has been
// read as structured errors.
func plainLines(stderr []byte) []string {
	if _, ok := parseObject(stderr); ok {
		return nil
	}
	var loose []string
	for line := range bytes.Lines(stderr) {
		if text := strings.TrimSpace(string(line)); text != "" {
			if _, ok := parseObject(line); !ok {
				loose = append(loose, text)
			}
		}
	}
	return loose
}

// match returns the first phrase that stands in the text.
func match(text string, phrases []string) string {
	text = strings.ReplaceAll(fold(text), "disk quota", "disk")
	for _, p := range phrases {
		if strings.Contains(text, p) {
			return p
		}
	}
	return ""
}

var straight = strings.NewReplacer("’", "'", "‘", "'", "“", `"`, "”", `"`, "\u00a0", " ")

// fold makes texts comparable: vendors differ in case and in apostrophes.
func fold(s string) string { return strings.ToLower(straight.Replace(s)) }

var pause = regexp.MustCompile(`(?i)(?:retry|try again)\s+(?:after|in)\s+(\d{1,6}(?:\.\d{1,6})?)\s?(ms|milliseconds|s|seconds?)\b`)

// namedPause reads a pause given in plain seconds or milliseconds, up to 15
// minutes. A clock time without a date or zone is not read: any instant made of
// it would be a guess.
func namedPause(text string) time.Duration {
	m := pause.FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	v, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		return 0
	}
	unit := time.Second
	if strings.HasPrefix(strings.ToLower(m[2]), "m") {
		unit = time.Millisecond
	}
	d := time.Duration(v * float64(unit))
	if d < 0 || d > 15*time.Minute {
		return 0
	}
	return d
}

// cut shortens a text to at most n bytes without splitting a character.
func cut(s string, n int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// tail returns the last n bytes of a stream as valid UTF-8.
func tail(b []byte, n int) string {
	if len(b) > n {
		b = b[len(b)-n:]
		for len(b) > 0 && !utf8.RuneStart(b[0]) {
			b = b[1:]
		}
	}
	return strings.ToValidUTF8(string(b), "\uFFFD")
}
