// Package redact takes secrets out of bytes before they are hashed, kept, shown
// or sent. It knows the secret values it is told, in the encodings in which they
// usually travel, and the shapes of common credentials. It cannot see a secret
// that was encrypted, compressed or cut into pieces.
package redact

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Mark replaces every secret. It tells nothing about what was there.
const Mark = "[redacted]"

// MinLength is the length in bytes below which a value is refused: taking a
// shorter one out would mangle ordinary text.
const MinLength = 8

// maxPasses bounds how often the result is looked at again, because taking one
// secret out may lay another one bare.
const maxPasses = 8

// ErrUnusable is wrapped by New for a value that cannot be redacted. The text of
// the error never holds the value.
var ErrUnusable = errors.New("cannot be redacted")

// Set is what must not get out. It is immutable and safe for concurrent use. A
// nil Set still takes out everything that has the shape of a credential.
type Set struct {
	known *index // nil when no value is known
}

// New returns a set that knows these values besides the shapes. Empty values are
// passed over: an unset variable is no secret. A value of less than MinLength
// bytes, or one that is part of Mark, is ErrUnusable; the caller names the
// variable by its position in values and refuses to go on.
func New(values ...string) (*Set, error) {
	var all []needle
	for i, v := range values {
		if v == "" {
			continue
		}
		if len(v) < MinLength {
			return nil, fmt.Errorf("secret %d: shorter than %d bytes: %w", i+1, MinLength, ErrUnusable)
		}
		needles := encodings(v)
		if t := strings.TrimSpace(v); t != v && len(t) >= MinLength {
			needles = append(needles, encodings(t)...)
		}
		for _, n := range needles {
			if bytes.Contains([]byte(Mark), n.text) || bytes.Contains(n.text, []byte(Mark)) {
				return nil, fmt.Errorf("secret %d: overlaps the redaction mark: %w", i+1, ErrUnusable)
			}
		}
		all = append(all, needles...)
	}
	if len(all) == 0 {
		return &Set{}, nil
	}
	return &Set{known: newIndex(all)}, nil
}

// Bytes returns data with every secret replaced by Mark, and how many places it
// replaced. Data without a secret is returned as it came. Applying it twice
// changes nothing more.
func (s *Set) Bytes(data []byte) ([]byte, int) {
	count := 0
	for range maxPasses {
		found := s.find(data)
		if len(found) == 0 {
			return data, count
		}
		count += len(found)
		data = replace(data, found)
	}
	if s.Find(data) {
		return []byte(Mark), count + 1
	}
	return data, count
}

// String is Bytes for a string.
func (s *Set) String(text string) (string, int) {
	out, n := s.Bytes([]byte(text))
	if n == 0 {
		return text, 0
	}
	return string(out), n
}

// Find reports whether data holds a secret.
func (s *Set) Find(data []byte) bool { return len(s.find(data)) > 0 }

// span is a half-open range of bytes.
type span struct{ from, to int }

// find returns the places of all secrets, in order, none touching another.
func (s *Set) find(data []byte) []span {
	found := shapes(data)
	if s != nil && s.known != nil {
		found = append(found, s.known.find(data, nil)...)
		if plain, origin := squeeze(data); plain != nil {
			found = append(found, s.known.find(plain, origin)...)
		}
	}
	return merge(found)
}

func merge(found []span) []span {
	slices.SortFunc(found, func(a, b span) int { return a.from - b.from })
	var out []span
	for _, f := range found {
		if n := len(out); n > 0 && f.from <= out[n-1].to {
			out[n-1].to = max(out[n-1].to, f.to)
			continue
		}
		out = append(out, f)
	}
	return out
}

func replace(data []byte, found []span) []byte {
	out := make([]byte, 0, len(data)+len(found)*len(Mark))
	at := 0
	for _, f := range found {
		out = append(out, data[at:f.from]...)
		out = append(out, Mark...)
		at = f.to
	}
	return append(out, data[at:]...)
}
