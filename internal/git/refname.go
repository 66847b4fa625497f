package git

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxRef is below what git, file systems and forges accept for one name.
const maxRef = 240

// CheckRef reports why name is not a full ref name ("refs/heads/x") that git
// accepts, or nil. It follows the rules of git check-ref-format, and asks for
// UTF-8 and at most 240 bytes besides.
func CheckRef(name string) error {
	if !strings.HasPrefix(name, "refs/") {
		return fmt.Errorf("ref %q: does not begin with refs/", name)
	}
	return checkName(name)
}

// CheckBranch reports why name is not a branch name that git accepts, or nil.
func CheckBranch(name string) error {
	if strings.HasPrefix(name, "-") {
		return fmt.Errorf("ref %q: begins with a dash", name)
	}
	if name == "HEAD" {
		return fmt.Errorf("ref %q: is reserved", name)
	}
	return checkName(name)
}

// CheckRevision reports why rev may not be given to git as a revision: it is
// neither HEAD, nor a hexadecimal id, nor a name. Expressions such as a@{1}, a^
// and a..b are none of these.
func CheckRevision(rev string) error {
	if rev == "HEAD" || isHex(rev) {
		return nil
	}
	return CheckBranch(rev)
}

func checkName(name string) error {
	fault := func(why string) error { return fmt.Errorf("ref %q: %s", name, why) }
	switch {
	case name == "":
		return fault("is empty")
	case len(name) > maxRef:
		return fault(fmt.Sprintf("is longer than %d bytes", maxRef))
	case !utf8.ValidString(name):
		return fault("is not UTF-8")
	case name == "@":
		return fault("is reserved")
	case strings.Contains(name, ".."):
		return fault("contains two dots in a row")
	case strings.Contains(name, "@{"):
		return fault("contains @{")
	case strings.HasSuffix(name, "."):
		return fault("ends with a dot")
	}
	for _, r := range name {
		if r < 0x20 || r == 0x7f || strings.ContainsRune(" ~^:?*[\\", r) {
			return fault(fmt.Sprintf("contains %q", r))
		}
	}
	for part := range strings.SplitSeq(name, "/") {
		switch {
		case part == "":
			return fault("has an empty component")
		case part[0] == '.':
			return fault("has a component that begins with a dot")
		case strings.HasSuffix(part, ".lock"):
			return fault("has a component that ends with .lock")
		}
	}
	return nil
}

// IsObjectID reports whether s is a full object id in lower-case hexadecimal.
func IsObjectID(s string) bool { return (len(s) == 40 || len(s) == 64) && isHex(s) }

func isHex(s string) bool {
	if len(s) < 4 || len(s) > 64 {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
