package contract

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
)

var driveForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z]:`) })

// normalPath brings a path of the repository to its one form, or says what is
// wrong with it. A pattern is refused: a scope is a list of places, and a star
// that matches nothing would allow nothing while looking like everything.
func normalPath(s string) (path, message, hint string) {
	p := strings.ReplaceAll(strings.TrimSpace(s), `\`, "/")
	absolute := strings.HasPrefix(p, "/") || driveForm().MatchString(p)
	for strings.HasPrefix(p, "./") {
		p = strings.TrimPrefix(p, "./")
	}
	p = strings.TrimRight(p, "/")
	switch {
	case absolute:
		return "", "the path is absolute", "write it relative to the repository"
	case p == "" || p == ".":
		return "", "the path is the whole repository", `write ["` + Repository + `"] if every path may change`
	case strings.ContainsAny(p, "*?[]"):
		return "", "the path is a pattern", "name the directory itself: it admits all that is below it"
	case strings.ContainsFunc(p, unicode.IsControl):
		return "", "the path holds a control character", ""
	case !plainPath(p):
		return "", "the path has an empty, . or .. part", "write it without detours, relative to the repository"
	case reservedPath(p):
		return "", "no task may change what is under .warden or .git", "remove the entry"
	}
	return p, "", ""
}

// plainPath reports whether a path is relative, without empty, "." or ".."
// parts.
func plainPath(path string) bool {
	for seg := range strings.SplitSeq(path, "/") {
		if seg == "" || seg == "." || seg == ".." {
			return false
		}
	}
	return true
}

// reservedPath reports whether a path lies in a directory that no candidate
// may hold. Case is ignored because some file systems ignore it.
func reservedPath(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return strings.EqualFold(first, ".warden") || strings.EqualFold(first, ".git")
}
