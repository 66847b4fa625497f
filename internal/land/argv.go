package land

import (
	"regexp"
	"strings"
)

// placeholder is what project.yaml may name in land.pull_request.
var placeholder = regexp.MustCompile(`\{\{\s*([a-z_]+)\s*\}\}`)

// Render fills the placeholders of an argument list. What is filled in is not
// looked at again, and no argument becomes two: there is no shell.
func Render(argv []string, values map[string]string) []string {
	out := make([]string, len(argv))
	for i, arg := range argv {
		out[i] = placeholder.ReplaceAllStringFunc(arg, func(m string) string {
			if v, ok := values[placeholder.FindStringSubmatch(m)[1]]; ok {
				return v
			}
			return m
		})
	}
	return out
}

// Shell writes an argument list as a person would type it.
func Shell(argv []string) string {
	words := make([]string, len(argv))
	for i, arg := range argv {
		words[i] = word(arg)
	}
	return strings.Join(words, " ")
}

func word(s string) string {
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+=:@,", r)
	}) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
