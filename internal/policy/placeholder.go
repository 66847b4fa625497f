package policy

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/tolboy/warden/internal/strict"
)

// Placeholders are what Args and Env may name between double braces.
func Placeholders() []string {
	return []string{"prompt", "prompt_file", "schema_json", "repo_root", "run_id", "task_id", "model", "effort", "tools", "evidence_dir"}
}

var placeholderForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{\{([^{}]*)\}\}`) })

// unknownPlaceholder returns what is wrong with the placeholders of a text.
func unknownPlaceholder(s string) (message, hint string) {
	for _, m := range placeholderForm().FindAllStringSubmatch(s, -1) {
		word := strings.TrimSpace(m[1])
		if slices.Contains(Placeholders(), word) {
			continue
		}
		if word == "mcp_config" {
			return "unknown placeholder " + m[0], "this version of Warden does not have it"
		}
		return "unknown placeholder " + m[0], strict.Suggest(word, Placeholders())
	}
	if rest := placeholderForm().ReplaceAllString(s, ""); strings.Contains(rest, "{{") {
		return "a placeholder is not closed", "write {{name}}"
	}
	return "", ""
}

// names reports whether any of the texts has the placeholder.
func names(items []string, word string) bool {
	for _, s := range items {
		for _, m := range placeholderForm().FindAllStringSubmatch(s, -1) {
			if strings.TrimSpace(m[1]) == word {
				return true
			}
		}
	}
	return false
}

func placeholders() strict.Rule {
	return strict.Checked("", unknownPlaceholder)
}
