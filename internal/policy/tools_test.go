package policy

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Each program is told in its own words, exactly what the profile allows, or the
// profile is refused.
func TestTools(t *testing.T) {
	t.Parallel()
	told := func(program, allow string) string {
		return "version: 1\nprofile: p\nrole: architect\nvendor: v\ncommand: " + program + "\nread_only: false\nargs: [\"{{tools}}\"]\ntools: {allow: [" + allow + "]}\n"
	}
	tests := []struct {
		name, in string
		want     Tools
	}{
		{"claude_reads", told("claude", "search, read"), Tools{[]string{"read", "search"}, "Read,Grep,Glob", ToolsByVendor}},
		{"claude_writes", told("/opt/bin/claude", "read, search, edit, shell, web"), Tools{ToolKinds(), "Read,Grep,Glob,Edit,Write,Bash,WebFetch,WebSearch", ToolsByVendor}},
		{"grok", told("grok", "read, search"), Tools{[]string{"read", "search"}, "read_file,list_dir,grep", ToolsByVendor}},
		{"codex_reads", told("codex", "read, search, shell"), Tools{[]string{"read", "search", "shell"}, "read-only", ToolsByVendor}},
		{"codex_writes", told("codex", "shell, edit, search, read"), Tools{[]string{"read", "search", "edit", "shell"}, "workspace-write", ToolsByVendor}},
		{"gemini_reads", told("gemini", "read, search"), Tools{[]string{"read", "search"}, "plan", ToolsByVendor}},
		{"gemini_writes", told("Gemini.exe", "read, search, edit"), Tools{[]string{"read", "search", "edit"}, "auto_edit", ToolsByVendor}},
		{"opencode", told("opencode", "read, search, shell"), Tools{[]string{"read", "search", "shell"}, `{"edit":"deny","bash":"allow","webfetch":"deny"}`, ToolsByVendor}},
		{"asked_of_a_known_program", strings.Replace(told("claude", "read"), "{{tools}}", "x", 1), Tools{[]string{"read"}, "", ToolsAsked}},
		{"asked_of_another", strings.Replace(told("acme", "read"), "{{tools}}", "x", 1), Tools{[]string{"read"}, "", ToolsAsked}},
		{"nothing_said", minimalProfile, Tools{}},
	}
	for _, tt := range tests {
		p, err := ParseProfile("f", "", []byte(tt.in))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		got, fault := ToolsOf(p)
		if diff := cmp.Diff(tt.want, got); diff != "" || fault != "" {
			t.Errorf("%s: fault %q (-want +got):\n%s", tt.name, fault, diff)
		}
	}
	const hint = " (change tools.allow, or take {{tools}} out: then the prompt asks for it and nothing enforces it)"
	faults := []struct{ name, in, want string }{
		{"unknown_word", told("claude", "read, fly"), `f:8: tools.allow[2]: unknown word "fly" (allowed: read, search, edit, shell, web)`},
		{"codex_always_has_a_shell", told("codex", "read, search"), "f:8: tools.allow: this program can be told only [read, search, edit, shell] or [read, search, shell]" + hint},
		{"gemini_without_reading", told("gemini", "shell"), "f:8: tools.allow: this program can be told only [read, search, edit, shell] or [read, search, edit] or [read, search]" + hint},
		{"opencode_always_reads", told("opencode", "edit"), "f:8: tools.allow: this program always reads and searches" + hint},
		{"grok_of_unknown_shell", told("grok", "read, shell"), `f:8: tools.allow: it is not known how this program is told to offer "shell"` + hint},
		{"unknown_program", told("acme", "read"), `f:8: tools.allow: it is not known how the program "acme" is told which tools to offer` + hint},
		{"judge_that_edits", strings.Replace(told("claude", "read, edit"), "read_only: false", "read_only: true", 1), "f:8: tools.allow: a read-only profile has no use for edit (remove it, or set read_only: false)"},
		{"used_and_not_set", minimalProfile + "args: [\"{{tools}}\"]\n", "f:6: tools.allow: {{tools}} is used, and no tools are allowed (set tools.allow, or remove the placeholder)"},
		{"local", "version: 1\nprofile: p\nrole: reviewer\nvendor: v\nmodel: m\nrunner: local\nendpoint: http://127.0.0.1:1\ntools: {allow: [read]}\n", "f:8: tools.allow: runner local has no tools (remove the key)"},
	}
	for _, tt := range faults {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := ParseProfile("f", "", []byte(tt.in))
			wantFaults(t, err, []string{tt.want})
		})
	}
}
