package policy

import (
	"regexp"
	"strings"
	"sync"

	"github.com/tolboy/warden/internal/strict"
)

var (
	// secretForm is how the keys of well-known services begin.
	secretForm = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(^|[^A-Za-z0-9])(sk-[A-Za-z0-9_-]{12,}|sk_(live|test)_[A-Za-z0-9]{8,}|xai-[A-Za-z0-9]{12,}|gh[pousr]_[A-Za-z0-9]{12,}|github_pat_[A-Za-z0-9_]{12,}|gl[a-z]{2,5}-[A-Za-z0-9_.-]{16,}|xox[a-z]-[A-Za-z0-9-]{8,}|A[KS]IA[A-Z0-9]{12,}|AIza[A-Za-z0-9_-]{16,}|npm_[A-Za-z0-9]{16,}|hf_[A-Za-z0-9]{16,}|eyJ[A-Za-z0-9_-]{12,}\.[A-Za-z0-9_-]+|-----BEGIN [A-Z ]*PRIVATE KEY)`)
	})
	// denseForm is a long word without the marks that names and paths have.
	denseForm  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[A-Za-z0-9+_-]{32,}={0,2}`) })
	secretName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)(^|_)(TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|BEARER)$`)
	})
	userForm = regexp.MustCompile(`://[^/@\s]*:[^/@\s]+@`)
)

// looksSecret reports whether a text has the form of a key. It is a guess that
// errs towards yes for long random words.
func looksSecret(s string) bool {
	if secretForm().MatchString(s) || userForm.MatchString(s) {
		return true
	}
	for _, word := range denseForm().FindAllString(s, -1) {
		if strings.ContainsAny(word, "0123456789") && strings.ContainsAny(word, "abcdefghijklmnopqrstuvwxyz") &&
			(strings.ContainsAny(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") || hexOnly(word)) {
			return true
		}
	}
	return false
}

func hexOnly(s string) bool { return strings.Trim(s, "0123456789abcdef") == "" }

// settingFault says why a setting may not stand in a file, or nothing.
func settingFault(name, value string) (message, hint string) {
	const where = "put it into a variable of the environment and name that in api_key_env"
	switch {
	case looksSecret(value):
		return "the value looks like a secret", where
	case secretName().MatchString(name) && len(value) >= 8 && !strings.HasPrefix(value, "{{"):
		return "the name says that the value is a secret", where
	}
	return "", ""
}

// secretPlace tells, for every text of a profile that ends in an argument list,
// whether it carries a key.
func secretPlace(items []strict.Value[string], report func(strict.At, string, string)) {
	for _, item := range items {
		if secretForm().MatchString(item.V) || userForm.MatchString(item.V) {
			report(item.At, "the value looks like a secret", "an argument is seen by every process: name the variable that holds the key in api_key_env")
		}
	}
}
