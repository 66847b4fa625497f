package policy

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/tolboy/warden/internal/strict"
	"github.com/tolboy/warden/internal/workflow"
)

const notYet = "this version of Warden does not have it; remove the key"

var (
	nameForm   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$`) })
	effortForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][a-z0-9_-]*$`) })
	envForm    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,127}$`) })
)

// Roles are the roles that a profile can fill, in the order of the loop.
func Roles() []string {
	return []string{workflow.Implementer, workflow.Reviewer, workflow.Architect, workflow.VisualQA, workflow.Planner, workflow.PlanReviewer}
}

// Judges reports whether a role judges work, and so must not be able to change it.
func Judges(role string) bool {
	return role == workflow.Reviewer || role == workflow.VisualQA || role == workflow.PlanReviewer
}

// Reads reports whether a role must not be able to change the tree: it judges, or
// it says what is to be done before anything is.
func Reads(role string) bool { return Judges(role) || role == workflow.Planner }

func role() strict.Rule { return strict.Words(Roles()...) }

func name(what string) strict.Rule {
	return strict.Checked(nameForm().String(), func(s string) (string, string) {
		if nameForm().MatchString(s) {
			return "", ""
		}
		return "not the name of a " + what, "letters, digits, dot, dash and underscore, at most 80"
	})
}

func line() strict.Rule {
	return strict.Checked("", func(s string) (string, string) {
		if strings.ContainsFunc(s, func(r rune) bool { return r != '\t' && unicode.IsControl(r) }) {
			return "the text has more than one line, or a control character", ""
		}
		return "", ""
	})
}

func effort() strict.Rule {
	return strict.Checked(effortForm().String(), func(s string) (string, string) {
		if effortForm().MatchString(s) {
			return "", ""
		}
		return "not a level of effort", "a lower-case word, such as high"
	})
}

func endpoint() strict.Rule {
	return strict.Checked("^https?://", func(s string) (string, string) {
		u, err := url.Parse(s)
		switch {
		case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
			return "not an address", "write http:// or https:// and a host"
		case u.User != nil:
			return "the address holds a user or a password", "name the variable that holds the key in api_key_env"
		}
		return "", ""
	})
}

// keyName admits the name of the variable that holds the vendor's own key. A
// forge's token never goes to a vendor, under whatever name it comes.
func keyName() strict.Rule {
	return strict.Checked(envForm().String(), func(s string) (string, string) {
		switch {
		case looksSecret(s):
			return "this looks like the key itself", "write the name of the environment variable that holds it, and replace the key: it stood in a file"
		case !envForm().MatchString(s):
			return "not the name of an environment variable", "letters, digits and underscore, such as OPENAI_API_KEY"
		case forgeName(s):
			return "a vendor never gets the variable " + s, "name the variable with the vendor's own key"
		}
		return "", ""
	})
}

func settingName() strict.Rule {
	return strict.Checked(envForm().String(), func(s string) (string, string) {
		switch {
		case !envForm().MatchString(s):
			return "not the name of an environment variable", "letters, digits and underscore"
		case forgeName(s):
			return "a vendor never gets the variable " + s, "remove it"
		}
		return "", ""
	})
}

// forgeName tells variables that carry, or lead to, rights on a forge, on the
// runner or on the operator's keys.
func forgeName(s string) bool {
	s = strings.ToUpper(s)
	for _, prefix := range []string{"GITHUB_", "GITLAB_", "GH_", "GLAB_", "CI_", "ACTIONS_", "RUNNER_", "WARDEN_", "SSH_", "GIT_"} {
		if strings.HasPrefix(s, prefix) {
			return true
		}
	}
	return slices.Contains([]string{"CI", "COPILOT_GITHUB_TOKEN", "BASH_ENV", "ENV"}, s)
}

// sharePath admits what of the operator's home a vendor may see: a place of the
// vendor's own, never the home, and never where other credentials lie.
func sharePath() strict.Rule {
	return strict.Checked(`^[^/~]`, func(s string) (string, string) {
		const hint = "a path relative to your home directory, such as .codex/auth.json"
		p := strings.TrimSuffix(s, "/")
		if strings.HasPrefix(s, "/") || strings.HasPrefix(s, "~") || strings.ContainsAny(s, `\*?[]`) || strings.ContainsFunc(s, unicode.IsControl) {
			return "not a path below the home directory", hint
		}
		for seg := range strings.SplitSeq(p, "/") {
			if seg == "" || seg == "." || seg == ".." || strings.TrimSpace(seg) != seg {
				return "not a path below the home directory", hint
			}
		}
		for _, secret := range []string{".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".netrc", ".git-credentials", ".gitconfig",
			".config/git", ".config/gh", ".config/glab-cli", ".warden", ".npmrc", ".pypirc", ".password-store", ".local/share/keyrings"} {
			if p == secret || strings.HasPrefix(p, secret+"/") || strings.HasPrefix(secret, p+"/") {
				return "~/" + secret + " holds what no vendor may see", "share only the vendor's own files"
			}
		}
		return "", ""
	})
}
