package role

import (
	"fmt"
	"regexp"
	"sort"
	"strings"
)

var placeholder = regexp.MustCompile(`\{\{\s*([A-Za-z0-9_]+)\s*\}\}`)

// Names are the placeholders that a prompt template may use.
func Names() []string {
	return []string{
		"acceptance_commands", "authority", "base_ref", "budget_max_cost_usd", "budget_max_role_runs", "changed_files",
		"context", "context_path", "contract_path", "diff", "diff_base_commit", "evidence_dir", "goal", "harness_report", "max_fix_attempts", "named_checks", "named_scopes", "non_goals",
		"operator_goal", "project", "risk", "run_id", "schema_json", "schema_pretty", "scope_paths", "screenshots", "task_id",
		"timeout_minutes", "vision_note", "visual_scenarios",
	}
}

// CheckTemplate reports a placeholder that no value exists for, naming the
// template and the names there are.
func CheckTemplate(name, text string) error {
	known := map[string]bool{}
	for _, n := range Names() {
		known[n] = true
	}
	var unknown []string
	for _, m := range placeholder.FindAllStringSubmatch(text, -1) {
		if !known[m[1]] {
			unknown = append(unknown, m[1])
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	sort.Strings(unknown)
	return fmt.Errorf("prompt template %s: unknown placeholder %s; there are %s", name, strings.Join(unknown, ", "), strings.Join(Names(), ", "))
}

// render fills a template. Each value goes in once; placeholders inside values
// are data and stay as they are.
func render(name, text string, values map[string]string) (string, error) {
	if err := CheckTemplate(name, text); err != nil {
		return "", err
	}
	return placeholder.ReplaceAllStringFunc(text, func(m string) string {
		return values[placeholder.FindStringSubmatch(m)[1]]
	}), nil
}

// uses reports whether a template asks for a value.
func uses(text, name string) bool {
	for _, m := range placeholder.FindAllStringSubmatch(text, -1) {
		if m[1] == name {
			return true
		}
	}
	return false
}
