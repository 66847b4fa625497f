package scenario

import (
	"net/url"
	"strings"
	"unicode"
)

// address reads the address of an Open or a URL, which begins with a slash: the
// origin is the contract's.
func (r *reader) address(s Step) (Step, bool) {
	value, at, ok := r.value(string(s.Act))
	if !ok {
		return s, false
	}
	if message, hint := wrongAddress(string(s.Act), value); message != "" {
		r.fault(at, message, hint)
		return s, false
	}
	s.Value = value
	return s, true
}

// wrongAddress says what is wrong with an address that must lie on the contract's
// origin.
func wrongAddress(word, s string) (message, hint string) {
	u, err := url.Parse(s)
	switch {
	case !strings.HasPrefix(s, "/"):
		return "the address " + quoted(s) + " does not begin with a slash", "the origin is that of visual_qa.url: write " + word + "=/settings"
	case strings.HasPrefix(s, "//") || strings.Contains(s, `\`):
		return "the address " + quoted(s) + " could name another host", "the origin is that of visual_qa.url: write " + word + "=/settings"
	case strings.ContainsFunc(s, func(c rune) bool { return unicode.IsSpace(c) || unicode.IsControl(c) }):
		return "the address " + quoted(s) + " holds a blank", "write a blank as %20"
	case err != nil || u.Host != "" || u.Scheme != "":
		return "the address " + quoted(s) + " cannot be read", "write " + word + "=/settings"
	}
	return "", ""
}
