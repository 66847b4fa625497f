package contract

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"unicode"

	"github.com/tolboy/warden/internal/strict"
)

// Bounds of one task.
const (
	MaxCommands      = 20
	MaxCommandLength = 2000 // characters
)

const (
	notYet   = "this version of Warden does not have it; remove the key"
	pathForm = `^(<repository>|[^/*?\[\]].*)$`
)

var (
	slugForm   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,79}$`) })
	refForm    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._/-]{0,199}$`) })
	remoteForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`) })
)

func risks() []string { return []string{"low", "medium", "high"} }

// oneLine says what is wrong with a text that must be one line of print.
func oneLine(s string, limit int) string {
	switch {
	case strings.ContainsAny(s, "\r\n"):
		return "the text has more than one line"
	case strings.ContainsFunc(s, func(r rune) bool { return r != '\t' && unicode.IsControl(r) || r == '\u2028' || r == '\u2029' }):
		return "the text holds a control character"
	case len([]rune(s)) > limit:
		return fmt.Sprintf("the text has %d characters, the limit is %d", len([]rune(s)), limit)
	}
	return ""
}

func command() strict.Rule {
	return strict.Checked("", func(s string) (string, string) {
		m := oneLine(s, MaxCommandLength)
		if m == "" {
			return "", ""
		}
		return m, "a command is one line; put more into a script and call it"
	})
}

func line(limit int) strict.Rule {
	return strict.Checked("", func(s string) (string, string) { return oneLine(s, limit), "" })
}

const slugHint = "lower-case letters, digits, dot, dash and underscore, at most 80, beginning with a letter or digit"

func slug() strict.Rule {
	return strict.Checked(slugForm().String(), func(s string) (string, string) {
		if slugForm().MatchString(s) {
			return "", ""
		}
		return "not a task id", slugHint
	})
}

func ref() strict.Rule {
	return strict.Checked(refForm().String(), func(s string) (string, string) {
		if refForm().MatchString(s) && !strings.Contains(s, "..") && !strings.Contains(s, "//") {
			return "", ""
		}
		return "not a safe revision name", "a branch such as origin/main, or a commit id"
	})
}

func remote() strict.Rule {
	return strict.Checked(remoteForm().String(), func(s string) (string, string) {
		if remoteForm().MatchString(s) {
			return "", ""
		}
		return "not the name of a remote", "a name such as origin"
	})
}

func branchPrefix() strict.Rule {
	return strict.Checked(`^[A-Za-z0-9][A-Za-z0-9._/-]{0,58}[/-]$`, func(s string) (string, string) {
		ok := len(s) <= 60 && refForm().MatchString(s) && (strings.HasSuffix(s, "/") || strings.HasSuffix(s, "-")) &&
			!strings.HasPrefix(s, "refs/")
		for seg := range strings.SplitSeq(strings.TrimSuffix(s, "/"), "/") {
			ok = ok && seg != "" && !strings.HasPrefix(seg, ".") && !strings.HasSuffix(seg, ".") &&
				!strings.HasSuffix(seg, ".lock") && !strings.Contains(seg, "..")
		}
		if ok {
			return "", ""
		}
		return "not a branch prefix", "a beginning of branch names that ends in / or -, such as warden/"
	})
}

func label() strict.Rule {
	return strict.Checked("^[^,]*$", func(s string) (string, string) {
		if m := oneLine(s, 50); m != "" {
			return m, ""
		}
		if strings.Contains(s, ",") || strings.TrimSpace(s) != s {
			return "not a label", "no comma, and no space at either end"
		}
		return "", ""
	})
}

func address() strict.Rule {
	return strict.Checked("^https?://", func(s string) (string, string) {
		u, err := url.Parse(s)
		if err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil {
			return oneLine(s, MaxCommandLength), ""
		}
		return "not an address", "write http:// or https:// and a host, without a user"
	})
}

// origin admits an address that names nobody's page: scheme, host and port.
func origin() strict.Rule {
	return strict.Checked("^https?://", func(s string) (string, string) {
		u, err := url.Parse(s)
		if err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil && strings.Trim(u.Path, "/") == "" && u.RawQuery == "" && u.Fragment == "" {
			return oneLine(s, MaxCommandLength), ""
		}
		return "not an origin", "write http:// or https://, a host and perhaps a port, without a path"
	})
}

func name() strict.Rule {
	return strict.Checked("", func(s string) (string, string) {
		switch {
		case oneLine(s, 80) != "":
			return oneLine(s, 80), ""
		case s == Repository:
			return Repository + " is a reserved word", "give the set another name"
		case strings.TrimSpace(s) != s:
			return "a name has a space at one end", ""
		}
		return "", ""
	})
}

func scopePath() strict.Rule {
	return strict.Checked(pathForm, func(s string) (string, string) {
		if s == Repository {
			return "", ""
		}
		_, m, hint := normalPath(s)
		return m, hint
	})
}

func pullRequestArgument() strict.Rule {
	return strict.Checked("", func(s string) (string, string) {
		for _, m := range placeholderForm().FindAllStringSubmatch(s, -1) {
			switch m[1] {
			case "remote", "branch", "base", "title", "body_file":
			default:
				return "unknown placeholder " + m[0], strict.Suggest(m[1], []string{"remote", "branch", "base", "title", "body_file"})
			}
		}
		return oneLine(s, MaxCommandLength), ""
	})
}

var placeholderForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{\{\s*([^{}]*?)\s*\}\}`) })
